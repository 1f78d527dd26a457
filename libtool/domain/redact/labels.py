"""A label, then its value: `db_password: X`, `the password for the NAS is X`, `Passwort: X`, `"apiKey": "X"`, `export X_TOKEN=...`."""

# ruff: noqa: RUF001 - full-width punctuation and typographic quotes are what is matched

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice

from libtool.domain.lazy import lazy
from libtool.domain.redact.candidate import (
    ALONE,
    PHRASE,
    PROSE,
    assigned_password,
    assigned_token,
    is_bare_word,
    said_password,
    value_at,
)
from libtool.domain.redact.guards import JOINED_WORDS, LABEL
from libtool.domain.redact.lazy import by_first_letter
from libtool.domain.redact.rule import Rule, Span
from libtool.domain.redact.signs import ASCII, ASSIGN, EAST, FAR, NEXT, THEN, UNDER, VERB, WORD_NEXT, value_behind
from libtool.domain.redact.values import is_id, is_random, plausible, strength
from libtool.domain.redact.words import FOREIGN_TOKENS, KEY_WORDS, PASSWORD_STEMS, TOKEN_WORDS, WAKING_PASSWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDING = 5
_EASTERN = 0x2E80
"""Letters from here on stand without blanks between words."""


def _inflected(word: str) -> str:
    """A pattern for a word of the table, with the endings that most languages add to it."""
    start = "(?<![a-z])" if word[0].isascii() else ""
    ending = r"[^\W\d_]{0,3}" if len(word) >= _ENDING and ord(word[0]) < 0x500 else ""
    return start + re.escape(word) + ending


def _password_forms() -> Iterator[str]:
    yield r"pass(?:wd|wort|key|[ -]?(?:word|phrase|code))s?"
    yield r"(?<![a-zß-ÿ])(?:pass(?:e|ord(?:et|en)?|wörter)?|pwds?|pws?|psk)"
    yield "(?-i:(?<=[a-z])PWD)"
    yield from map(_inflected, PASSWORD_STEMS)


_PASSWORD = by_first_letter(_password_forms, "(?![a-zéß])")
_JOINED = lazy(rf"(?i:{JOINED_WORDS})$")
_JOINT = lazy(r"(?i:pass|pw|pwd)(?![a-z])")
_CHAIN = lazy(r"(?:^|[^<A-Za-z0-9_/-])[\w-]{0,15}[A-Za-z0-9]:$")
_CAMEL_PASS = lazy(r"(?<=[a-z0-9])P(?:ass|wd|w)(?![a-z])")
_TOKEN = by_first_letter(
    lambda: (
        r"secrets?(?:[_ -]?(?:access)?[_ -]?(?:keys?|id|token))?",
        r"auth[_ -]?key",
        r"auth(?:orization)?[_ -]?tokens?",
        "auth",
        "tokens?",
        "cookies?",
        "cred(?:ential)?s?",
        "keys?",
        *(re.escape(word) + ("" if ord(word[0]) > _EASTERN else r"[^\W\d_]{0,3}") for word in FOREIGN_TOKENS),
    ),
    "(?![a-z])",
)
_QUALIFIED_KEY = lazy(
    r"(?i:api|access|secret|auth|private|priv|encrypt\w*|decrypt\w*|crypto|master|sign\w*|account|shared|service|licen[cs]e|deploy|"
    r"client|subscription|webhook|session|storage|"
    r"admin|app|application|hmac|jwt|aes|ssh|host|consumer|server|write|root|product|activation|recovery|wpa2?|wlan|wifi|wi-fi|"
    r"security|function|anon|role|org\w*|personal|network|mesh|cipher|symmetric|pre-?shared|the old|"
    r"the new|new|old)['’]?s?[_ .-]?$"
)
_ENV_KEY = lazy(r"[A-Z0-9]_$")
_NOT_LABEL_BEFORE = lazy(
    r"(?i:next|page|starting|start|import|export|sequence|amz|change|creation|request|update|(?<!un)lock|task|continuation|continue|"
    r"pagination|cancel(?:l?ation)?|sync|eos|bos|pad|unk|mask|special|idempotency|public|pub|cache|partition|primary|foreign|sort|"
    r"routing|row|"
    r"object|s3|hot|arrow|(?<![a-z])no|max|(?<!ad)min|input|output|total|num|prompt|completion|reasoning|author|known|image|upload|file|translation|"
    r"i18n|react|dict|map|config|field|group|index|"
    r"lookup|unique|candidate|composite|shift|ctrl|enter|design|syntax|host[_ ]?public|query|websocket)[_ -]?$"
)
_NOT_LABEL_BEHIND = lazy(
    r"(?i:[_.-]?(?:file|path|dir|url|uri|endpoint|type|name|count|counts|hash(?:ed|er|es)?|len(?:gth)?|fields?|policy|policies|"
    r"reset|expir\w*|ttl|limits?|max|min|regex|pattern|"
    r"hint|input|label|box|prompt|size|usage|used|budget|rotation|command|cmd|helper|provider|manager|handler|store|strength|"
    r"valid\w*|errors?|ref|env|var|column|age|version|"
    r"format|mode|index|placeholder|required|enabled|match\w*|set|map|list|class|algorithm|kind|source|scopes?|"
    r"permission\w*|lifetime|issuer|audience|changed|updated|created|"
    r"at|on|by|in|is|has|method|service|servlet|form|page|link|button|view|screen|test|tests|ids?|arn|role|through|mgr|cert\w*|block|pem|cryptogram|alias|"
    r"description|desc|title|text|ring|agent|sock|socket|stdin|fd)(?![a-z]))|(?-i:[A-Z][a-z]+){2,}"
)
_SUFFIX = lazy(r"(?:[_.-]?[A-Za-z0-9]{1,40}+){0,4}+")

