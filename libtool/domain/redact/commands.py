"""Logins in the arguments of commands."""

from __future__ import annotations

import re

from libtool.domain.lazy import lazy
from libtool.domain.redact.rule import Rule
from libtool.domain.redact.values import decoded, is_id, is_placeholder, is_wordy, plausible, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def _argument(number: int) -> str:
    """An argument: quoted, or up to white space; also inside a JSON string (backslash before a quote). Three groups from `number` on."""
    return (
        rf"(?:\\{{0,3}}\"(?P<v{number}>[^\"\\\n]{{3,200}})\\{{0,3}}\"|\\{{0,3}}'(?P<v{number + 1}>[^'\\\n]{{3,200}})\\{{0,3}}'|"
        rf"(?P<v{number + 2}>[^\s\"'`|<>\\&;]{{3,200}}(?:[&;][^\s\"'`|<>\\&;]{{3,200}})?))"
    )


_GAP = r"[^\n|;]{0,200}?"


_PORT = lazy(r"[\d.]+[:/]")
_SETS = lazy(r"([A-Za-z]{3,})=")


def argument(value: str) -> bool:
    """A login given to an option: nearly everything, but no reference, option, path or port."""
    sets = _SETS.match(value)
    return (
        plausible(value)
        and not value.startswith(("-", "/", "./", "~", "!", ":"))
        and not value.isdigit()
        and not (sets and is_wordy(sets[1]))
        and not (is_id(value) and not value.isalnum())
    )


def _shaped(value: str) -> bool:
    return argument(value) and strength(value) >= 2


def _strong(value: str) -> bool:
    return _shaped(value) and not is_wordy(value) and not _PORT.match(value)


def _piped(value: str) -> bool:
    """A login as it stands, or what is one when it is decoded."""
    return _shaped(decoded(value) or value)


def _digits_too(value: str) -> bool:
    return plausible(value) and not is_placeholder(value) and not value.startswith("-")


# Words that stand in other words, and in random text.
_COMMON = frozenset({"expect", "zip", "unzip", "rar", "unrar", "7z", "7za", "svn", "bcp", "mongo", "isql"})


def _literals(command: str) -> tuple[str, ...]:
    return tuple(command + end for end in (" ", "\t", ".exe")) if command in _COMMON else (command,)


def _option(  # noqa: PLR0913 - a row of a table
    name: str,
    commands: str,
    options: str,
    hit: str,
    *,
    joined: bool = False,
    check: Callable[[str], bool] = argument,
    more: tuple[str, ...] = (),
    misses: tuple[str, ...] = (),
) -> Rule:
    """A command (`a|b`), then somewhere on its line one of the options with its argument, or two of them."""
    gap = "" if joined else r"(?:[ \t]+|=)"
    triggers = tuple(literal for command in commands.split("|") for literal in _literals(command.lower()))
    names = "|".join(re.escape(command) for command in commands.split("|"))
    pattern = rf"(?<![A-Za-z])(?i:{names})(?![a-z]){_GAP}\s(?:{options}){gap}{_argument(1)}"
    pattern += rf"(?:{_GAP}\s(?:{options}){gap}{_argument(4)})?"
    return Rule(name, "pw", triggers, pattern, check, hits=(hit, *more), misses=misses or (hit.replace("«{w5}{n3}»", "$PW"),))


