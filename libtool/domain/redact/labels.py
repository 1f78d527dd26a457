"""A label, then its value: `db_password: X`, `the password for the NAS is X`, `Passwort: X`, `"apiKey": "X"`, `export X_TOKEN=...`."""

# ruff: noqa: RUF001 - full-width punctuation and typographic quotes are what is matched

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

from libtool.domain.redact.rule import Rule, Span
from libtool.domain.redact.values import LOGIN_WORD, is_id, is_name, is_random, is_wordy, plausible, strength
from libtool.domain.redact.words import PASSWORD_STEMS, TOKEN_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

_ENDING = 5


def _inflected(word: str) -> str:
    """A pattern for a word of the table, with the endings that most languages add to it."""
    start = "(?<![a-z])" if word[0].isascii() else ""
    ending = r"[^\W\d_]{0,3}" if len(word) >= _ENDING and ord(word[0]) < 0x500 else ""
    return start + re.escape(word) + ending


_PASSWORD = re.compile(
    r"(?i:pass(?:word|wd|phrase|code|wort)s?|(?<![a-zß-ÿ])(?:pass(?:e|ord(?:et|en)?|wörter)?|pwds?|pws?|psk)|(?<=[a-z])PWD|"
    + "|".join(map(_inflected, PASSWORD_STEMS))
    + r")(?![a-zéß])"
)
_JOINED = re.compile(
    r"(?i:store|key|user|db|root|admin|ssh|ftp|smtp|my|sql|new|old|ldap|bind|login|auth|app|server|wifi|web|mail|imap|http|proxy|"
    r"vault|trust|pg)$"
)
_JOINT = re.compile(r"(?i:pass|pw|pwd)(?![a-z])")
_CHAIN = re.compile(r"[A-Za-z0-9]:$")
_CAMEL_PASS = re.compile(r"(?<=[a-z0-9])P(?:ass|wd|w)(?![a-z])")
_TOKEN = re.compile(
    r"(?i:secrets?(?:[_ -]?(?:access)?[_ -]?(?:keys?|id|token))?|(?:auth(?:orization)?|access|refresh|api|bearer|bot|session|id|"
    r"deploy|personal|app|user|admin|service)?[_ -]?tokens?|"
    r"auth[_ -]?key|auth|(?:session[_ -]?)?cookies?|cred(?:ential)?s?|clé|schlüssel|令牌|トークン|토큰|токен|ключ|"
    r"keys?)(?![a-z])"
)
_QUALIFIED_KEY = re.compile(
    r"(?i:api|access|secret|auth|private|priv|encrypt\w*|decrypt\w*|crypto|master|sign\w*|account|shared|service|licen[cs]e|deploy|"
    r"client|subscription|webhook|session|storage|"
    r"admin|app|application|hmac|jwt|aes|ssh|host|consumer|server|write|root|product|activation|recovery|wpa2?|wlan|wifi|wi-fi|"
    r"security|function|anon|role|org\w*|personal|the old|"
    r"the new|new|old)['’]?s?[_ .-]?$"
)
_ENV_KEY = re.compile(r"[A-Z0-9]_$")
_NOT_LABEL_BEFORE = re.compile(
    r"(?i:next|page|starting|start|import|export|sequence|amz|change|creation|request|update|lock|task|continuation|continue|"
    r"pagination|cancel(?:l?ation)?|sync|eos|bos|pad|unk|mask|special|idempotency|public|pub|cache|partition|primary|foreign|sort|"
    r"routing|row|"
    r"object|s3|hot|arrow|no|max|min|input|output|total|num|prompt|completion|reasoning|author|known|image|upload|file|translation|"
    r"i18n|react|dict|map|config|field|group|index|"
    r"lookup|unique|candidate|composite|shift|ctrl|enter|design|syntax|host[_ ]?public|query)[_ -]?$"
)
_NOT_LABEL_BEHIND = re.compile(
    r"(?i:[_.-]?(?:file|path|dir|url|uri|endpoint|type|name|count|counts|hash(?:ed|er|es)?|len(?:gth)?|fields?|policy|policies|"
    r"reset|expir\w*|ttl|limits?|max|min|regex|pattern|"
    r"hint|input|label|box|prompt|size|usage|used|budget|rotation|command|cmd|helper|provider|manager|handler|store|strength|"
    r"valid\w*|errors?|ref|env|var|column|age|version|"
    r"format|mode|index|placeholder|required|enabled|confirm\w*|match\w*|set|map|list|class|algorithm|kind|source|scopes?|"
    r"permission\w*|lifetime|issuer|audience|changed|updated|created|"
    r"at|on|by|in|is|has|method|service|servlet|form|page|link|button|view|screen|test|tests|ids?|arn|role|through|mgr|cert\w*|block|pem|cryptogram|alias|"
    r"description|desc|title|text|ring|agent|sock|socket)(?![a-z]))|(?-i:[A-Z][a-z]+){2,}"
)
_SUFFIX = re.compile(r"(?:[_.-]?[A-Za-z0-9]{1,40}+){0,4}+")

