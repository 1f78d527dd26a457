"""Logins that are named elsewhere than right before them: by the command that prints them, a field beside, a comment behind, a question."""

# ruff: noqa: RUF001 - typographic quotes are what is matched

from __future__ import annotations

from libtool.domain.lazy import lazy
from libtool.domain.redact.candidate import value_at
from libtool.domain.redact.fallback import is_certain, stands_out
from libtool.domain.redact.guards import ASKED, COMMENTED, DEVICE, DEVICES, HEREDOC, PRINTED, QUOTED, TRIED
from libtool.domain.redact.lines import line_around
from libtool.domain.redact.pairs import shaped
from libtool.domain.redact.rule import Rule, Span
from libtool.domain.redact.values import is_id, is_random, plausible, strength

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_PROMPT = lazy(r"(?:[$%❯➜]|(?<=[~/\w])#|>>>|In ?\[\d*\]:|irb\S{0,30}>)[ \t]+(?P<command>[\w.-]+)")
_NO_PRINTERS = frozenset(
    "ls find fd grep rg ag git cd wc stat which du tree md5sum sha1sum sha256sum sha512sum shasum test pytest vim nano mv cp rm "
    "mkdir touch npm yarn cargo go make pip brew apt".split()
)


_MD5 = lazy("[0-9a-f]{32}")


def _printed(text: str, start: int, end: int) -> Iterator[Span]:
    """What a command whose words name a login prints: one token alone on the line below."""
    match = PRINTED.match(text, start)
    if match is None:
        return
    low = max(text.rfind("\n", max(0, start - 300), start) + 1, start - 300, 0)
    prompt = _PROMPT.search(text, low, end)
    if prompt is None or prompt["command"] in _NO_PRINTERS:
        return
    value = match["v"]
    if plausible(value) and (stands_out(value, quoted=True) or (is_random(value) and (not is_id(value) or _MD5.fullmatch(value)))):
        yield match.span("v")


_WORD = r"(?i:pass(?:word|wd|phrase|code)?|pwd|pw|secret|token|(?:api|access|secret|private)[_.-]?key)"
_NAMED = (
    rf"(?:(?i:where)[ \t]+[\w.`\"]{{1,40}}[ \t]*=[ \t]*|"
    rf"[,;]?\s{{0,40}}\\{{0,3}}[\"']?(?i:name|key|label|id|type|for)\\{{0,3}}[\"']?[ \t]*[:=][ \t]*)"
    rf"\\{{0,3}}[\"'](?:[\w.-]{{0,40}}[_.-])?{_WORD}\\{{0,3}}[\"']"
)
_TAG = lazy(r"(?P<line>[^\n]{0,200}\n)")
_READS = lazy(
    r"(?i:passwd|password|sudo[ \t]+-S|\bsu\b|smbpasswd|kinit|cryptsetup|secrets?[ \t]+(?:set|create|put|add)|--with-token|login)"
)
_MOST_LINES = 6


def _heredoc(text: str, start: int, _end: int) -> Iterator[Span]:
    """`passwd bob <<EOF`: each line up to the tag, behind the user if it names one."""
    head = HEREDOC.match(text, start)
    if head is None or _READS.search(text, text.rfind("\n", max(0, start - 200), start) + 1, start) is None:
        return
    at = head.end()
    for _ in range(_MOST_LINES):
        line = _TAG.match(text, at)
        if line is None or line["line"].strip() == head["tag"]:
            return
        at = line.end()
        value = line["line"].strip().rpartition(":")[2]
        if shaped(value):
            begin = text.rfind(value, line.start(), at)
            yield begin, begin + len(value)


_ASKS = lazy(
    r"(?i:[^\n.;]{0,40}?(?:[,:;–—-]|\.)[ \t]+(?:just[ \t]+|then[ \t]+)?(?:it['’]?s|it is|that['’]?s|that is|the answer is|use|"
    r"type|enter|say|"
    r"try|answer|give it|put in)[ \t]+)(?=\S)"
)
_PROGRAM = lazy(
    r"(?i:\b(?:sudo|su|ssh|git|it|he|she|they|vpn|router|nas|prompt|installer|login|"
    r"box|server|system|keyring|gpg|you are|you're|you get)[ \t]+)\Z"
)


