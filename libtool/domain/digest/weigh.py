"""How much a sentence is worth: the weight of the terms that no chosen sentence has yet, for each byte it takes.

What a sentence is by itself counts in three steps, FAVOURED, as it is, SECOND, and LITTLE for what leads to something else; none is set
finer, because a step more or less of any of them is within the noise of what can be measured.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from libtool.domain import condense
from libtool.domain.digest.sentences import HEADING, INTENT, INTRO
from libtool.domain.digest.terms import terms

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from libtool.domain.digest.collect import Candidate

FAVOURED, SECOND, LITTLE = 1.2, 0.8, 0.4
ROLES = {
    condense.ANSWER: FAVOURED,
    condense.HUMAN: FAVOURED,
    condense.PLAN: SECOND,
    condense.CALL: SECOND,
    condense.TASK: SECOND,
    condense.SUMMARY: LITTLE,
}
"""The person's words are favoured; what was meant to be done, and the message of a commit, which tells again what was told before, come
second; what a sub-agent reported, or a compaction retold, is little beside what the model itself says came of it."""
_LEADING = frozenset({HEADING, INTRO, INTENT})
SEEN_ONCE, BASE, OF_ACTED = 0.4, 2.0, 0.6
MOST_COUNTED = 10
"""How often a term counts at most: what stands in more sentences is the session's subject, or a word of the language."""
OVERHEAD, BY_LENGTH = 12, 0.75
ROOM = 12
"""About how many turns a digest can tell something of."""
_TOLD = frozenset(
    "added removed replaced fixed moved changed updated created renamed extracted implemented introduced dropped switched wrote built "
    "resolved refactored merged split converted kept decided chose committed caused failed "
    "hinzugefügt entfernt ersetzt behoben geändert ajouté supprimé remplacé corrigé añadido eliminado corregido "
    "修复 修正 添加 追加 删除 削除 完成 完了".split()
)
"""Words of what was done, or came of it."""


class Weigher:
    """The worth of a pool's candidates given what is chosen already.

    `cite` is what it takes to open a turn, in bytes. It counts only where there are more than ROOM turns: else each is to be told.
    """

    def __init__(self, pool: Sequence[Candidate], counts: Mapping[str, int], acted: Mapping[str, int], *, cite: int = 0) -> None:
        self._turns = [one.turn for one in pool]
        self._cite = cite if len(set(self._turns)) > ROOM else 0
        self._cited: set[int] = set()
        """Turns that a chosen sentence comes from: their cite is paid for."""
        self._terms = [terms(one.text) for one in pool]
        self._roles = _roles(pool, self._terms)
        self._lengths = [len(one.text.encode("utf-8", "replace")) + OVERHEAD for one in pool]
        self._abouts = [one.about for one in pool]
        self._opened: set[str] = set()
        """The files that a chosen sentence is about: their names are paid for."""
        self._bare = [" " not in one.text for one in pool]
        """A mere name: said once, it says nothing more."""
        self._named = {about: terms(about) for about in set(self._abouts)}
        self._worth: dict[str, float] = {}
        for found in (*self._terms, *self._named.values()):
            for term in found:
                if term not in self._worth:
                    self._worth[term] = math.log(BASE + min(counts.get(term, 0), MOST_COUNTED) + OF_ACTED * acted.get(term, 0))
        self._seen: dict[str, int] = {}
        self._taken: list[Mapping[str, float]] = []

    def gain(self, at: int) -> float:
        """What the candidate at this place would add, for each byte."""
        seen, worth = self._seen, self._worth
        once = 0.0 if self._bare[at] else SEEN_ONCE
        total = 0.0
        for term, weight in self._terms[at].items():
            if term not in seen:
                total += weight * worth[term]
            elif seen[term] < 2:
                total += weight * worth[term] * once
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


def _roles(pool: Sequence[Candidate], found: Sequence[Mapping[str, float]]) -> list[float]:
    """What each candidate counts for by who said it, how and when: what is said last in a turn, and late, says what came of it."""
    closing = {one.turn: one.message for one in pool if one.code == condense.ASSISTANT}
    begun, span = pool[0].message, max(pool[-1].message - pool[0].message, 1)
    roles = []
    for one, its in zip(pool, found, strict=True):
        role = ROLES.get(one.code, 1.0)
        if one.code == condense.ASSISTANT and closing[one.turn] == one.message:
            role = FAVOURED
        # What a person announces is an order.
        if one.kind in _LEADING and not (one.kind == INTENT and one.code in (condense.HUMAN, condense.ANSWER)):
            role *= LITTLE
        if not _TOLD.isdisjoint(its):
            role *= FAVOURED
        if one.text.endswith("?"):
            role *= LITTLE
        roles.append(role * (SECOND + (FAVOURED - SECOND) * (one.message - begun) / span))
    return roles


def static_order(pool: Sequence[Candidate], counts: Mapping[str, int], acted: Mapping[str, int]) -> list[int]:
    """The places of all candidates, the worthiest first, with nothing chosen; of equals the later one."""
    weigher = Weigher(pool, counts, acted)
    return sorted(range(len(pool)), key=lambda at: (-weigher.gain(at), -at))
