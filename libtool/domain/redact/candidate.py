"""Where a value begins and ends, and whether a label of a password or of a token makes it a login."""

# ruff: noqa: RUF001 - full-width punctuation and typographic quotes are what is matched

from __future__ import annotations

import re
from functools import lru_cache

from libtool.domain.lazy import lazy
from libtool.domain.redact.values import LOGIN_WORD, is_id, is_name, is_random, is_wordy, names_login, plausible, strength

_VALUE = lazy(
    r"\$?(?P<q>\\{0,7}[\"'`]|[“”„«「『‘]|<code>)(?P<v1>[^\n]{1,200}?)(?:(?P=q)|[”“»」』’]|</code>)|"
    r"(?P<v2>(?:[^\s\"'`<>,;|&\\“”„«»「」『』，。；、）（]|,(?![\s]|[\w-]+[=:]|$)(?=[^\s\"'])|;(?!\s|[\w ]+=|$)(?=[^\s\"'])|&(?![\w.-]+=|"
    r"(?:amp|quot|apos|lt|gt|#\d{1,3});)|\\(?!\\*[nrtu\"'\n])(?=[^\s])){1,200})"
)
_SYMBOLS = lazy(r"[!#$%&*+=?@^~].*[!#$%&*+=?@^~]")
_TRIM = lazy(r"[.,;:。、]+$|\*\*$")
_MARK = lazy("[!#$%*+?]")
_HASH = lazy("[0-9a-f]{16,}|[0-9A-F]{16,}|[a-z0-9]{7,12}")
_SETTING = lazy(r"[a-z_]\w*=[A-Za-z_][\w.]*")
_LONG = lazy(r"\\{0,7}[\"'`]?(?P<v>[A-Za-z0-9_+/=.~%-]{200,2000}+)")
_CUT = lazy(r"\\{0,7}[\"'`](?P<v>[^\s\"'`<>\\]{3,200})[ \t]{0,8}(?:\r?\n|\Z)")
"""A text, or its line, that ends before the quote does."""
_BALANCE = {")": "(", "]": "[", "}": "{"}
ALONE = lazy(r"[ \t]*(?:$|\r?\n|\\r|\\n|[#;,)\]}|&<\"'`]|//|--)")
PHRASE = lazy(r"[a-z]{3,12}(?:[ -][a-z]{3,12}){3,23}(?=[ \t]*(?:$|\n|\\n|[\"'`.]))")
PROSE = lazy(
    r"\b(?:the|is|are|for|you|your|and|or|with|this|that|not|must|can|will|should|from|have|has|when|use|used|was|please|enter|to|"
    r"of|in|on|at|be|an|it|if|der|die|das|und|les|des|para|que|con)\b"
)


def _bounded(text: str, match: re.Match[str]) -> tuple[int, int, bool]:
    """Start and end of a value without what only closes its sentence, and whether it was quoted."""
    if match["q"] is not None:
        return (*match.span("v1"), True)
    start, end = match.span("v2")
    while end > start and (trim := _TRIM.search(text, start, end)):
        if trim[0] == "." and _SYMBOLS.search(text, start, trim.start()) and ALONE.match(text, end):
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
        cut = _CUT.match(text, at)
        return (*cut.span("v"), True) if cut else None
    start, end, quoted = _bounded(text, match)
    return (start, end, quoted) if end > start else None


@lru_cache(maxsize=2048)
def is_bare_word(value: str) -> bool:
    """A word of its own that may well be a password: not an identifier, not about logins."""
    return value.isalnum() and 4 <= len(value) <= 40 and not LOGIN_WORD.search(value) and not re.search("[a-z][A-Z]", value)


def assigned_password(text: str, start: int, end: int, *, quoted: bool) -> bool:
    """Whether a value that a password label assigns is one: almost anything is."""
    value = text[start:end]
    if not plausible(value) or len(value) < 3:
        return False
    if quoted and " " in value:
        return _phrase(value) or (strength(value.replace(" ", "")) >= 3 and value.count(" ") <= 4 and not PROSE.search(value.lower()))
    if value.isdigit():
        return 4 <= len(value) <= 16
    if is_id(value):
        return _HASH.fullmatch(value) is not None and not value.isalpha()
    if strength(value) >= 2:
        return not names_login(value)
    # A bare word: in quotes, or alone at the end of its line.
    return is_bare_word(value) and (
        quoted or (value.islower() and ALONE.match(text, end) is not None and text[end : end + 1] not in {",", ")"})
    )


def _phrase(value: str) -> bool:
    return PHRASE.fullmatch(value) is not None and not PROSE.search(value)


def said_password(value: str, quoted: bool) -> bool:
    """Whether a value that prose gives after a password word is one: it must look like one."""
    if quoted and " " in value:
        return _phrase(value)
    if not plausible(value) or " " in value or value[0] == "-" or _SETTING.fullmatch(value):
        return False
    return (
        (strength(value) >= 2 and not names_login(value))
        or (quoted and is_bare_word(value) and len(value) >= 6)
        or _phrase(value.replace("-", " "))
    )


def assigned_token(value: str, quoted: bool) -> bool:
    """Whether a value that a token or key label assigns is one."""
    if not plausible(value) or len(value) < 8 or " " in value or value.startswith("--"):
        return False
    if re.fullmatch(r".*abc-?123.*|[^=]+=[^=].*|[\w.+-]+@[\w.-]+", value, re.IGNORECASE):
        return False
    if not value.isdigit() and re.fullmatch("(?:(?:0x)?[0-9a-f]{32,}|[0-9A-F]{32,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", value):
        return True
    if is_wordy(value) or strength(value) < 2 or (is_name(value) and not quoted):
        return False
    return is_random(value) or (
        strength(value) >= 2
        and (any(map(str.isdigit, value)) or (quoted and strength(value) >= 3 and _MARK.search(value) is not None))
        and any(map(str.isalpha, value))
        and (quoted or len(value) >= 10)
        and not re.search(r"[()\[\]{}$]", value)
    )
