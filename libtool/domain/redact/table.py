"""All rules by number, with the automaton of their triggers: a rule is loaded when one of its triggers stands in a text."""

from __future__ import annotations

from functools import lru_cache

from libtool.domain.redact import guards
from libtool.domain.redact.triggers import Triggers
from libtool.domain.redact.wakes import GROUPS, GUARDS, WAKES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Sequence

    from libtool.domain.redact.rule import Rule
    from libtool.domain.redact.triggers import Hit

    Woken = Sequence["Wake"]
    """The rules that one literal wakes, apart by the guard that they share."""
    Awake = tuple["Wake", int, int]
    """The rules that a literal wakes at its place, start and end of it."""

FIRST: dict[str, int] = {}
"""The number of each group's first rule."""
for _group, _count in GROUPS:
    FIRST[_group] = sum(count for group, count in GROUPS if group in FIRST)
ISSUED = FIRST["blocks"]
"""Rules up to here are those of providers."""
LATE = FIRST["fallback"]
"""Rules from here on are asked after all others."""
_REMEMBERED = 50_000


@lru_cache(maxsize=len(GUARDS))
def rule_of(index: int) -> Rule:
    """A rule by its number."""
    group = next(group for group in reversed(FIRST) if FIRST[group] <= index)
    rules: tuple[Rule, ...] = __import__(f"libtool.domain.redact.{group}", fromlist=["RULES"]).RULES
    return rules[index - FIRST[group]]


class Wake:
    """Rules that a literal wakes where its guard matches; loaded when it first does."""

    __slots__ = ("indices", "look", "rules")

    def __init__(self, guard: re.Pattern[str] | None) -> None:
        self.look = guard.match if guard is not None else None
        """What matches at the start of the literal where the rules may find anything; None for anywhere."""
        self.indices: list[int] = []
        self.rules: list[tuple[int, Rule]] = []
        """The rules with their numbers, once they are loaded."""

    def load(self) -> list[tuple[int, Rule]]:
        """The rules with their numbers."""
        self.rules = [(index, rule_of(index)) for index in self.indices]
        return self.rules


class ByLiteral(dict[int, "Woken"]):
    """What each literal wakes, by its number; put together when it is first found."""

    def __missing__(self, number: int) -> Woken:
        literal, indices = WAKES[number]
        wakes: dict[re.Pattern[str] | None, Wake] = {}
        for index in indices:
            name = GUARDS[index]
            guard = guards.at(getattr(guards, name), literal) if name else None
            if guard not in wakes:
                wakes[guard] = Wake(guard)
            wakes[guard].indices.append(index)
        self[number] = woken = tuple(wakes.values())
        return woken

    def awake(self, text: str, hits: Iterable[Hit]) -> list[Awake]:
        """The rules that may find anything at the hits of a text, in order; most hits wake none."""
        return [
            (wake, start, end)
            for literal, start, end in hits
            for wake in self[literal]
            if wake.look is None or wake.look(text, start) is not None
        ]


@lru_cache(maxsize=1)
def table() -> tuple[Triggers, ByLiteral]:
    """The automaton, and what each of its literals wakes."""
    return Triggers([literal for literal, _ in WAKES]), ByLiteral()


class Labels(dict[str, bool]):
    """Keys and whether they may be labels: remembered, since every key of every record is asked for."""

    def __init__(self, triggers: Triggers, by_literal: ByLiteral) -> None:
        self._triggers = triggers
        self._by_literal = by_literal

    def __missing__(self, key: str) -> bool:
        from libtool.domain.redact.json_value import VALUES  # noqa: PLC0415 - of no use in plain text

        shown = key + '":'
        is_one = key in VALUES or any(
            index >= ISSUED
            for literal, start, _ in self._triggers.hits(shown)
            for wake in self._by_literal[literal]
            if wake.look is None or wake.look(shown, start)
            for index in wake.indices
        )
        if len(self) < _REMEMBERED:
            self[key] = is_one
        return is_one
