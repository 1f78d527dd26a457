"""How often words of a library would meet by accident: what tells prior work from a coincidence, whatever the library's size.

Strew k words over T tokens, the i-th of them n_i times. By chance, T * k * s^(k-1) * (n_1/T) * ... * (n_k/T) groups of one of each lie
within s tokens, and one in k! of them in a given order: there are k ways to choose which comes first, and s^(k-1) for the others to lie
behind it. Words of real texts cluster, so the limit that a hit must keep below is measured (docs/evaluation.md), not derived.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as AbstractSet

    from libtool.domain.rank import Occurrence

NOWHERE = 1 << 30
_LEAST = 100_000
"""Tokens (500 chunks) below which a library cannot tell how common a word is: what three chats were about stands in all of them."""


class Chance:
    """The frequencies of one query's terms in a library."""

    __slots__ = ("_rates", "_shares", "_tokens")

    def __init__(self, chunks: int, tokens: int, counts: Iterable[int]) -> None:
        """The size of the library, and for each term the chunks that it stands in."""
        self._tokens = tokens
        self._rates = [count / max(tokens, _LEAST) for count in counts]
        self._shares = [count / max(chunks, count, 1) for count in counts]

    def expected(self, needed: AbstractSet[int], length: int, *, ordered: bool = False, subject: Iterable[int] = ()) -> float:
        """The stretches of `length` tokens that hold one of each of the `needed` terms, in the order of the query or in any.

        `subject` are terms that must not stand there, but that the whole document is about: it is one of those that hold them.
        """
        count = len(needed)
        expected: float = self._tokens * float(max(length, count)) ** (count - 1)
        if ordered:
            for number in range(2, count):
                expected /= number
        else:
            expected *= count
        for term in needed:
            expected *= self._rates[term]
        for term in subject:
            expected *= self._shares[term]
        return expected


def spans(found: Sequence[Occurrence], needed: AbstractSet[int]) -> tuple[int, int]:
    """Tokens in the shortest stretch that holds all the needed terms, in any order and in that of their numbers; NOWHERE when none does."""
    places = {term: place for place, term in enumerate(sorted(needed))}
    last: dict[int, int] = {}
    begun = [-NOWHERE] * len(places)
    """Where the nearest row of the first terms up to each of them begins."""
    shortest = in_order = NOWHERE
    for occurrence in found:
        place = places.get(occurrence.term)
        if place is None:
            continue
        at = occurrence.at
        last[place] = at
        if len(last) == len(places):
            shortest = min(shortest, at - min(last.values()) + 1)
        begun[place] = begun[place - 1] if place else at
        if place == len(places) - 1:
            in_order = min(in_order, at - begun[place] + 1)
    return shortest, in_order