_CLOSE = r"(?:\\{0,7}[\"'`*_\])}”»」』]|</?(?:b|strong|code|td|th|em|i|dt|label|span)>|[ \t]?[(（\[][^()\n\[\]]{0,40}[)）\]])*"
_OPEN = r"[*_]{0,3}[ \t]*(?:!!str[ \t]+)?"
_QUOTE_NEXT = r"(?=\\{0,7}[\"'])"
_SIGNS = "|".join(
    (
        r"(?:[ \t]+[\w:-]{1,30}=\"[^\"<>\n]{0,40}\"){1,4}>",  # <password type="plain">X
        rf":[ \t]*[\w.<>\[\]|?]{{1,30}}[ \t]*=[ \t]*{_QUOTE_NEXT}",  # password: String = "X"
        r":=|=>|--?>|→|⇒|[:=：＝]{1,3}|\?=|\+=",
        r">(?=[^\s<>]+</)",  # <password>X</password>
    )
)
_ARGUMENT = "|".join(
    (
        rf"[\"']\s*,\s*(?:[\"']?(?i:value|default)[\"']?\s*[:=]\s*)?{_QUOTE_NEXT}",  # define('PW', 'X'), "name": "PW", "value": "X"
        rf"(?<=[\"'])\s*,?\s*(?i:value|content)\s*=\s*{_QUOTE_NEXT}",  # key="PW" value="X"
        r"[\"']?[ \t]*\r?\n[ \t-]*[\"']?(?i:value)[\"']?[ \t]*[:=](?=[ \t])",  # - name: PW / value: X
    )
)
_BELOW = r"(?P<nl>(?:\\?[ \t]*(?:\r?\n|\\r\\n|\\n)){1,3}[ \t>]*)?(?:[-*•] )?"
_ASSIGN = re.compile(rf"{_CLOSE}[ \t]*(?:{_SIGNS}|(?P<arg>{_ARGUMENT})){_OPEN}{_BELOW}{_OPEN}")
_VERBS = (
    r"is|was|are|be|becomes|now|to|as|ist|lautet|lauten|war|sind|est|sont|es|son|era|c'est|war|blir|fue|é|è|são|jest|to|brzmi|je|är|er|on|olan|"
    r"adalah|ialah|là|zijn|"
    r"это|такой|будет|равен|είναι|הוא|היא|هي|هو|है|คือ|este|van|ole|yra|ir"
)
_VERB = re.compile(
    rf"{_CLOSE}(?:[ \t]+|(?=['’]s ))(?:(?:now|still|currently|again|actually|nun|jetzt|ahora)[ \t]+)?(?i:{_VERBS}|"
    rf"['’]s)(?:[ \t]+(?:now|set to|changed to|nun))?[:：]?[ \t]*(?P<nl>\n[ \t\n]{{0,12}})?{_OPEN}"
)
_FAR = re.compile(rf"(?:[ \t](?i:{_VERBS}|from|says|reads|gave|:|=|--?>|→)|[:=])[:：]?[ \t]+{_OPEN}")
_REACH = 90
_LINKS = 4
_UNDER = re.compile(r"[*_`]{0,3}[ \t]*\r?\n[ \t]*")
_HEAD = 16
_COLUMNS = re.compile(r"[,;|\t]")
_NEXT = re.compile(rf"{_CLOSE}(?:[ \t]+|(?=\|))(?:(?:--?>|[-–—|/]{{1,2}}(?=[ \t\"'`])|\|)[ \t]*)?{_OPEN}")
_EAST = re.compile(r"[ \t]*(?:は|が|を|是|为|為|改为|设为|就是|은|는|이|가|:|：|=|＝)?[ \t]*(?=[\"'`「『“]?[!-~])")
_VALUE = re.compile(
    r"\$?(?P<q>\\{0,7}[\"'`]|[“”„«「『‘]|<code>)(?P<v1>[^\n]{1,200}?)(?:(?P=q)|[”“»」』’]|</code>)|"
    r"(?P<v2>(?:[^\s\"'`<>,;|&\\“”„«»「」『』，。；、）（]|,(?![\s]|[\w-]+[=:]|$)(?=[^\s\"'])|;(?!\s|[\w ]+=|$)(?=[^\s\"'])|&(?![\w.-]+=|"
    r"amp;)|\\(?!\\*[nrtu\"'\n])(?=[^\s])){1,200})"
)
_SYMBOLS = re.compile(r"[!#$%&*+=?@^~].*[!#$%&*+=?@^~]")
_KEY_BEHIND = re.compile(r"\\{0,7}[\"'][ \t]*:")
_IDEMPOTENCY = re.compile(r"(?i:client|idempotency|job|session)[_ -]?$")
_TRIM = re.compile(r"[.,;:。、]+$|\*\*$")
_HASH = re.compile("[0-9a-f]{16,}|[0-9A-F]{16,}|[a-z0-9]{7,12}")
_HEX = re.compile("[0-9a-fA-F]+")
_SETTING = re.compile(r"[a-z_]\w*=[A-Za-z_][\w.]*")
_LONG = re.compile(r"\\{0,7}[\"'`]?(?P<v>[A-Za-z0-9_+/=.~%-]{200,}+)")
_BALANCE = {")": "(", "]": "[", "}": "{"}
_ALONE = re.compile(r"[ \t]*(?:$|\r?\n|\\r|\\n|[#;,)\]}|&<\"'`]|//|--)")
_PHRASE = re.compile(r"[a-z]{3,12}(?:[ -][a-z]{3,12}){3,23}(?=[ \t]*(?:$|\n|\\n|[\"'`.]))")
_PROSE = re.compile(
    r"\b(?:the|is|are|for|you|your|and|or|with|this|that|not|must|can|will|should|from|have|has|when|use|used|was|please|enter|to|"
    r"of|in|on|at|be|an|it|if|der|die|das|und|les|des|para|que|con)\b"
)


