"""Text as an eye reads it: full-width letters as ASCII, and without invisible characters inside words; with the way back."""

# ruff: noqa: RUF001 - full-width letters are what is matched

from __future__ import annotations

from libtool.domain.redact.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_INVISIBLE = "\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff"
_ANY = lazy(f"[{_INVISIBLE}０-９Ａ-Ｚａ-ｚ]")
_HIDDEN = lazy(rf"(?<=[!-~])[{_INVISIBLE}]+(?=[!-~])")
_WIDE = lazy("[０-９Ａ-Ｚａ-ｚ]")
_NARROW = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}


class Folded:
    """A folded text, and where each of its characters stands in the text it came from."""

    def __init__(self, text: str, places: Sequence[int]) -> None:
        self.text = text
        self.places = places

    def back(self, start: int, end: int) -> tuple[int, int]:
        """A span of the folded text as one of the original."""
        return self.places[start], self.places[end - 1] + 1


def may_fold(text: str) -> bool:
    """Whether folding may change a text."""
    return not text.isascii() and _ANY.search(text) is not None


def fold(text: str) -> Folded | None:
    """The text folded; None where that changes nothing."""
    if _ANY.search(text) is None:
        return None
    wide = _WIDE.search(text) is not None
    places: Sequence[int] = range(len(text))
    folded = text
    if _HIDDEN.search(text):
        kept, at, kept_places = [], 0, list[int]()
        for match in _HIDDEN.finditer(text):
            kept.append(text[at : match.start()])
            kept_places += range(at, match.start())
            at = match.end()
        kept.append(text[at:])
        kept_places += range(at, len(text))
        places = kept_places
        folded = "".join(kept)
    elif not wide:
        return None
    return Folded(folded.translate(_NARROW) if wide else folded, places)
