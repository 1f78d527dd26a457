"""Text as an eye reads it: full-width letters as ASCII, and without invisible characters inside words; with the way back."""

# ruff: noqa: RUF001 - full-width letters are what is matched

from __future__ import annotations

import bisect

from libtool.domain.lazy import lazy

_INVISIBLE = "\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff"
_ANY = lazy(f"[{_INVISIBLE}０-９Ａ-Ｚａ-ｚ]")
_HIDDEN = lazy(rf"[{_INVISIBLE}](?<=[!-~].)[{_INVISIBLE}]*+(?=[!-~])")
"""Inside a word; the looking back stands behind the first character, so that the search for that one is quick."""
_WIDE = lazy("[０-９Ａ-Ｚａ-ｚ]")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


class Folded:
    """A folded text, and where each of its characters stands in the text it came from.

    `behind` are the places in it, in order, before which something was left out, and `longer` is how much up to each, 0 first.
    """

    def __init__(self, text: str, behind: list[int], longer: list[int]) -> None:
        self.text = text
        self._behind = behind
        self._longer = longer

    def back(self, start: int, end: int) -> tuple[int, int]:
        """A span of the folded text as one of the original."""
        return start + self._longer[bisect.bisect(self._behind, start)], end + self._longer[bisect.bisect(self._behind, end - 1)]


def may_fold(text: str) -> bool:
    """Whether folding may change a text."""
    return not text.isascii() and _ANY.search(text) is not None


def fold(text: str) -> Folded | None:
    """The text folded; None where that changes nothing."""
    if _ANY.search(text) is None:
        return None
    kept, behind, longer, at = [], list[int](), [0], 0
    for hidden in _HIDDEN.finditer(text):
        kept.append(text[at : hidden.start()])
        behind.append(hidden.start() - longer[-1])
        longer.append(longer[-1] + hidden.end() - hidden.start())
        at = hidden.end()
    wide = _WIDE.search(text) is not None
    if not wide and not kept:
        return None
    folded = "".join((*kept, text[at:]))
    return Folded(folded.translate(_NARROW) if wide else folded, behind, longer)
