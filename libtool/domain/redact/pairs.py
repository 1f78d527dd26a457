"""User and login side by side, with no label between them: `admin / X`, `10.0.0.5 root X`, `creds: bob:X`, tables of logins."""

# ruff: noqa: RUF001 - dashes of prose are what is matched

from __future__ import annotations

import re

from libtool.domain.lazy import lazy
from libtool.domain.redact.candidate import value_at
from libtool.domain.redact.fallback import stands_out
from libtool.domain.redact.guards import AT_HOST, SLASH
from libtool.domain.redact.lines import LOGIN_WORDS, line_around
from libtool.domain.redact.rule import Rule, Span
from libtool.domain.redact.values import is_id, is_name, is_wordy, names_login, plausible, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

USERS = lazy(
    r"(?:admin\w*|administrator|root|deploy\w*|postgres|user\d*|test\w*|guest|ubuntu|debian|centos|oracle|sa|svc[_-]\w+|\w+[_-]svc|"
    r"jenkins|git|gitlab|www-data|nginx|backup|ec2-user|pi|ftp\w*|mysql|dev\w*|ops|operator|"
    r"support|service\w*|sys\w*|demo|info|mail|web\w*|app\w*|dba?|api|bot|ci|build\w*|monitor\w*|nagios|zabbix|grafana|elastic|"
    r"kibana|rabbitmq|redis|mongo\w*|vagrant|alice|bob|carol|dave|eve|maria|john|jane|anna|peter|tom|mike|david|james|mary|sarah|laura|paul|mark|lisa|thomas|michael|anna|julia|"
    r"max|[\w.+-]+@[\w-]+\.[\w.-]+|[a-z]+\.[a-z]+|[A-Z][A-Za-z0-9]*\\[\w.-]+)",
    re.IGNORECASE,
)
_NAME = r"[A-Za-z][\w.+@\\-]{1,60}"
_IP = lazy(r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\d)(?::\d{1,5})?")


def shaped(value: str) -> bool:
    """A login by its looks alone, and no code."""
    return (
        plausible(value)
        and strength(value) >= 2
        and not _CODE.search(value)
        and not _SETS.match(value)
        and not _PORT.match(value)
        and not names_login(value)
    )


_IP_LOGIN = lazy(
    rf"[ \t]*(?:[-–—,;|:(]|\([^)\n]{{1,20}}\)|ssh|login|user(?:name)?|as|login:|"
    rf"user:)?[ \t]*[(\"'`]?(?P<user>{_NAME})(?P<sep>[ \t]*[/:|,][ \t]*|[ \t]+-[ \t]+|[ \t]+)(?=[^\s])"
)
_PAIR = lazy(
    rf"(?<![\w/.:@-])[\"'`*(]{{0,2}}(?P<user>{_NAME})[\"'`*]{{0,2}}(?P<sep>[ \t]*(?:/|\||,|:|;)[ \t]*|[ \t]+(?:and|und|et|y|with|"
    rf"mit|->)[ \t]+)(?=[^\s/|,:;])"
)
_HOST = lazy(
    r"\b(?:[\w-]+\.)+(?:com|org|net|io|dev|local|internal|lan|edu|de|fr|es|cn|jp|co|cloud|corp|home)\b|\b\d{1,3}(?:\.\d{1,3}){3}\b|"
    r"\b(?i:host|server|box|vm|nas|vpn|router|jira|db|database|staging|prod|wifi|ssid|login|account|creds?)\b"
)
_CODE = lazy(r"[(){}\[\]<> ]|\\[nrt]")
_SETS = lazy(r"[A-Za-z_]\w+=(?!=?$)|[a-z0-9]+:[A-Za-z]|[A-Z0-9]+$|[a-z]+@[a-z][a-z0-9.-]*$")
_PORT = lazy(r"(?:[\w.+-]+@[\w.-]+:)?\d{2,5}/(?:%2[fF])?[\w.-]*$")
"""What follows a host in a URL: a port, and a path or the name of a virtual host."""
_USER_VALUE = lazy(rf"[a-z]{{0,4}}[ \t]*[:=][ \t]*{_NAME}[ \t]+(?=\S)")
_LINE_END = lazy(r"[ \t.]*(?:\n|\Z)")
_WANTED = lazy(r"\b(?i:use|using|try|with|nimm|usa|utilise)[ \t]+[\"'`]?\Z")
_SLASH = lazy(rf"(?P<user>{_NAME})[\"'`*]{{0,2}}\Z")