_REACH = 90
# What no login comes without: cheap to look for, and most labels are followed by words alone.
_DIGIT_NEAR = lazy(r"[^0-9]{0,160}+[0-9]")
_ISSUED_NEAR = lazy(r"[A-Za-z0-9_+/=.~%$!#@?*^-]{14}")
_MARK_NEAR = lazy(r"[^\n0-9!#$%&*+=?@^~-]{0,110}+[0-9!#$%&*+=?@^~-]")
_LOOK = 400
_LINKS = 4
_HEAD = 16
_COLUMNS = lazy(r"[,;|\t]")
_KEY_BEHIND = lazy(r"\\{0,7}[\"'][ \t]*:")
_IDEMPOTENCY = lazy(r"(?i:client|idempotency|job|session)[_ -]?$")
_HEX = lazy("[0-9a-fA-F]+")
_NEXT_SETTING = lazy(r"[A-Za-z]\w{0,20}_\w{1,40}=[^=]")
_DRAWN_NAME = lazy("[a-z]+(?:-[a-z0-9]+)*-[a-z0-9]{5}")
"""A name as Kubernetes draws it."""


def password_label(text: str, start: int) -> int:
    """End of the password label at a trigger, its suffix included; 0 when it is none."""
    match = _PASSWORD(text, start) or _CAMEL_PASS.match(text, start)
    if match is None and (joint := _JOINT.match(text, start)) and _JOINED.search(text, max(0, start - 8), start):
        match = joint
    if match is None or (match[0].isupper() and text[match.end() : match.end() + 1].isupper()):
        return 0
    return _suffixed(text, match.end())


@lru_cache(maxsize=1024)
def _names_other(suffix: str) -> bool:
    """Whether what follows a label makes it the name of something else: `password_file`, `tokenCount`."""
    return any(_NOT_LABEL_BEHIND.match(one) is not None for one in (suffix, "_" + re.split("[_.-]|(?<=[a-z0-9])(?=[A-Z])", suffix)[-1]))


def _suffixed(text: str, end: int) -> int:
    """End of a label with what is joined to it; 0 when that makes it something else."""
    stop = _SUFFIX.match(text, end, end + 40).end()  # type: ignore[union-attr]  # matches the empty string too
    return end if stop == end else 0 if _names_other(text[end:stop]) else stop


def _east(text: str, end: int, *, token: bool = False) -> Iterator[Span]:
    """The value behind a label of a script that sets no blanks between words."""
    match = EAST.match(text, end)
    value = value_at(text, match.end()) if match else None
    if match is None or value is None:
        return
    start, stop, quoted = value
    stop = start + len(ASCII.match(text, start, stop)[0])  # type: ignore[index]  # matches the empty string too
    found = text[start:stop]
    if token:
        is_one = is_random(found) and assigned_token(found, quoted) and not is_id(found)
    elif match[0].strip() in {":", "：", "=", "＝"}:
        is_one = assigned_password(text, start, stop, quoted=quoted)
    else:
        is_one = said_password(found, quoted)
    if is_one:
        yield start, stop


def passwords(text: str, start: int, _end: int) -> Iterator[Span]:
    """The value of a password label at a trigger."""
    if text.startswith("pass\n", start) and text[start - 1 : start] in {" ", "\t"}:
        return  # a statement of Python
    end = password_label(text, start)
    if not end or text[max(0, start - 4) : start].endswith(("--- ", "${")) or _CHAIN.search(text, max(0, start - 18), start):
        return
    if ord(text[end - 1]) > _EASTERN:
        yield from _east(text, end)
        return
    match = _assigning(text, end)
    value = value_behind(text, match) if match else None
    if match and value:
        yield from _assigned(text, start, match, value)
    else:
        yield from _linked(text, start, end)