def _asked(text: str, start: int, end: int) -> Iterator[Span]:
    """`if sudo asks, it's X`: what is to be answered, with no word for what it is."""
    match = _ASKS.match(text, end)
    if match is None or _PROGRAM.search(text, max(0, start - 14), start) is None:
        return
    value = value_at(text, match.end())
    if value is not None and shaped(text[value[0] : value[1]]) and stands_out(text[value[0] : value[1]], quoted=False):
        yield value[:2]


_COMMENT = lazy(r"[ \t](?:#|//|--|<-+|←|/\*|;+|\()[^\w\n]{0,3}(?:[\w'’-]{1,12}[ \t]+){0,4}\Z")
_BEFORE_COMMENT = lazy(r"[A-Za-z0-9_+/.~-]{20,200}+={0,2}(?=[\"'`]?[,;)]{0,2}[ \t]*\Z)")
_LINE = 280


def _commented(text: str, start: int, _end: int) -> Iterator[Span]:
    """`key = "X"  # API token`: a comment behind the value says what it is."""
    comment = _COMMENT.search(text, max(0, start - 48), start)
    match = _BEFORE_COMMENT.search(text, max(0, comment.start() - _LINE), comment.start()) if comment else None
    if match is not None and _issued(match[0]):
        yield match.span()


_SIGN = lazy(r"(?:[ \t]+[\w.-]{1,15}){0,2}[ \t]*(?:(?:--?>|→|⇒)[ \t]*|[:=][ \t]+)(?=\S)")
_MODEL = lazy(r"[A-Z]\w*(?:-[A-Z0-9]\w*)+")
_ENDS = lazy(r"[ \t]*(?:[(,#]|\n|\Z)")


def _of_device(text: str, _start: int, end: int) -> Iterator[Span]:
    """`cam 3 → X`: a device and its login, with nobody named."""
    sign = _SIGN.match(text, end)
    value = value_at(text, sign.end()) if sign else None
    if value is None or "\n" in text[value[0] : value[1]]:
        return
    found = text[value[0] : value[1]]
    if (
        shaped(found)
        and stands_out(found, quoted=False)
        and is_certain(found)
        and not _MODEL.fullmatch(found)
        and _ENDS.match(text, value[1])
    ):
        yield value[:2]


def _issued(value: str) -> bool:
    return strength(value) >= 3 and is_random(value) and not is_id(value)


def _try_pair(text: str, start: int, end: int) -> Iterator[Span]:
    """`trying bob:X`, `use bob / X`: a pair that is to be tried."""
    match = TRIED.match(text, start)
    if match is None:
        return
    _, high = line_around(text, start, end)
    value = value_at(text, match.end())
    if value is None or value[1] > high:
        return
    found = text[value[0] : value[1]]
    if shaped(found) and stands_out(found, quoted=False) and (match["sep"] == ":" or is_certain(found)):
        yield value[:2]