def _is_user(name: str) -> bool:
    """A name that someone logs in under: an address of mail is one, other ids are not."""
    return "@" in name or not is_id(name)


def _value(text: str, at: int, least: int) -> Span | None:
    """The value at `at` when it is at least so strong and no identifier about logins."""
    value = value_at(text, at)
    if value is None:
        return None
    found = text[value[0] : value[1]]
    if not shaped(found) or strength(found) < least:
        return None
    return value[0], value[1]


def _by_address(text: str, start: int, _end: int) -> Iterator[Span]:
    address = _IP.search(text, max(0, start - 7), start + 14)
    if address is None or not address.start() <= start < address.end():
        return
    match = _IP_LOGIN.match(text, address.end(), address.end() + 120)
    if match is None or not _is_user(match["user"]):
        return
    tight = bool(match["sep"].strip())
    known = USERS.fullmatch(match["user"]) is not None
    span = _value(text, match.end(), 2 if tight or known else 3)
    if span is not None:
        yield span


def _by_slash(text: str, start: int, end: int) -> Iterator[Span]:
    span = _value(text, end, 2)
    left = _SLASH.search(text, max(0, start - 64), start) if span else None
    if left is None or span is None or not _is_user(left["user"]) or any(map(str.isdigit, left["user"].split("@")[0][-1:])):
        return
    low, high = line_around(text, start, end)
    known = USERS.fullmatch(left["user"]) is not None
    host = _HOST.search(text, low, left.start("user")) or _HOST.search(text, span[1], high)
    value = text[span[0] : span[1]]
    if (
        (known and (host or strength(value) >= 2))
        or (host and left["user"].islower() and strength(value) >= 3)
        or (_WANTED.search(text, low, left.start("user")) and stands_out(value, quoted=False))
    ):
        yield span


def by_word(text: str, _start: int, end: int) -> Iterator[Span]:
    """Pairs behind a word such as `creds`, on its line or, below a heading of logins, on the lines that follow."""
    _, high = line_around(text, end, end, 160)
    at = end
    if '\\"' in text[end:high]:
        return
    if (first := _USER_VALUE.match(text, at, high)) and (span := _value(text, first.end(), 2)) and _LINE_END.match(text, span[1]):
        yield span
        return
    while (match := _PAIR.search(text, at, high)) is not None:
        at = match.end("user")
        user, sep = match["user"], match["sep"]
        named = USERS.fullmatch(user) is not None
        if not _is_user(user) or (not named and sep.strip() == ":" and match.start("user") > match.start()):
            continue
        span = _value(text, match.end(), 2 if named or sep.strip() == "/" else 3)
        if span is not None and sep == "/" and "/" in text[span[0] : span[1]]:
            continue
        if span is not None:
            yield span
            at = span[1]


def _by_host(text: str, start: int, _end: int) -> Iterator[Span]:
    """Host name, user, login on one line: `nas.local root X`, `db.acme.io | bob | X`."""
    stop = _HOST_END.match(text, start).end()  # type: ignore[union-attr]  # matches the empty string too
    match = _IP_LOGIN.match(text, stop, stop + 120)
    if match is None or "@" in match["user"] or _GIT.search(text, max(0, start - 60), start):
        return
    known = USERS.fullmatch(match["user"]) is not None
    span = _value(text, match.end(), 2 if known else 3)
    if span is not None and (known or match["sep"].strip()) and not _PROSE_AFTER.match(text, span[1]):
        yield span


_GIT = lazy(r"\bgit@[\w.-]*\Z")
_HOST_END = lazy(r"[\w.]*")


def _at_host(text: str, start: int, _end: int) -> Iterator[Span]:
    """`user:X@host` without a scheme, `user@host:X`, `root@10.0.0.5 X`."""
    if (behind := _BEHIND_HOST.match(text, start)) and shaped(behind["v"]) and stands_out(behind["v"], quoted=False):
        user = _LOCAL.search(text, max(0, start - 60), start)
        if user is not None and (behind["sep"] or USERS.fullmatch(user[0])):
            yield behind.span("v")
    if text.rfind(":", max(0, start - 80), start) < 0:
        return
    left = _USER_COLON.search(text, max(0, start - 120), start)
    if left is not None and plausible(left["v"]) and strength(left["v"]) >= 2 and not _CODE.search(left["v"]):
        yield left.span("v")