def _assigning(text: str, end: int) -> re.Match[str] | None:
    """The sign behind a label that assigns it a value."""
    return ASSIGN.match(text, end, end + _LOOK) if WORD_NEXT.match(text, end) is None else None


def _linked(text: str, start: int, end: int) -> Iterator[Span]:
    """The value of a password label that words link to it, or that follows it."""
    # `pass` alone is a verb too, and the result of a test.
    bare = text[start:end].lower() == "pass"
    for link in (UNDER, VERB, NEXT):
        match = link.match(text, end, end + _LOOK)
        if match and (value := value_at(text, match.end())) and _fits(text, start, value[:2], link, quoted=value[2], bare=bare):
            yield value[:2]
            yield from _changed(text, value[1])
            return
    if _MARK_NEAR.match(text, end) is None:
        return
    for match in islice(FAR.finditer(text, end, _reach(text, end)), _LINKS):
        value = value_at(text, match.end())
        if value and _fits(text, start, value[:2], FAR, quoted=value[2], bare=bare):
            yield value[:2]
            return


def _reach(text: str, end: int) -> int:
    """Up to where a label's value may stand on its line."""
    line = text.find("\n", end, end + _REACH)
    return line if line >= 0 else end + _REACH


def _fits(text: str, label: int, value: Span, link: re.Pattern[str], *, quoted: bool, bare: bool) -> bool:
    """Whether a value fits the words that link it to a password label."""
    found = text[value[0] : value[1]]
    if link is UNDER:
        head = text[max(0, text.rfind("\n", 0, label) + 1) : label]
        return (
            len(head) < _HEAD
            and not _COLUMNS.search(head)
            and strength(found) >= 2
            and plausible(found)
            and ALONE.match(text, value[1]) is not None
        )
    if link is NEXT and text[max(0, label - 2) : label] == "--" and is_bare_word(found) and plausible(found):
        return True
    if bare and (strength(found) < 3 if link is FAR else strength(found) < 2 and "-" not in found):
        return False
    return said_password(found, quoted and link is not FAR)


def _assigned(text: str, start: int, sign: re.Match[str], value: tuple[int, int, bool]) -> Iterator[Span]:
    """The value behind a colon, an equals sign or the like, or on the line below it; `start` is that of the label."""
    a, b, quoted = value
    compared = "==" in sign[0] and not quoted
    # The next argument of a call is no value unless it looks like one.
    argument = sign["arg"] is not None and (strength(text[a:b]) < 2 or text[a] == "-")
    if compared or argument or (quoted and _KEY_BEHIND.match(text, b)):
        return
    flag = text[max(0, start - 2) : start] == "--"
    if sign["nl"]:
        if strength(text[a:b]) >= 2 and plausible(text[a:b]) and not _NEXT_SETTING.match(text, a, b) and (quoted or ALONE.match(text, b)):
            yield a, b
    elif assigned_password(text, a, b, quoted=quoted or flag):
        yield a, b
        yield from _changed(text, b)
    elif not quoted and (phrase := PHRASE.match(text, a)) and not PROSE.search(phrase[0]):
        yield phrase.span()


def _changed(text: str, end: int) -> Iterator[Span]:
    """What a password that ends at `end` was changed to: `password = "X" -> "Y"`, `old pass was X, new one Y`."""
    then = THEN.match(text, end)
    new = value_at(text, then.end()) if then else None
    if new and strength(text[new[0] : new[1]]) >= 2 and assigned_password(text, *new[:2], quoted=new[2]):
        yield new[:2]


def tokens(text: str, start: int, _end: int) -> Iterator[Span]:
    """The value of a token, secret or key label at a trigger."""
    match = _TOKEN(text, start)
    if match is None or _DIGIT_NEAR.match(text, start) is None:
        return
    end = _suffixed(text, match.end())
    if not end or _CHAIN.search(text, max(0, start - 18), start):
        return
    if ord(text[end - 1]) > _EASTERN:
        yield from _east(text, end, token=True)
    else:
        yield from _token_behind(text, match, end)


