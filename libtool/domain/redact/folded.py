"""Text as an eye reads it: full-width letters as ASCII, and without invisible characters inside words; with the way back."""

# ruff: noqa: RUF001 - full-width letters are what is matched

from __future__ import annotations

import re
from typing import NamedTuple

_INVISIBLE = "\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff"
_ANY = re.compile(f"[{_INVISIBLE}０-９Ａ-Ｚａ-ｚ]")
_HIDDEN = re.compile(rf"(?<=[!-~])[{_INVISIBLE}]+(?=[!-~])")
_WIDE = re.compile("[０-９Ａ-Ｚａ-ｚ]")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


class Folded(NamedTuple):
    """A folded text, and where each of its characters stands in the text it came from."""

    text: str
    places: list[int] | range

    def back(self, start: int, end: int) -> tuple[int, int]:
        """A span of the folded text as one of the original."""
        return self.places[start], self.places[end - 1] + 1


def fold(text: str) -> Folded | None:
    """The text folded; None where that changes nothing."""
    if _ANY.search(text) is None:
        return None
    wide = _WIDE.search(text) is not None
    places: list[int] | range = range(len(text))
    folded = text
    if _HIDDEN.search(text):
        kept, at = [], 0
        places = []
        for match in _HIDDEN.finditer(text):
            kept.append(text[at : match.start()])
            places += range(at, match.start())
            at = match.end()
        kept.append(text[at:])
        places += range(at, len(text))
        folded = "".join(kept)
    elif not wide:
        return None
    return Folded(folded.translate(_NARROW) if wide else folded, places)