def _bounded(text: str, match: re.Match[str]) -> tuple[int, int, bool]:
    """Start and end of a value without what only closes its sentence, and whether it was quoted."""
    if match["q"] is not None:
        return (*match.span("v1"), True)
    start, end = match.span("v2")
    while end > start and (trim := _TRIM.search(text, start, end)):
        if trim[0] == "." and _SYMBOLS.search(text, start, trim.start()) and _ALONE.match(text, end):
            break  # random characters up to the end of the line: the full stop is as likely one of them
        end = trim.start()
    while end > start and text[end - 1] in _BALANCE and _BALANCE[text[end - 1]] not in text[start:end]:
        end -= 1
    return start, end, False


def value_at(text: str, at: int) -> tuple[int, int, bool] | None:
    """The value that begins at `at` (or at the quote there): start, end, quoted; None when there is none on this line."""
    long = _LONG.match(text, at)
    if long is not None:
        return long.start("v"), long.start("v") + len(long["v"].rstrip(".")), True
    match = _VALUE.match(text, at, at + 260)
    if match is None:
        return None
    start, end, quoted = _bounded(text, match)
    return (start, end, quoted) if end > start else None


@lru_cache(maxsize=2048)
def _weak(value: str) -> bool:
    """A word of its own that may well be a password: not an identifier, not about logins."""
    return value.isalnum() and 4 <= len(value) <= 40 and not LOGIN_WORD.search(value) and not re.search("[a-z][A-Z]", value)


def assigned_password(text: str, start: int, end: int, *, quoted: bool) -> bool:
    """Whether a value that a password label assigns is one: almost anything is."""
    value = text[start:end]
    if not plausible(value) or len(value) < 3:
        return False
    if quoted and " " in value:
        return _phrase(value) or (strength(value.replace(" ", "")) >= 3 and value.count(" ") <= 4 and not _PROSE.search(value.lower()))
    if value.isdigit():
        return 4 <= len(value) <= 16
    if is_id(value):
        return _HASH.fullmatch(value) is not None and not value.isalpha()
    if strength(value) >= 2:
        return not (is_wordy(value) and LOGIN_WORD.search(value))
    # A bare word: in quotes, or alone at the end of its line.
    return _weak(value) and (quoted or (value.islower() and _ALONE.match(text, end) is not None and text[end : end + 1] not in {",", ")"}))


def _phrase(value: str) -> bool:
    return _PHRASE.fullmatch(value) is not None and not _PROSE.search(value)


