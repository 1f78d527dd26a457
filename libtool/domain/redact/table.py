"""All rules in one table, with the automaton of their triggers."""

from __future__ import annotations

from functools import lru_cache

from libtool.domain.redact import blocks, codes, commands, fallback, labels, pairs, providers, tables, urls, wording
from libtool.domain.redact.json_value import VALUES
from libtool.domain.redact.triggers import Triggers, ascii_first

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from libtool.domain.redact.rule import Rule

    Woken = tuple[tuple[re.Pattern[str] | None, list[tuple[int, Rule]]], ...]
    """The rules that one literal wakes, with their numbers, by the guard that they share."""

GROUPS: dict[str, tuple[Rule, ...]] = {
    "providers": providers.RULES,
    "blocks": blocks.RULES,
    "urls": urls.RULES,
    "commands": commands.RULES,
    "codes": codes.RULES,
    "labels": labels.RULES,
    "pairs": pairs.RULES,
    "tables": tables.RULES,
    "wording": wording.RULES,
    "fallback": fallback.RULES,
}
"""All rules, by the module that holds them, most specific first: the first rule names a span that several found."""

ISSUED = len(providers.RULES)
"""Rules up to here are those of providers."""
_REMEMBERED = 50_000


@lru_cache(maxsize=1)
def table() -> tuple[Triggers, tuple[Woken, ...], tuple[tuple[Rule, str], ...], int]:
    """The automaton, what each literal wakes, all rules with their groups, and the index where the fallback begins."""
    rules = tuple((rule, group) for group, members in GROUPS.items() for rule in members)
    literals = ascii_first(literal for rule, _ in rules for literal in rule.triggers)
    by_literal: dict[str, dict[re.Pattern[str] | None, list[tuple[int, Rule]]]] = {literal: {} for literal in literals}
    for index, (rule, _) in enumerate(rules):
        for literal in rule.triggers:
            by_literal[literal].setdefault(rule.guard, []).append((index, rule))
    late = next(index for index, (_, group) in enumerate(rules) if group == "fallback")
    return Triggers(literals), tuple(tuple(guarded.items()) for guarded in by_literal.values()), rules, late


class Labels(dict[str, bool]):
    """Keys and whether they may be labels: remembered, since every key of every record is asked for."""

    def __init__(self, triggers: Triggers, by_literal: tuple[Woken, ...]) -> None:
        self._triggers = triggers
        self._by_literal = by_literal

    def __missing__(self, key: str) -> bool:
        shown = key + '":'
        is_one = key in VALUES or any(
            index >= ISSUED
            for literal, start, _ in self._triggers.hits(shown)
            for guard, rules in self._by_literal[literal]
            if guard is None or guard.match(shown, start)
            for index, _ in rules
        )
        if len(self) < _REMEMBERED:
            self[key] = is_one
        return is_one
