"""How much a sentence is worth: the weight of the terms that no chosen sentence has yet, for each byte it takes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from libtool.domain import condense
from libtool.domain.digest.sentences import HEADING, INTENT, INTRO
from libtool.domain.digest.terms import is_name, terms

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
CLOSING = 1.05
"""The last message of a turn says what came of it."""
OF_KIND = {HEADING: 0.7, INTENT: 0.3, INTRO: 0.5}
OF_CHECK = 0.85
SEEN_ONCE, BASE, OF_ACTED, COMMON, OF_COMMON = 0.4, 2.0, 0.6, 0.2, 0.3
OVERHEAD, BY_LENGTH = 12, 0.75
MANY, MANY_CLOSING, OLDEST, NEWEST = 6, 1.6, 0.7, 1.3
"""In a session of more turns than MANY its story is told: what each of a few turns came to, and the newest state. A turn is then opened
only for what is worth its cite too; its closing message, and what is newer, weighs more."""
_CHECKS = ("verif", "ensure", "make sure", "regression")


class Weigher:
    """The worth of a pool's candidates given what is chosen already."""

    def __init__(self, pool: Sequence[Candidate], counts: Mapping[str, int], acted: Mapping[str, int], *, cite: int = 0) -> None:
        self._turns = [one.turn for one in pool]
        self._cite = cite if len(set(self._turns)) > MANY else 0
        self._cited: set[int] = set()
        """Turns that a chosen sentence comes from: their cite is paid for."""
        self._terms = [terms(one.text) for one in pool]
        self._roles = _roles(pool)
        self._lengths = [len(one.text.encode("utf-8", "replace")) + OVERHEAD for one in pool]
        self._abouts = [one.about for one in pool]
        self._opened: set[str] = set()
        """The files that a chosen sentence is about: their names are paid for."""
        self._bare = [" " not in one.text for one in pool]
        """A mere name: said once, it says nothing more."""
        self._worth: dict[str, float] = {}
        many = COMMON * len(pool)
        for found in (*self._terms, *map(terms, set(self._abouts))):
            for term, weight in found.items():
                if term not in self._worth:
                    count = counts.get(term, 0)
                    worth = math.log(BASE + count + OF_ACTED * acted.get(term, 0))
                    # A word in every fifth sentence is the session's subject or a word of the language: it tells no sentence from another.
                    self._worth[term] = worth * (OF_COMMON if count > many and not is_name(weight) else 1.0)
        self._seen: dict[str, int] = {}
        self._taken: list[Mapping[str, float]] = []
        self._named = {about: terms(about) for about in set(self._abouts)}

    def gain(self, at: int) -> float:
        """What the candidate at this place would add, for each byte."""
        seen, worth = self._seen, self._worth
        once = 0.0 if self._bare[at] else SEEN_ONCE
        total = 0.0
        for term, weight in self._terms[at].items():
            times = seen.get(term, 0)
            if times < 2:
                total += weight * worth[term] * (once if times else 1.0)
        length = self._lengths[at]
        about = self._abouts[at]
        if self._turns[at] not in self._cited:
            length += self._cite
        if about and about not in self._opened:
            length += len(about) + 2
            total += sum(weight * worth[term] for term, weight in self._named[about].items() if term not in seen)
        return float(total * self._roles[at] / length**BY_LENGTH)

    def take(self, at: int) -> list[int]:
        """Count this candidate as chosen; the places of those whose gain may be greater now. That of all others can only be less."""
        raised: list[int] = []
        about, turn = self._abouts[at], self._turns[at]
        found = dict(self._terms[at])
        self._taken.append(self._terms[at])
        if turn not in self._cited:
            self._cited.add(turn)
            raised += [other for other, its in enumerate(self._turns) if its == turn] if self._cite else []
        if about and about not in self._opened:
            self._opened.add(about)
            found |= self._named[about]
            raised += [other for other, its in enumerate(self._abouts) if its == about]
        for term in found:
            self._seen[term] = self._seen.get(term, 0) + 1
        return raised

    def is_like_one(self, at: int, share: float) -> bool:
        """Whether one chosen sentence has so great a share of this one's weight."""
        mine = self._terms[at]
        least = share * sum(mine.values())
        return any(sum(weight for term, weight in mine.items() if term in other) >= least for other in self._taken)


def _roles(pool: Sequence[Candidate]) -> list[float]:
    closing: dict[int, int] = {}
    for one in pool:
        if one.code == condense.ASSISTANT:
            closing[one.turn] = one.message
    turns = sorted({one.turn for one in pool})
    many = len(turns) > MANY
    ages = {turn: OLDEST + (NEWEST - OLDEST) * at / len(turns) if many else 1.0 for at, turn in enumerate(turns)}
    roles = []
    for one in pool:
        role = ROLES[one.code] * ages[one.turn]
        if one.code == condense.ASSISTANT and closing[one.turn] == one.message:
            role *= MANY_CLOSING if many else CLOSING
        if one.kind != INTENT or one.code in (condense.ASSISTANT, condense.PLAN):
            role *= OF_KIND.get(one.kind, 1.0)
        if any(word in one.text for word in _CHECKS):
            role *= OF_CHECK
        roles.append(role)
    return roles


def static_order(pool: Sequence[Candidate], counts: Mapping[str, int], acted: Mapping[str, int]) -> list[int]:
    """The places of all candidates, the worthiest first, with nothing chosen; of equals the later one."""
    weigher = Weigher(pool, counts, acted)
    return sorted(range(len(pool)), key=lambda at: (-weigher.gain(at), -at))