_CALLED = lazy(
    r"[ \t\r\n]{0,20}(?:[\w.]{1,20}[:=][ \t]*)?(?:(?:new[ \t]+)?[A-Za-z_][\w.:]{0,30}\([ \t]*)?[bBrRuUfFN@]{0,2}"
    r"(?:\"(?P<v1>[^\"\n]{0,200})\"|'(?P<v2>[^'\n]{0,200})'|[^()\"',\n]{1,60})[^()\"',\n]{0,20}"
    r"(?:\([^()\n]{0,20}\))?\)?[ \t]*(?P<end>[,)]|\Z)"
)
_MOST_ARGUMENTS = 6


def _names_thing(value: str) -> bool:
    """A region, a table or a handler rather than a login."""
    return "." not in value and (is_name(value) or (is_wordy(value) and not value.isalnum()))


def _called(text: str, start: int, end: int) -> Iterator[Span]:
    """What is handed to a function that logs in: every argument but the first, which is a host or a user; all of `password('X')`."""
    at = end
    alone = text.startswith("password", start) or text.startswith("PASSWORD", start)
    for number in range(_MOST_ARGUMENTS):
        argument = _CALLED.match(text, at)
        if argument is None:
            return
        at = argument.end()
        for name in ("v1", "v2"):
            value = argument[name]
            if value and len(value) >= 5 and (number or alone) and shaped(value) and not _names_thing(value):
                yield argument.span(name)
        if argument["end"] != ",":
            return