RULES = (
    Rule(
        "printed",
        "pw",
        ("pass", "pwd", "pw", "secret", "token", "access_key", "api_key", "secret_key"),
        find=_printed,
        guard=PRINTED,
        far="lines",
        hits=(
            "$ vaultctl read -field=password db/app\n«{a16}»\n",
            ">>> print(conf.SECRET_KEY)\n'«{a32}»'\n",
            "bob@web:~$ echo $PW\n«{w6}#{n4}»",
            "$ pass show web1\n«{a16}»\n",
            "# x\n$ cat /var/lib/initialAdminPassword\n«{x32}»\n",
            "$ cloud get-login-password --region x | head -c 9\n«{a60}»",
        ),
        misses=(
            "$ ls secrets\nkey-file2",
            "$ echo token\ntoken",
            "token\n{a20}x{a20}y z",
            "$ cat token.txt\n{x8}-{x4}-{x4}-{x4}-{x12}",
        ),
    ),
    Rule(
        "value-first",
        "pw",
        tuple(f"value{sign}" for sign in ("=", " =", "'", '"', "\\", ":")),
        rf"(?i:value)\\{{0,3}}[\"']?[ \t]*[:=][ \t]*\\{{0,3}}[\"'](?P<v>[^\"'\n\\]{{4,200}})\\{{0,3}}[\"'][ \t]*\)?\s{{0,20}}{_NAMED}",
        shaped,
        hits=(
            "UPDATE conf SET value='«{w6}{n4}!»' WHERE name='smtp_password';",
            '{"value": "«{w6}{n4}»", "name": "db.password"}',
            '<input value="«{a12}»" type="password">',
        ),
        misses=(
            "UPDATE conf SET value='dark' WHERE name='theme'",
            '{"value": "{w6}{n4}", "name": "city"}',
            "value='$PW' where name='password'",
        ),
    ),
    Rule(
        "value-beside",
        "pw",
        ("password", "passwd", "secret", "api_key", "apikey", "token"),
        r"(?i:password|passwd|secret|api_?key|token)\\{0,3}[\"']\s*(?:,\s*\\{0,3}[\"'][\w-]{1,30}\\{0,3}[\"']\s*:\s*"
        r"(?:\\{0,3}[\"'][^\"'\n\\]{0,80}\\{0,3}[\"']|\w{1,10}|\[[^\[\]]{0,80}\{\s*\\{0,3}[\"']attributes\\{0,3}[\"']\s*:\s*\{\s*"
        r"\\{0,3}[\"'][\w-]{1,30}\\{0,3}[\"']\s*:\s*\w{1,10})\s*){0,5}"
        r",\s*\\{0,3}[\"'](?i:value|result|content|text|data)\\{0,3}[\"']\s*:\s*\\{0,3}[\"'](?P<v>[^\"'\n\\]{4,200})[\"'\\]",
        shaped,
        guard=QUOTED,
        far="always",
        hits=(
            '{"type": "password", "label": "x", "value": "«{w6}{n4}»"}',
            '"type": "random_password", "name": "db", "instances": [{"attributes": {"length": 20, "result": "«{a20}»"',
        ),
        misses=('{"type": "password", "label": "x", "value": "$PW"}', '{"type": "password", "label": "x{n4}"}'),
    ),
    Rule(
        "heredoc",
        "pw",
        ("<<",),
        find=_heredoc,
        guard=HEREDOC,
        far="always",
        hits=("passwd bob <<EOF\n«{w6}{n4}»\n«{w6}{n4}»\nEOF\n", "chpasswd <<'END'\nroot:«{a12}»\nEND\n"),
        misses=(
            "cat <<EOF\n{w6}{n4}\nEOF\n",
            "passwd bob <<EOF\n$PW\nEOF\n",
            "x << 2",
            "passwd <<EOF\n$A\n$B\n$C\n$D\n$E\n$F\n$G\n",
            "passwd <<EOF\n",
        ),
    ),
    Rule(
        "asked",
        "pw",
        ("asks", "asked", "prompts", "prompted", "wants"),
        find=_asked,
        guard=ASKED,
        hits=("if sudo asks, it's «{w6}{n4}!»", "when it prompts you: type «{w5}Q!{n3}{w3}»", "when you're asked - use «{a12}»"),
        misses=(
            "if it asks for a region, it's eu-west-1",
            "if sudo asks, it's fine",
            "she asked, it's abC9d8e7f6()",
            "the user asked, it's {a12}",
        ),
    ),
    Rule(
        "commented",
        "token",
        ("api key", "api-key", "apikey", "api_key", "access key", "secret", "token", "credential"),
        find=_commented,
        guard=COMMENTED,
        hits=('key = "«{a32}»"  # prod API key, rotate!', "«{a40}» <- that's the access token"),
        misses=('name = "frontend"  # the token', "{x40}  # token", "the one (see the token"),
    ),
    Rule(
        "device-only",
        "pw",
        DEVICES,
        find=_of_device,
        guard=DEVICE,
        hits=("camera 3 → «{a12}Q7»", "NAS: «{w3}!Q{n3}{w3}»"),
        misses=("router: TP-Link-AX55", "switch: off", "the router is fine", "camera -> {x12}"),
    ),
    Rule(
        "tried",
        "pw",
        ("try ", "trying ", "tried ", "connect as ", "in as "),
        find=_try_pair,
        guard=TRIED,
        hits=("Trying lena:«{w6}!{n4}» ... ok", "connect as lena with «{a5}!{a5}7»", "try 'demo' with '«{w5}Q!{n3}{w3}»'"),
        misses=(
            "trying bundle:install",
            "trying it",
            "log in as root with care",
            "in as much and abC9d8e7f6",
            "try lena/feature-42 instead",
            "with numpy: x",
        ),
    ),
    Rule(
        "abbreviated",
        "token",
        ("pat ", "pats ", "pat:", "pat=", "sas ", "sas:", "jwt ", "jwt:", "xsrf ", "csrf "),
        r"(?<![A-Za-z])(?:PAT|SAS|JWT|XSRF|CSRF)s?(?:[ \t]+(?:is|for[ \t]+\w{1,20}(?:[ \t]+is)?))?[ \t:=]+[\"'`]?"
        r"(?P<v>[A-Za-z0-9_+/.~-]{20,200}={0,2})",
        _issued,
        hits=("PAT «{l52}» for devops", "the SAS is «{a43}»"),
        misses=("PAT scopes: read:org", "pat {a40}", "JWT authentication-and-authorization"),
    ),
    Rule(
        "digest",
        "token",
        ("digest ",),
        r"(?i:digest[ \t]+)[^\n]{0,400}?\b(?i:response)=\\{0,3}\"?(?P<v>[0-9a-f]{32,64})",
        hits=('Authorization: Digest username="bob", realm="x", response="«{x32}»"',),
        misses=("Digest username, response=ok", "digest sha256"),
    ),
    Rule(
        "cracked",
        "pw",
        ("[+] ", "aad3b435b51404ee:"),
        r"\[\+\][^\n]{0,120}?[\s'\"\\][A-Za-z][\w.-]{1,30}:(?P<v1>[^\s'\":/]{5,80})(?=['\"\s]|\Z)|(?i:aad3b435b51404ee):(?P<v2>[0-9a-fA-F]{32})",
        plausible,
        hits=("SMB 10.2.3.4 445 DC [+] ACME\\lena:«{w5}!{n4}» (ok)", "bob:1001:aad3b435b51404eeaad3b435b51404ee:«{x32}»:::"),
        misses=("[+] Running 2/2", "[+] built app: $PW", "[+] x:$PW"),
    ),
    Rule(
        "session-cookie",
        "cookie",
        ("phpsessid", "jsessionid", "connect.sid", "sessionid=", "_session=", "__host-", "__secure-", ".aspxauth", ".aspnetcore."),
        r"(?i:phpsessid|jsessionid|connect\.sid|sessionid|_session|\.aspxauth|\.aspnetcore\.\w{1,30}|__(?:host|secure)-[\w.-]{1,40})"
        r"=(?P<v>[A-Za-z0-9_.%+/~:!-]{16,400}=*)",
        is_random,
        hits=("__Host-session=«{u43}»; x", "x;jsessionid=«{X32}»"),
        misses=("PHPSESSID=abc", "__Host-session=$COOKIE", "create_session=make_a_new_session_now"),
    ),
    Rule(
        "account-pair",
        "twilio",
        tuple(
            f"{before}ac"
            for before in (
                *(f"{call}({quote}" for call in ("client", "twilio", "init", "auth", "auth=") for quote in "\"'"),
                *(f"{before}{quote}" for before in ("-u ", " for ") for quote in ("", '"', "'")),
                "://",
            )
        ),
        r"[^\n]{1,10}?AC[0-9a-f]{32}(?:\\{0,3}[\"']?[ \t]*[,:/|][ \t]*\\{0,3}[\"']?|[ \t]+(?:is|and|with)[ \t]+|[ \t]+)"
        r"(?P<v>[0-9a-f]{32})(?![0-9a-f])",
        hits=('Client("AC{x32}", "«{x32}»")', "-u AC{x32}:«{x32}»"),
        misses=("-u AC{x32}", "for AC{x32}: {x40}"),
    ),
)
