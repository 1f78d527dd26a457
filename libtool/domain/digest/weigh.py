"""How much a sentence is worth: the weight of the terms that no chosen sentence has yet, for each byte it takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from libtool.domain import condense
from libtool.domain.digest.sentences import HEADING
from libtool.domain.digest.terms import is_name, terms
from libtool.domain.lazy import pattern

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from libtool.domain.digest.collect import Candidate

ROLES = {
    condense.ANSWER: 1.4,
    condense.HUMAN: 1.3,
    condense.SUMMARY: 1.1,
    condense.ASSISTANT: 0.9,
    condense.PLAN: 0.8,
    condense.TASK: 0.3,
}
"""What a sentence counts for by who said it: the person's own decisions first, what a program asked a sub-agent last."""
CLOSING = 1.1
"""The last message of a turn says what came of it."""
OF_HEADING, OF_CHECK = 0.7, 0.7
SEEN_ONCE, BASE, OF_ACTED, COMMON, OF_COMMON = 0.4, 2.0, 0.6, 0.2, 0.3
OVERHEAD, BY_LENGTH = 12, 0.9
_CHECK = pattern(r"\b(?:verif|ensure|make sure|regressions?\b)")


class Weigher:
    """The worth of a pool's candidates given what is chosen already."""

    def __init__(self, pool: Sequence[Candidate], counts: Mapping[str, int], acted: Mapping[str, int]) -> None:
        self._terms = [terms(one.text) for one in pool]
        self._roles = _roles(pool)
        self._sizes = [(len(one.text.encode("utf-8", "replace")) + OVERHEAD) ** BY_LENGTH for one in pool]
        self._bare = [" " not in one.text for one in pool]
        """A mere name: said once, it says nothing more."""
        self._worth: dict[str, float] = {}
        many = COMMON * len(pool)
        for found in self._terms:
            for term, weight in found.items():
                if term not in self._worth:
                    count = counts.get(term, 0)
                    worth = math.log(BASE + count + OF_ACTED * acted.get(term, 0))
                    # A word in every fifth sentence is the session's subject or a word of the language: it tells no sentence from another.
                    self._worth[term] = worth * (OF_COMMON if count > many and not is_name(weight) else 1.0)
        self._seen: dict[str, int] = {}
        self._holding: dict[str, list[int]] = {}
        for at, found in enumerate(self._terms):
            for term in found:
                self._holding.setdefault(term, []).append(at)

    def gain(self, at: int) -> float:
        """What the candidate at this place would add, for each byte."""
        seen, worth = self._seen, self._worth
        once = 0.0 if self._bare[at] else SEEN_ONCE
        total = 0.0
        for term, weight in self._terms[at].items():
            times = seen.get(term, 0)
            if times < 2:
                total += weight * worth[term] * (once if times else 1.0)
        return float(total * self._roles[at] / self._sizes[at])

    def take(self, at: int) -> set[int]:
        """Count this candidate as chosen; the places of those whose gain has changed by it."""
        changed: set[int] = set()
        for term in self._terms[at]:
            self._seen[term] = self._seen.get(term, 0) + 1
            changed.update(self._holding[term])
        return changed

    def shares_a_name(self, at: int, other: int) -> bool:
        """Whether two candidates speak of one named thing."""
        one, two = self._terms[at], self._terms[other]
        return any(is_name(weight) and term in two for term, weight in one.items())


def _roles(pool: Sequence[Candidate]) -> list[float]:
    closing: dict[int, int] = {}
    for one in pool:
        if one.code == condense.ASSISTANT:
            closing[one.turn] = one.segment
    roles = []
    for one in pool:
        role = ROLES[one.code]
        if one.code == condense.ASSISTANT and closing[one.turn] == one.segment:
            role *= CLOSING
        if one.kind == HEADING:
            role *= OF_HEADING
        if _CHECK.search(one.text.lower()):
            role *= OF_CHECK
        roles.append(role)
    return roles


def static_order(pool: Sequence[Candidate], counts: Mapping[str, int], acted: Mapping[str, int]) -> list[int]:
    """The places of all candidates, the worthiest first, with nothing chosen; of equals the later one."""
    weigher = Weigher(pool, counts, acted)
    return sorted(range(len(pool)), key=lambda at: (-weigher.gain(at), -at))