RULES = (
    _option(
        "mysql",
        "mysql|mysqldump|mysqladmin|mariadb|mariadb-dump|mysqlimport|mysqlsh|mycli|xtrabackup",
        "-p",
        "mysql -u root -p«{w5}{n3}» -h db shop",
        joined=True,
    ),
    _option("sshpass", "sshpass", "-p ?", "sshpass -p «{w5}{n3}» ssh a@b", joined=True),
    _option(
        "login-p",
        "docker login|podman login|buildah login|skopeo login|helm registry login|oras login|crane auth login|az login|"
        "az acr login|oc login|cf login|nerdctl login|twine upload|ibmcloud login|"
        "mongosh|mongo|mongodump|mongorestore|mongoexport|mongoimport|cqlsh|evil-winrm|crackmapexec|netexec|nxc|rdesktop|useradd|"
        "usermod|ncftpput|ncftpget|influx|expect|argocd login|"
        "beeline|hdbsql|cypher-shell|elasticsearch-users|trino|rabbitmqadmin|kcadm.sh|kafka-console|svn|hydra|"
        "xfreerdp|tsh login|vncpasswd|bcdedit|plink|pscp|psftp",
        "-p|-pw|--password|--pass|/p:|-P",
        "docker login -u admin -p «{w5}{n3}» registry.acme.io",
        more=("docker login -u ci -p «xQ{U2}k{w1}={n1}H» registry",),
        misses=("docker login -u ci -p $PW registry", "mongosh -p port=27017 x", "mongosh -p DATABASE=x y"),
    ),
    _option(
        "upper-p",
        "sqlcmd|bcp|isql|ipmitool|mosquitto_pub|mosquitto_sub|zip|unzip|curlftpfs|tsql|impala-shell|wbadmin|osql|psexec|asadmin",
        "-P ?",
        "sqlcmd -S db -U sa -P «{w5}{n3}» -Q 1",
        joined=True,
        check=_shaped,
    ),
    _option("archive-p", "7z|7za|rar|unrar", "-h?p", "7z x a.7z -p«{w5}{n3}»", joined=True),
    Rule(
        "slash-p",
        "pw",
        ("xfreerdp", "wfreerdp", "mstsc", "/p:"),
        r"(?i:(?:xfreerdp|wfreerdp|mstsc)[^\n]{0,200}?[ \t]|(?<=[ \t]))/p:[\"']?(?P<v>[^\s\"']{4,100})",
        _shaped,
        hits=("xfreerdp /v:nas /u:bob /p:«{w6}{n4}»",),
        misses=("msbuild /p:Configuration=Release", "xfreerdp /v:nas /u:bob /p:$PW"),
    ),
    _option("redis", "redis-cli|keydb-cli|valkey-cli", "-a|--pass", "redis-cli -h cache -a «{w5}{n3}» ping"),
    _option(
        "ldap",
        "ldapsearch|ldapmodify|ldapadd|ldapdelete|ldappasswd|ldapwhoami|ldapcompare",
        "-w ?|-s ?",
        "ldapsearch -x -D cn=root -w «{w5}{n3}» -b dc=acme",
        joined=True,
    ),
    _option("key-k", "openssl enc|openssl aes-256-cbc|openssl aes-128-cbc", "-k", "openssl enc -aes-256-cbc -k «{w5}{n3}» -in a"),
    _option(
        "snmp",
        "snmpwalk|snmpget|snmpset|snmpbulkwalk|snmpusm",
        "-[AXc]",
        "snmpwalk -v3 -u x -A «{w5}{n3}» host",
        more=("snmpget -v3 -A «{w5}{n3}» -x AES -X «{w6}{n4}» host",),
    ),
    _option("new-phrase", "ssh-keygen", "-[NP]", "ssh-keygen -t ed25519 -N '«{w5}{n3}»' -f id"),
    _option(
        "secret-value",
        "keyvault secret set|put-secret-value|create-secret|put-parameter|secrets versions add|secret set|variable set",
        "--value|--secret-string|--body|-b",
        "az keyvault secret set --name db --value '«{w5}{n3}»'",
        misses=("gh secret set NAME --body $PW", "aws secretsmanager create-secret --secret-string file://x.json"),
        check=_shaped,
    ),
    Rule(
        "user-then-p",
        "pw",
        tuple(f" {option}{end}" for option in ("-u", "--user", "--username", "-n") for end in " ="),
        rf"(?i:[ ]-[un][ ]|[ ]--user(?:name)?[ =])[ \t]*[\"']?[A-Za-z][^\s\"':]{{0,60}}[\"']?(?=[ \t])[^\n|;&]{{0,100}}?"
        rf"[ \t](?:-[pPwW]|-pw|-pass)[ \t=]{_argument(1)}",
        _strong,
        hits=("sometool --host db -u bob -p «{w5}{n3}» list", "x --username=app -h db -P «{a12}»"),
        misses=("docker run -u node -p 8080:80 x", "psql -U app -d shop -p 5432", "x -u bob -p $PW", "compose -u app -p shop"),
    ),
    Rule(
        "oracle",
        "pw",
        ("sqlplus", "sqlldr", "expdp", "impdp", "rman ", "jdbc:oracle:", "@//", "easyconnect", "dgmgrl"),
        r"(?i:(?:sqlplus|sqlldr|expdp|impdp|rman|dgmgrl)[ \t][^\n/|;]{0,80}?[\"']?|jdbc:oracle:\w{2,5}:)[A-Za-z][\w$#]{0,29}/"
        r"\\?\"?(?P<v>[^\s\"'`/@]{4,60})(?=\\?\"?(?:@|[\s\"']|\Z))",
        _shaped,
        hits=("jdbc:oracle:thin:scott/«{w6}{n4}»@//db:1521/X", "impdp system/«{w6}{n4}» directory=d", "rman target sys/«{w6}{n4}»@orcl"),
        misses=("sqlplus / as sysdba", "sqlplus bob/$PW@orcl", "sqlplus -S /nolog @scripts/run1.sql", "impdp system/<password>"),
    ),
    Rule(
        "user-colon",
        "pw",
        ("curl", "wget", "http ", "https ", "xh ", "httpie", "skopeo", "--user", "--creds", "-u ", "--proxy-user", "--auth"),
        rf"(?:(?<![a-z])(?:curl|wget|https?|xh|httpie|skopeo)\b{_GAP}\s)?(?:-[a-zA-Z]{{0,4}}u ?|-a |-U |--user[= ]|"
        rf"--proxy-user[= ]|--auth[= ]|--(?:src-|dest-)?creds[= ]|--user-pass[= ])\\?[\"']?[^\s:\"'$/]{{1,60}}:"
        r"(?P<v>[^\s\"'`|<>\\]{3,200})",
        argument,
        hits=("curl -u carol:«{w5}{n3}» https://db/api", "curl -s --user 'bob:«{a12}»' https://x"),
        misses=("curl -u admin:$PASSWORD https://x", "docker run -u 1000:1000 x", "curl -u admin:$(pass show db) https://x"),
    ),
    Rule(
        "smb-percent",
        "pw",
        ("smbclient", "smbget", "rpcclient", "smbmap", "net rpc", "net ads", "wmic", "winexe", "nmblookup"),
        rf"(?i:smbclient|smbget|rpcclient|smbmap|net rpc|net ads|wmic|winexe|nmblookup){_GAP}\s(?:-U ?|"
        rf"--user[= ])\\?[\"']?[^\s%\"']{{1,60}}%(?P<v>[^\s\"'`|<>]{{3,200}})",
        argument,
        hits=("smbclient //fs01/share -U deploy%«{w5}{n3}»",),
        misses=("smbclient //fs01/share -U deploy%$PW",),
    ),
    Rule(
        "net-use",
        "pw",
        ("net use", "net user"),
        r"(?i:net use)[ \t]+(?:[A-Z*]:?[ \t]+)?\\{2,8}\S+[ \t]+(?:/user:\S+[ \t]+)?(?P<v1>[^\s/*][^\s\"]{2,100})|"
        r"(?i:net user)[ \t]+[\w.\\-]+[ \t]+(?P<v2>[^\s/*][^\s\"]{2,100})(?=[ \t]+/|[ \t]*$|\\n|\n)",
        _digits_too,
        hits=("net use Z: \\\\fs01\\share «{w6}{n3}» /user:ACME\\bob", "net user bob «{w6}{n3}» /add"),
        misses=("net use Z: \\\\fs01\\share /user:ACME\\bob", "net user bob"),
    ),
    Rule(
        "piped",
        "pw",
        ("echo", "printf", "<<<"),
        r"(?:(?:echo|printf)[ \t]+(?:-[en]+[ \t]+|[\"']%s(?:\\n)?[\"'][ \t]+)?\\?[\"']?(?:[\w.-]{1,40}:(?P<v1>[^\s\"'|"
        r"]{3,200})\\?[\"']?[ \t]*\|[ \t]*(?:sudo[ \t]+)?chpasswd|"
        r"(?P<v2>[^\s\"'|]{3,200})(?:\\n[^\s\"'|]{0,200})?\\?[\"']?[ \t]*\|[ \t]*(?:sudo[ \t]+-S|su\b|[^\n|]{0,80}(?:--password-stdin|"
        r"--stdin\b|--passphrase-fd 0|-passin stdin|--with-token|secrets? (?:set|create|put|add)\b|insert)|sudo[ \t]+passwd|passwd\b)|"
        r"(?P<v4>[^\s\"'|]{6,200})\\?[\"']?[ \t]*(?:\|[ \t]*base64\b[^\n]{0,60}|"
        r">{1,2}[ \t]*[^\s|;]{0,80}(?i:pass|pw|secret|token|cred)\w{0,20}))|"
        r"<<<[ \t]*[\"']?(?:[\w.-]{1,40}:)?(?P<v3>[^\s\"'|]{6,200}))",
        _piped,
        hits=(
            'echo "root:«{w5}{n4}»" | chpasswd',
            "echo «{a12}» | sudo -S ls",
            "printf '%s' \"«{a14}»\" | docker login --password-stdin r",
            "echo -n '«{w6}!{n4}»' | base64",
            "echo «{a14}» > .vault_pass",
        ),
        misses=("echo hello | grep x", 'echo "$PW" | sudo -S ls', "echo aGVsbG8gd29ybGQ= | base64 -d", "echo done > passed.txt"),
    ),
    Rule(
        "secure-string",
        "pw",
        (
            "convertto-securestring",
            "identified by",
            "securestring(",
            "networkcredential(",
            "snmp-server community",
            "community string",
            "set community",
            "enable secret",
            "wpa_passphrase",
            "obscure",
            "pscredential",
        ),
        r"(?i:convertto-securestring(?:[ \t]+-string)?[ \t]+[\"'](?P<v1>[^\"'\n]{3,200})[\"']|"
        r"identified(?:[ \t]+with[ \t]+\w+)?[ \t]+by[ \t]+(?:password[ \t]+)?[\"'](?P<v2>[^\"'\n]{3,200})[\"']|"
        r"networkcredential\([^,\n]{1,80},[ \t]*[\"'](?P<v3>[^\"'\n]{3,200})[\"']|(?:snmp-server community|community string(?: is|"
        r":)?|set community)[ \t]+[\"'`]?(?P<v4>[^\s\"'`]{3,80})|"
        r"enable secret(?:[ \t]+\d)?[ \t]+(?P<v5>\S{3,80})|"
        r"wpa_passphrase[ \t]+[\"']?\S{1,40}[\"']?[ \t]+[\"']?(?P<v6>[^\s\"']{8,63})|rclone obscure[ \t]+(?P<v7>\S{3,80}))",
        _digits_too,
        hits=(
            'ConvertTo-SecureString "«{a14}»" -AsPlainText',
            "CREATE USER a IDENTIFIED BY '«{w6}{n4}»';",
            "snmp-server community «{a10}» RO",
        ),
        misses=("ConvertTo-SecureString $pw", "IDENTIFIED BY '<password>'", "the community string is"),
    ),
    Rule(
        "positional",
        "pw",
        (
            "htpasswd",
            "http-basic.",
            "rabbitmqctl",
            "mc alias set",
            "mc config host add",
            "vault login",
            "lftp",
            "send ",
            "snyk auth",
            "pass insert",
            "keyring set",
            "db2 connect",
            ".logon ",
        ),
        r"(?:htpasswd[ \t]+(?:-[a-zA-Z]+[ \t]+)*-[a-zA-Z]*b[a-zA-Z]*(?:[ \t]+-\w+){0,3}(?:[ \t]+[^\s-]\S*){1,2}[ \t]+(?P<v1>[^\s\"'|"
        r">]{4,100})|http-basic\.\S{1,40}[ \t]+\S{1,60}[ \t]+(?P<v9>[^\s\"']{4,200})|"
        r"rabbitmqctl[ \t]+(?:add_user|change_password|authenticate_user)[ \t]+\S+[ \t]+[\"']?(?P<v2>[^\s\"']{3,100})|"
        r"mc[ \t]+(?:alias[ \t]+set|config[ \t]+host[ \t]+add)[ \t]+\S+[ \t]+\S+[ \t]+\S+[ \t]+[\"']?(?P<v3>[^\s\"']{6,200})|"
        r"(?:vault login|snyk auth)[ \t]+(?P<v4>[A-Za-z0-9._-]{16,200})|"
        r"lftp[ \t]+(?:-e[ \t]+\"[^\"\n]*\"[ \t]+)?-u[ \t]+[^\s,]{1,40},(?P<v5>[^\s\"']{3,100})|"
        r"(?i:db2 connect)[ \t]+to[ \t]+\S{1,60}[ \t]+user[ \t]+\S{1,60}[ \t]+using[ \t]+[\"']?(?P<v7>[^\s\"']{3,100})|"
        r"(?i:\.logon)[ \t]+[\w.-]{1,60}(?:/[\w.-]{1,60})?,(?P<v8>[^\s\"';,]{3,100})|"
        r"send[ \t]+(?:--[ \t]+)?\"(?P<v6>(?:[^\"\s\\$]|\$(?![\w({:])){6,100})\\+[rn]\")",
        _shaped,
        hits=(
            "htpasswd -nb alice «{w5}{n4}»",
            "rabbitmqctl add_user bob «{a14}»",
            "poetry config http-basic.acme bob «{a16}»",
            "mc alias set m https://s3.x key1 «{a32}»",
            'send "«{w6}{n3}»\\r"',
            "db2 connect to shop user app using «{w6}{n4}»",
            ".logon tdp/bob,«{w6}{n4}»;",
        ),
        misses=("htpasswd -c file alice", "rabbitmqctl add_user bob $PW", 'send "yes\\r"'),
    ),
)
