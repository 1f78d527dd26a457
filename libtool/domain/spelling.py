"""Which known word a misspelled one means. Known words are stems, as the index holds them."""

from __future__ import annotations

from libtool.domain.porter import stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

LOST = 5
"""Letters that the stemmer may have taken off a word's end and could not when they are misspelled."""
_LONG = 8
"""Letters of a word in which two errors are looked for."""


def closest(word: str, stems: Sequence[str]) -> str | None:
    """The stem that a misspelled word means: the nearest one, of equally near ones the first; None when none is near.

    An error before the ending leaves the word's own stem near the right one. An error inside the ending keeps the stemmer from taking
    it off: then the beginnings of the word are compared. Over the words of real sessions, with one error each, 80 % became the right stem
    and 12 % a wrong one (45 % when beginnings are compared first).
    """
    own = stem(word)
    found = _nearest(stems, lambda known: distances(own, known)[-1], 1 if len(word) < _LONG else 2)
    return found or _nearest(stems, lambda known: min(distances(word, known)[-LOST - 1 :]), 1)


def _nearest(stems: Sequence[str], far_from: Callable[[str], int], far: int) -> str | None:
    edits, at = min(((far_from(known), at) for at, known in enumerate(stems)), default=(far + 1, 0))
    return stems[at] if edits <= far else None


def distances(first: str, second: str) -> list[int]:
    """The edits between `second` and each beginning of `first`, from the empty one to all of it.

    An edit is a letter inserted, left out or replaced, or two neighbours swapped (and not edited again: optimal string alignment).
    """
    rows = [list(range(len(second) + 1))]
    for at, letter in enumerate(first, 1):
        row = [at]
        for to, other in enumerate(second, 1):
            cost = min(rows[-1][to] + 1, row[-1] + 1, rows[-1][to - 1] + (letter != other))
            if at > 1 and to > 1 and letter == second[to - 2] and first[at - 2] == other:
                cost = min(cost, rows[-2][to - 2] + 1)
            row.append(cost)
        rows.append(row)
    return [row[-1] for row in rows]


def typed(known: str) -> str:
    """A word that is stemmed to `known`, which itself may be stemmed further: `databas` is what is left of `database`."""
    return known if stem(known) == known else known + "e"