def _said_password(value: str, quoted: bool) -> bool:
    """Whether a value that prose gives after a password word is one: it must look like one."""
    if not plausible(value) or " " in value or value[0] == "-" or _SETTING.fullmatch(value):
        return False
    return (
        (strength(value) >= 2 and not (is_wordy(value) and LOGIN_WORD.search(value)))
        or (quoted and _weak(value) and len(value) >= 6)
        or _phrase(value.replace("-", " "))
    )


def assigned_token(value: str, quoted: bool) -> bool:
    """Whether a value that a token or key label assigns is one."""
    if not plausible(value) or len(value) < 8 or " " in value:
        return False
    if re.fullmatch(r".*abc-?123.*|[^=]+=[^=].*|[\w.+-]+@[\w.-]+", value, re.IGNORECASE):
        return False
    if not value.isdigit() and re.fullmatch("(?:[0-9a-f]{32,}|[0-9A-F]{32,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", value):
        return True
    if is_wordy(value) or strength(value) < 2 or (is_name(value) and not quoted):
        return False
    return is_random(value) or (
        strength(value) >= 2
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
        and (quoted or len(value) >= 10)
        and not re.search(r"[()\[\]{}$]", value)
    )


def _password_label(text: str, start: int) -> int:
    """End of the password label at a trigger, its suffix included; 0 when it is none."""
    match = _PASSWORD.match(text, start) or _CAMEL_PASS.match(text, start)
    if match is None and _JOINED.search(text, max(0, start - 8), start):
        match = _JOINT.match(text, start)
    if match is None or (match[0].isupper() and text[match.end() : match.end() + 1].isupper()):
        return 0
    return _suffixed(text, match.end())


@lru_cache(maxsize=1024)
def _names_other(suffix: str) -> bool:
    """Whether what follows a label makes it the name of something else: `password_file`, `tokenCount`."""
    return _NOT_LABEL_BEHIND.match(suffix) is not None or _NOT_LABEL_BEHIND.search("_" + re.split("[_.-]", suffix)[-1]) is not None


def _suffixed(text: str, end: int) -> int:
    """End of a label with what is joined to it; 0 when that makes it something else."""
    stop = _SUFFIX.match(text, end, end + 40).end()  # type: ignore[union-attr]  # matches the empty string too
    return end if stop == end else 0 if _names_other(text[end:stop]) else stop


def _east(text: str, end: int) -> Iterator[Span]:
    match = _EAST.match(text, end)
    if match is None:
        return
    value = value_at(text, match.end())
    if value is None:
        return
    start, stop, quoted = value
    ascii_run = re.match("[!-~]+", text[start:stop])
    if ascii_run is None:
        return
    stop = start + ascii_run.end()
    assigned = match[0].strip() in {":", "：", "=", "＝"}
    if assigned_password(text, start, stop, quoted=quoted) if assigned else _said_password(text[start:stop], quoted):
        yield start, stop


def passwords(text: str, start: int, _end: int) -> Iterator[Span]:
    """The value of a password label at a trigger."""
    end = _password_label(text, start)
    if not end or text[max(0, start - 4) : start].endswith(("--- ", "${")) or _CHAIN.search(text, max(0, start - 2), start):
        return
    if ord(text[end - 1]) > 0x2E80:
        yield from _east(text, end)
        return
    stop = end + 400
    match = _ASSIGN.match(text, end, stop)
    if match and (value := value_at(text, match.end())):
        strong = strength(text[value[0] : value[1]]) >= 2
        if "==" in match[0] and not value[2]:
            return
        if match["arg"] is None or (strong and text[value[0]] != "-"):
            flag = text[max(0, start - 2) : start] == "--"
            yield from _assigned(text, (*value[:2], value[2] or flag), bool(match["nl"]))
        return
    # `pass` alone is a verb too, and the result of a test.
    bare = text[start:end].lower() == "pass"
    for link in (_UNDER, _VERB, _NEXT):
        match = link.match(text, end, stop)
        if match and (value := value_at(text, match.end())):
            a, b, quoted = value
            if _fits(text, start, (a, b), link, quoted=quoted, bare=bare):
                yield a, b
                return
    for match in islice(_FAR.finditer(text, end, _reach(text, end)), _LINKS):
        value = value_at(text, match.end())
        if value and _fits(text, start, value[:2], _FAR, quoted=value[2], bare=bare):
            yield value[:2]
            return


def _reach(text: str, end: int) -> int:
    """Up to where a label's value may stand on its line."""
    line = text.find("\n", end, end + _REACH)
    return line if line >= 0 else end + _REACH