def _token_behind(text: str, label: re.Match[str], end: int) -> Iterator[Span]:
    """What a label that ends at `end` is linked to by a sign or by words."""
    start, stop = label.start(), end + _LOOK
    bare = label[0].lower().startswith(KEY_WORDS)
    flag = text[max(0, start - 2) : start] == "--"
    plain = label[0].lower() == "secret" and end == label.end() and not text[start - 1 : start].isalnum()
    assigned = _assigning(text, end)
    if assigned is None and not plain and _ISSUED_NEAR.search(text, end, end + 2 * _REACH) is None:
        return
    for link in (ASSIGN, VERB, NEXT, FAR):
        said = assigned if link is ASSIGN else link.search(text, end, _reach(text, end)) if link is FAR else link.match(text, end, stop)
        if said is None or (value := value_behind(text, said)) is None:
            continue
        a, b, quoted = value
        quoted = quoted or flag
        if quoted and _KEY_BEHIND.match(text, b):
            return
        if plain and link is NEXT and _DRAWN_NAME.fullmatch(text, a, b):
            return
        if plain and re.search(r"\d", text[a:b]) and said_password(text[a:b], quoted=False):
            yield a, b
            return
        # The value decides first: most are no tokens, and what stands before the label is dear to look at.
        if (
            b - a >= 8
            and assigned_token(text[a:b], quoted)
            and _names_token(text, start, text[a:b], bare, link is ASSIGN and not said["nl"])
        ):
            yield a, b
        if link in {ASSIGN, VERB}:
            return


def _names_token(text: str, start: int, value: str, bare: bool, assigned: bool) -> bool:
    """Whether the label before a value is one of a login (`api_key`, not `cache_key`), and the value fits how it is said."""
    before = text[max(0, start - 24) : start]
    if _NOT_LABEL_BEFORE.search(before):
        return False
    if _IDEMPOTENCY.search(before) and is_id(value):
        return False
    if bare and not _QUALIFIED_KEY.search(before) and not _ENV_KEY.search(before):
        if not assigned and (len(value) < 32 or _HEX.fullmatch(value)):
            return False
        return is_random(value) and len(value) >= 24 and not is_id(value) and strength(value) >= 3
    return assigned or (
        is_random(value) and (not is_id(value) or re.fullmatch("[0-9a-f]{32}|[0-9a-f]{40}|(?:0x)?[0-9a-f]{64}", value) is not None)
    )


RULES = (
    Rule(
        "password-label",
        "pw",
        WAKING_PASSWORDS,
        find=passwords,
        guard=LABEL,
        hits=(
            "db_password: «Tiger{n4}»",
            "the password is «{w5}{n4}»",
            "Passwort: «{w6}_{w5}3»",
            '"password": "«{w9}»"',
            '"password": "«{a12}»',
            "{'db_password': '«{w9}»\n",
            "password:\n«{a14}»",
            "密码：«{a12}»",
            "--password «{a12}»",
            'password = "«{w6}{n4}»" -> "«{w5}{n3}»"',
            "password: «{w6}{n4}» -> x",
            "password%3D«{w6}{n4}»%26user%3Dbob",
            "user%5Bpassword%5D=«{w6}{n4}»&commit=1",
            "&quot;password&quot;:&quot;«{w6}{n4}»&quot;",
            'let password = String::from("«{w6}{n4}»");',
            'variable "db_pass" {\n  default = "«{w6}{n4}»"\n}',
            "DBPassword:\n  Type: String\n  Default: «{w6}{n4}»\n",
            '"password": {\n  "value": "«{w6}{n4}»"\n}',
            "password: |\n  «{w6}_{w5}{n2}»\n",
            "passwort ist «{w6}{n4}»",
            "pass phrase: «{w6}-{w5}-{w4}-{w6}»",
            "p/w: «{w6}{n4}»",
        ),
        misses=(
            "password: string",
            "the password is incorrect",
            "password = user.password",
            "password: $PW",
            '"password": "$PW',
            '"password": "string',
            '"password": "see the wiki',
            "def f(password: str)",
            "password%3D%26user%3Dbob",
            "we renamed it to userPassword2FA for the password check",
            "passed: 4127",
        ),
    ),
    Rule(
        "token-label",
        "token",
        TOKEN_WORDS,
        find=tokens,
        guard=LABEL,
        hits=(
            "API_KEY=«{a32}»",
            'client_secret: "«{a24}»"',
            "the token is «{a40}»",
            'setItem("token", "«{a40}»")',
            "der API-Schlüssel ist «{a32}»",
            "APIキーは «{a32}» です",
            "--token «{l6}.{l16}»",
            "wallet private key «0x{x64}»",
        ),
        misses=(
            "token: 4168",
            "next_token: {a40}",
            "key: value",
            "cache_key={x40}",
            "token = jwt.encode(payload)",
            "APIキーは 設定 です",
            "キー abc123",
            "Sec-WebSocket-Key: {B22}==",
            "token: --bg-{x6}",
        ),
    ),
)
