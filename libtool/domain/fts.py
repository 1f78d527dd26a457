"""What the FTS5 index is fed: the columns of a chunk, CJK as bigrams, identifiers with their parts.

FTS5's `unicode61` splits at `_`, `.`, `/` and `-`, so snake_case, kebab-case and paths come apart by themselves; camelCase does not, and a
run of Han, Kana or Hangul characters would be one word.
"""

from __future__ import annotations

from libtool.domain.body import ASSISTANT_CODES, USER_CODES
from libtool.domain.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

CJK = (
    "\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufa6d\ufa70-\ufad9"
)
"""Letters only, for a character class: FTS5 would split a pair with a full stop or a middle dot in it."""
_CJK_RUN = lazy(f"[{CJK}]+")
_NO_CJK = bytes(code for code in range(256) if not 0xE3 <= code <= 0xEF)
"""Bytes that begin no character of CJK in UTF-8, as those of dashes, arrows and accents: dropping them is as fast as memory."""
_CASES = bytes(65 if 65 <= code <= 90 else 97 if 97 <= code <= 122 or 48 <= code <= 57 else 32 for code in range(256))
"""Bytes by case: `A` for capitals, `a` for small letters and digits, blank for all else."""
_LONGEST_NAME = 80
_REMEMBERED = 1 << 14
"""Identifiers of which the parts are remembered, at most."""
_CAMEL_PART = lazy(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
MONTHS = "January February March April May June July August September October November December".split()


def bigrams(text: str) -> str:
    """Each CJK run as overlapping pairs of characters, separated by spaces; other text as it is."""
    if text.isascii() or not text.encode("utf-8", "surrogatepass").translate(None, _NO_CJK):
        return text
    return _CJK_RUN.sub(_pairs, text)


def _pairs(match: re.Match[str]) -> str:
    run = match.group()
    if len(run) == 1:
        return f" {run} "
    return " " + " ".join(run[at : at + 2] for at in range(len(run) - 1)) + " "


def camel_words(text: str) -> list[str]:
    """The ASCII words of a text that have a capital after a small letter or digit, in order."""
    data = text.encode("utf-8", "replace")
    cases = data.translate(_CASES)
    words: list[str] = []
    # Finding two bytes in a row is as fast as memory; a pattern over all words is not.
    at = cases.find(b"aA")
    while at >= 0:
        start = cases.rfind(b" ", 0, at) + 1
        end = cases.find(b" ", at)
        end = len(cases) if end < 0 else end
        if end - start <= _LONGEST_NAME:
            words.append(data[start:end].decode("ascii"))
        at = cases.find(b"aA", end)
    return words


def camel_parts(word: str) -> list[str]:
    """The parts of a camelCase word: `parseHTTPHeader2` gives parse, HTTP, Header, 2."""
    return _CAMEL_PART.findall(word)


class _Parted(dict[str, str]):
    """The parts of camelCase words, apart. The same few thousand identifiers come again and again."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _REMEMBERED:
            self.clear()
        self[word] = parted = " ".join(camel_parts(word))
        return parted


_PARTED = _Parted()


def columns(segments: Iterable[tuple[str, int, str]], time: str, words: str) -> tuple[str, str, str, str]:
    """The FTS5 columns (user, assistant, tool, ids) of a chunk's (code, turn, text) segments.

    Pure, since deleting a row from a contentless index needs exactly the values that were inserted.
    """
    user: list[str] = []
    assistant: list[str] = []
    tool: list[str] = []
    for code, _, text in segments:
        (user if code in USER_CODES else assistant if code in ASSISTANT_CODES else tool).append(text)
    texts = ["\n".join(group) for group in (user, assistant, tool)]
    camel = dict.fromkeys(camel_words("\n".join(texts)))
    ids = " ".join([date_words(time), words, *map(_PARTED.__getitem__, camel)])
    return bigrams(texts[0]), bigrams(texts[1]), bigrams(texts[2]), bigrams(ids)


def date_words(time: str) -> str:
    """`2026-10-03T…` as words that a question may hold: `2026-10-03 October`; empty when there is no date."""
    month = time[5:7]
    return f"{time[:10]} {MONTHS[int(month) - 1]}" if month.isdecimal() and 1 <= int(month) <= len(MONTHS) else ""
