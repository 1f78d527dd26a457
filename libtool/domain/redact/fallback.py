"""The last net: a token of password shape on a line that speaks of a login, whatever the wording between them."""

# ruff: noqa: RUF001 - full-width punctuation is what is matched

from __future__ import annotations

import re
from functools import lru_cache

from libtool.domain.lazy import lazy
from libtool.domain.redact.guards import LABEL
from libtool.domain.redact.lazy import by_first_letter
from libtool.domain.redact.places import OPENING
from libtool.domain.redact.rule import Rule, Span
from libtool.domain.redact.values import LOGIN_WORD, is_random, is_wordy, names_login, plausible, strength
from libtool.domain.redact.words import PASSWORD_STEMS, WAKING_PASSWORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

REACH = 160
"""Characters of the line that are looked at on each side of the word."""
STRIDE = 80
"""Characters behind a word in which a further one changes nothing."""

_FORMS = (
    "pass(?:word|wd|phrase|code|wort)s?",
    "pwds?",
    "pws?",
    "cred(?:ential)?s?",
    "logins?",
    "log(?:ged)? ?in",
    "sign(?:ed)? ?in",
    "unlock",
    "decrypt",
    "encrypted with",
)
_CODE_LINE = lazy(
    r"^\s*(?:let|if|for|while|from|import|return|class|public|private|static|async|await|raise|throw|else|case|type|interface|"
    r"pub)\b[^\n]*(?:[({;=]|:\s*$)|"
    r"[;{}]\s*$|^\s*(?:def|const|var|func|fn|export default|assert|elif|@|#include|<\w+|diff |index |[+-]{3} )\b|"
    r"\w\(.*\)|=>|->|==|!=|&&|\|\||::|\bself\.|\bthis\.|\\\\\"|\"\s*:\s*[\"{\[\d]"
)
_CANDIDATE = lazy(
    r"(?P<q>[\"'`])(?P<v1>[^\s\"'`\\]{6,80})(?P=q)|(?<![^\s(\[:=,;\"'`“「（：“])(?P<v2>[^\s\"'`<>,;()\[\]{}|\\“”「」（）：，。]{6,80})"
)
_WORD = by_first_letter(
    lambda: (
        *(rf"(?<![a-z])(?:{form})(?![a-z])" for form in _FORMS),
        r"(?<=[a-z_-])(?:pass(?:word|wd|phrase)|pwd)(?![a-z])",
        *(re.escape(word) for word in PASSWORD_STEMS if len(word) > 4 or not word.isascii()),
    ),
)
_TRIM = lazy(r"(?<![0-9!?#%*])[.,;:!?)]+$|(?<=[0-9!?#%*])[.,;:)]+$")
_WORD_DIGITS = lazy(
    r"[A-Za-z]{4,14}\d{2,4}[!?#%*$]?|[a-z]{4,12}[._][a-z]{4,12}\d{1,2}|[A-Z][a-z]{3,12}[._-]?[A-Z][a-z]{3,12}\d{1,4}[!?#%*$]?|"
    r"[a-z]{4,12}\d{2,4}[a-z]{4,12}|[A-Za-z]{4,14}[!?$%*]\d{2,4}|"
    r"[A-Z][a-z]{3,14}[_@.]\d{2,4}[!?#%*$]?|[A-Za-z]{4,12}[A-Z]{3,12}\d{1,4}[!?#%*$]"
)


def unlabelled(text: str, start: int, end: int) -> Iterator[Span]:
    """Password-shaped tokens near a login word on the same line; nothing on lines of code."""
    if _WORD(text, start) is None:
        return
    low = text.rfind("\n", max(0, start - REACH), start) + 1 or max(0, start - REACH)
    high = text.find("\n", end, end + REACH + STRIDE)
    high = min(len(text), end + REACH + STRIDE) if high < 0 else high
    # Words that follow soon see nothing that this one does not: each stretch of a line is read a few times at most.
    yield start + STRIDE, start + STRIDE
    code: bool | None = None
    for match in _CANDIDATE.finditer(text, low, high):
        a, b = match.span("v1") if match["q"] else match.span("v2")
        if not match["q"] and (trim := _TRIM.search(text, a, b)):
            b = trim.start()
        value = text[a:b]
        if text.startswith(OPENING, b):
            continue  # what was redacted goes on behind it
        if stands_out(value, quoted=bool(match["q"])):
            # Asked for seldom, since it costs most.
            if code is None:
                code = _CODE_LINE.search(text, low, high) is not None
            if code:
                return
            yield a, b