_PROSE_AFTER = lazy(r"[ \t]+[a-z]{2,}[ \t]+[a-z]{2,}")
_LOCAL = lazy(r"(?<![\w./:@+-])[A-Za-z][\w.+-]{0,40}\Z")
_BEHIND_HOST = lazy(
    r"@[\w.-]{1,80}(?:(?P<sep>:|[ \t]*[|;,/][ \t]*|[ \t]+(?:with|and|pw|mit|und|et|avec|y|con|e|com)[ \t]+)|[ \t]+)"
    r"[\"'`(]?(?P<v>[^\s\"'`,;()<>|/]{6,60})"
    r"(?=[\s\"'`,;)|]|\Z)"
)
_USER_COLON = lazy(r"(?<![\w/:.@-])[A-Za-z][\w.-]{0,40}:(?P<v>[^\s/:\"'`<>]{4,80})\Z")
RULES = (
    Rule(
        "address-login",
        "pw",
        tuple(f".{n}." for n in range(256)),
        find=_by_address,
        hits=("10.1.2.59 admin/«Walnut{n4}x»", "192.168.1.8:22 bob «{a14}»"),
        misses=("10.1.2.3 GET /index", "192.168.0.1 is up"),
    ),
    Rule(
        "slash-pair",
        "pw",
        (" / ",),
        find=_by_slash,
        guard=SLASH,
        hits=("deploy / «{w6}{n3}» on mail.acme.io", "use lena / «{w6}!{n4}» for it"),
        misses=("yes / no", "admin / superuser role", "sha1 / sha256", "use lena / see wiki", "use numpy / scipy2"),
    ),
    Rule(
        "host-login",
        "pw",
        tuple(
            f".{tld}{mark}"
            for tld in ("com", "org", "net", "io", "de", "dev", "local", "internal", "lan", "corp", "home", "cloud")
            for mark in " |,:"
        ),
        find=_by_host,
        hits=("nas.local root «{w6}{n4}»", "db.acme.io | bob | «{a14}»"),
        misses=("see example.com for details", "github.com user page"),
    ),
    Rule(
        "at-host",
        "pw",
        ("@",),
        find=_at_host,
        guard=AT_HOST,
        hits=(
            "connect with root:«{w6}.{w5}6»@nas.local",
            "bob@acme.io:«{w6}{n4}»",
            "root@10.2.3.4 «{w6}{n4}»",
            "qa1@acme.io with «{w6}{n4}»",
        ),
        misses=(
            "scp a@nas.local:backup2 .",
            "eve@acme.io wrote {x7}",
            "git@github.com:acme/app.git",
            "a:b@example.com",
            "npm:react@18.2.0",
        ),
    ),
    Rule(
        "ssh-line",
        "pw",
        ("ssh ", "scp ", "sftp ", "telnet ", "rdp "),
        r"(?<![A-Za-z])(?i:ssh|scp|sftp|telnet|"
        r"rdp)[ \t]+(?:-\w+[ \t]+(?:[\w./~]+[ \t]+)??){0,4}[\w.-]{1,40}@[\w.-]{1,60}(?::\d+)?[ \t]*(?:[(,;/|]|:(?=[ \t])|\b(?:with|mit|"
        r"using|pw|pass)\b|#|→|-{1,2}>?)[ \t]*"
        r"(?:(?:pw|pass|password)[:=]?[ \t]*)?[\"'`]?(?P<v>[^\s\"'`,;)]{5,80})",
        shaped,
        hits=("ssh bob@nas.local («{w6}{n4}»)", "ssh root@10.2.3.4 / «{a14}»"),
        misses=("ssh bob@nas.local (see wiki)", "ssh bob@nas.local -- uptime", "scp a@b.c:/tmp/x1 .", "scp a@nas.local:backup2 ."),
    ),
    Rule(
        "named-pair",
        "pw",
        ("u:", "u=", *(f"{name}{sign}" for name in ("usr", "uid", "user", "username", "login") for sign in (":", "=", " :", " ="))),
        r"(?<![A-Za-z])(?i:u|usr|uid|user(?:name)?|login)[ \t]*[:=][ \t]*[\"'`]?[\w.@+\\-]{1,60}[\"'`]?[ \t]*[,;/|"
        r"&-]?\s{0,3}(?i:p|pw|pwd|pass\w*)[ \t]*[:=][ \t]*[\"'`]?(?P<v>[^\s\"'`,;]{4,80})",
        shaped,
        hits=("u: bob p: «{w6}.{w5}2»",),
        misses=("user: alice", "u: 1 p: 2"),
    ),
    Rule(
        "call",
        "pw",
        tuple(
            f"{name}("
            for name in (
                "connect|connection|sequelize|mysqli|pdo|login|logon|auth|auth=|authentication|authenticate|credential|credentials|signin|"
                "sign_in|_bind|bind_s|create_user|createuser|add_user|adduser|new_user|password"
            ).split("|")
        ),
        find=_called,
        hits=(
            'db.connect("nas.local", "bob", "«{w6}.{w5}6»")',
            "SET PASSWORD = PASSWORD('«{w6}{n4}»')",
            'auth=("bob", "«{a14}»")',
            'smtp.PlainAuth("", "bob@acme.io", "«{w6}{n4}»", "smtp.acme.io")',
            'builder.basic_auth("bob", Some("«{w6}{n4}»"))',
            "new PDO('mysql:host=db', 'app', '«{w6}_{n4}»')",
            "ldap_bind($ds, 'cn=admin,dc=acme', '«{w6}{n4}»')",
        ),
        misses=(
            'login("bob", password)',
            'connect("host", "port")',
            'authenticate("user", "basic")',
            'login("abC9d8e7f6")',
            'connect("nas", 22, key_filename="id")',
            "login(",
            "signal.connect('changed', 'on_row2_changed')",
            "connection('postgres', 'users_v2')",
            "connect(1, 2, 3, 4, 5, 6, 7)",
            "login('app', 'cn=admin,dc=acme')",
        ),
    ),
    Rule(
        "user-first",
        "pw",
        ("root:", "admin:", "postgres:", "administrator:", "deploy:", "ubuntu:", "jenkins:", "guest:", "oracle:"),
        r"(?:(?<![\w/:.@$-])|(?<=\\n))(?i:root|admin|postgres|administrator|deploy|ubuntu|jenkins|guest|oracle):(?P<v>[^\s\"'`,;:/]{5,80})",
        shaped,
        hits=("root:«{w6}{n4}»",),
        misses=("root:x:0:0", "admin: bob", "root:root@host"),
    ),
    Rule(
        "word-pair",
        "pw",
        LOGIN_WORDS,
        find=by_word,
        hits=(
            "credentials are root:«{w6}{n3}»",
            "sign in at https://10.2.3.4 (maria, «Winter{n4}»)",
            "my account (bob@acme.io, «Winter{n4}»)",
        ),
        misses=("login: alice", "credentials are loaded from the environment"),
    ),
)
