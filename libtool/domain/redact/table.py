"""All rules by number, with the automaton of their triggers: a rule is loaded when one of its triggers stands in a text."""

from __future__ import annotations

from functools import lru_cache

from libtool.domain.redact import guards
from libtool.domain.redact.json_value import VALUES
from libtool.domain.redact.triggers import Triggers, ascii_first
from libtool.domain.redact.wakes import GROUPS, WAKES

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

    from libtool.domain.redact.rule import Rule

    Woken = Sequence["Wake"]
    """The rules that one literal wakes, by the guard that they share."""

FIRST: dict[str, int] = {}
"""The number of each group's first rule."""
for _group, _count in GROUPS:
    FIRST[_group] = sum(count for group, count in GROUPS if group in FIRST)
ISSUED = FIRST["blocks"]
"""Rules up to here are those of providers."""
LATE = FIRST["fallback"]
"""Rules from here on are asked after all others."""
_REMEMBERED = 50_000


@lru_cache(maxsize=len(WAKES))
def rule_of(index: int) -> Rule:
    """A rule by its number."""
    group = next(group for group in reversed(FIRST) if FIRST[group] <= index)
    rules: tuple[Rule, ...] = __import__(f"libtool.domain.redact.{group}", fromlist=["RULES"]).RULES
    return rules[index - FIRST[group]]


class Wake:
    """Rules that a literal wakes where `guard` matches; loaded when it first does."""

    __slots__ = ("guard", "indices", "rules")

    def __init__(self, guard: re.Pattern[str] | None) -> None:
        self.guard = guard
        self.indices: list[int] = []
        self.rules: list[tuple[int, Rule]] = []
        """The rules with their numbers, once they are loaded."""

    def load(self) -> list[tuple[int, Rule]]:
        """The rules with their numbers."""
        self.rules = [(index, rule_of(index)) for index in self.indices]
        return self.rules


@lru_cache(maxsize=1)
def table() -> tuple[Triggers, tuple[Woken, ...]]:
    """The automaton, and what each of its literals wakes."""
    literals = ascii_first([literal for _, _, wakes in WAKES for literal in wakes])
    by_literal: dict[str, list[Wake]] = {literal: [] for literal in literals}
    for index, (_, name, wakes) in enumerate(WAKES):
        guard = getattr(guards, name) if name else None
        for literal in wakes:
            mine = guards.at(guard, literal)
            several = by_literal[literal]
            for wake in several:
                if wake.guard is mine:
                    break
            else:
                wake = Wake(mine)
                several.append(wake)
            wake.indices.append(index)
    return Triggers(literals), tuple(by_literal.values())


class Labels(dict[str, bool]):
    """Keys and whether they may be labels: remembered, since every key of every record is asked for."""

    def __init__(self, triggers: Triggers, by_literal: Sequence[Woken]) -> None:
        self._triggers = triggers
        self._by_literal = by_literal

    def __missing__(self, key: str) -> bool:
        shown = key + '":'
        is_one = key in VALUES or any(
            index >= ISSUED
            for literal, start, _ in self._triggers.hits(shown)
            for wake in self._by_literal[literal]
            if wake.guard is None or wake.guard.match(shown, start)
            for index in wake.indices
        )
        if len(self) < _REMEMBERED:
            self[key] = is_one
        return is_one