@lru_cache(maxsize=8192)
def stands_out(value: str, *, quoted: bool) -> bool:
    """Whether a token among words is no word, number, name or id: two words of digits and letters are enough near a login word."""
    if names_login(value):
        return False
    if len(value) < 6 or not plausible(value) or LOGIN_WORD.search(value) or not any(map(str.isdigit, value)):
        return strength(value) >= 3 and len(value) >= 10 and not _technical(value) and plausible(value) and not LOGIN_WORD.search(value)
    if _WORD_DIGITS.fullmatch(value):
        return strength(value) >= 2
    return strength(value) >= (2 if quoted else 3) and not is_wordy(value) and not _technical(value)


def is_certain(value: str) -> bool:
    """Whether a token is taken even on a line where a login was found already."""
    return strength(value) >= 3 and _MIXED.search(value) is not None and not _technical(value)


_MIXED = lazy(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)|(?=.*[A-Za-z])(?=.*\d)(?=.*[!#$%^&*?@])")


_TOLD = 256
"""Characters of a value that are judged."""


def _technical(value: str) -> bool:
    """Looks strong, yet is a flag, an option list, a name with a version, a call, a path or an id with a prefix."""
    # What tells stands at the beginning; the patterns try the rest over and over.
    value = value[:_TOLD]
    if re.search(
        r"^(?:[A-Z][a-z]+\d?){3,}$|^[a-z]+(?:\.[a-z0-9]+){2,}$|^[A-Z][a-z]+/\d+$|\*\*|&[\w-]+=|[/\\][\w.-]+[/\\]|^--?\w|^[\w-]+=|[(){}\[\]|"
        r"<>]|@@|^index-|^[a-z]\w*:[a-z]\w*$|^[a-z][a-z0-9]*(?:_[a-z0-9]+){2,}$|^[@#]\w|\.\w{1,5}$|^\w+://|^[A-Z]+-\d+$|^[A-Z]{2,}[_-]?\d+$|::|\$|->|\.\.",
        value,
    ):
        return True
    if re.fullmatch(r"[a-z_][a-z0-9_-]*@[a-z][a-z0-9-]*", value):
        return True
    if re.fullmatch(r"[\w.-]*\d+(?:\.\d+)+[\w.-]*|[A-Za-z]+[-_]?v?\d+(?:[-_.][A-Za-z0-9]+)*|[\d.,x×%+-]+[A-Za-z]{0,4}", value):
        return not (
            is_random(value) or (value[-1].isdigit() and re.fullmatch(r"[A-Z]?[a-z]+[A-Z][a-z]+\d{2,}|[A-Z][a-z]{3,}\d{3,}", value))
        )
    return bool(re.search(r"[a-z]{3,}[/&+:][a-z]{3,}|\w+'\w+", value)) and not re.search(r"\d", value)


RULES = (
    Rule(
        "same-line",
        "pw",
        tuple(
            dict.fromkeys(
                (
                    *WAKING_PASSWORDS,
                    "cred",
                    "login",
                    "log in",
                    "logged in",
                    "sign in",
                    "signed in",
                    "unlock",
                    "decrypt",
                    "encrypted with",
                )
            )
        ),
        find=unlabelled,
        guard=LABEL,
        hits=(
            "after the reset the box wants «{a14}» as password",
            "his passwd on staging, last I checked, reads «{w5}Q!{n3}{w3}»",
            "le mot de passe a été changé en «{w5}Q!{n3}»",
        ),
        misses=(
            "the login was decided in claude-code:3f2a9c1e#52, see entry:auth-rotation2",
            "the password reset was merged in 7f4a1214ab8f18ab2b0169fe0df3d9e1d657f8fc",
            "login failed for user 42",
            "log in as root@web1 first",
            "def login(self, x1): return 'abC9d8e7f6'",
        ),
    ),
)