def _fits(text: str, label: int, value: Span, link: re.Pattern[str], *, quoted: bool, bare: bool) -> bool:
    """Whether a value fits the words that link it to a password label."""
    found = text[value[0] : value[1]]
    if link is _UNDER:
        head = text[max(0, text.rfind("\n", 0, label) + 1) : label]
        return (
            len(head) < _HEAD
            and not _COLUMNS.search(head)
            and strength(found) >= 2
            and plausible(found)
            and _ALONE.match(text, value[1]) is not None
        )
    if link is _NEXT and text[max(0, label - 2) : label] == "--" and _weak(found) and plausible(found):
        return True
    if bare and (strength(found) < 3 if link is _FAR else strength(found) < 2 and "-" not in found):
        return False
    return _said_password(found, quoted and link is not _FAR)


def _assigned(text: str, value: tuple[int, int, bool], below: bool) -> Iterator[Span]:
    """The value behind a colon or equals sign, or on the line below it."""
    a, b, quoted = value
    if quoted and _KEY_BEHIND.match(text, b):
        return
    if below:
        if strength(text[a:b]) >= 2 and plausible(text[a:b]) and (quoted or _ALONE.match(text, b)):
            yield a, b
    elif assigned_password(text, a, b, quoted=quoted):
        yield a, b
    elif not quoted and (phrase := _PHRASE.match(text, a)) and not _PROSE.search(phrase[0]):
        yield phrase.span()


def tokens(text: str, start: int, _end: int) -> Iterator[Span]:
    """The value of a token, secret or key label at a trigger."""
    match = _TOKEN.match(text, start)
    end = _suffixed(text, match.end()) if match else 0
    if match is None or not end or _CHAIN.search(text, max(0, start - 2), start):
        return
    stop = end + 400
    bare = match[0].lower() in {"key", "keys"}
    plain = match[0].lower() == "secret" and end == match.end() and not text[start - 1 : start].isalnum()
    for link in (_ASSIGN, _VERB, _NEXT, _FAR):
        said = link.search(text, end, _reach(text, end)) if link is _FAR else link.match(text, end, stop)
        if said is None or (value := value_at(text, said.end())) is None:
            continue
        a, b, quoted = value
        if quoted and _KEY_BEHIND.match(text, b):
            return
        if plain and re.search(r"\d", text[a:b]) and _said_password(text[a:b], quoted=False):
            yield a, b
            return
        # The value decides first: most are no tokens, and what stands before the label is dear to look at.
        if (
            b - a >= 8
            and assigned_token(text[a:b], quoted)
            and _names_token(text, start, text[a:b], bare, link is _ASSIGN and not said["nl"])
        ):
            yield a, b
        if link in {_ASSIGN, _VERB}:
            return


def _names_token(text: str, start: int, value: str, bare: bool, assigned: bool) -> bool:
    """Whether the label before a value is one of a login (`api_key`, not `cache_key`), and the value fits how it is said."""
    before = text[max(0, start - 24) : start]
    if before.endswith(":") and assigned:
        return False
    if _NOT_LABEL_BEFORE.search(before):
        return False
    if _IDEMPOTENCY.search(before) and is_id(value):
        return False
    if bare and not _QUALIFIED_KEY.search(before) and not _ENV_KEY.search(before):
        if not assigned and (len(value) < 32 or _HEX.fullmatch(value)):
            return False
        return is_random(value) and len(value) >= 24 and not is_id(value) and strength(value) >= 3
    return assigned or (
        is_random(value) and (not is_id(value) or re.fullmatch("[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}", value) is not None)
    )


RULES = (
    Rule(
        "password-label",
        "pw",
        tuple(word.lower() if word.isascii() else word for word in PASSWORD_STEMS),
        find=passwords,
        hits=(
            "db_password: «Tiger{n4}»",
            "the password is «{w5}{n4}»",
            "Passwort: «{w6}_{w5}3»",
            '"password": "«{w9}»"',
            "password:\n«{a14}»",
            "密码：«{a12}»",
            "--password «{a12}»",
        ),
        misses=(
            "password: string",
            "the password is incorrect",
            "password = user.password",
            "password: $PW",
            "def f(password: str)",
            "passed: 4127",
        ),
    ),
    Rule(
        "token-label",
        "token",
        TOKEN_WORDS,
        find=tokens,
        hits=("API_KEY=«{a32}»", 'client_secret: "«{a24}»"', "the token is «{a40}»", 'setItem("token", "«{a40}»")'),
        misses=("token: 4168", "next_token: {a40}", "key: value", "cache_key={x40}", "token = jwt.encode(payload)"),
    ),
)
