"""The generated table of triggers holds what the rules say; `pytest --update-golden` writes it anew after a rule has changed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING
from unicodedata import east_asian_width

import pytest

from libtool.domain.redact import guards, table, wakes
from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.rule import Rule, example
from libtool.domain.redact.triggers import ascii_first

if TYPE_CHECKING:
    from collections.abc import Iterable

HEAD = '''"""What wakes each rule, so that no rule is loaded before its time. A rule's number is its place in `groups`.

Generated from the rules: `pytest tests/domain/redact/test_wakes.py --update-golden`.
"""
# fmt: off

from __future__ import annotations

GROUPS = (
{groups}
)
"""Each group, and how many rules it has."""
GUARDS = (
{guards}
)
"""The name (in `guards`) of each rule's guard; empty where it has none."""
WAKES: tuple[tuple[str, tuple[int, ...]], ...] = (
{wakes}
)
"""Each literal, and the rules that it wakes."""
'''
NAMES = {id(value): name for name, value in vars(guards).items() if name.isupper()}
RULES = [rule for rules in GROUPS.values() for rule in rules]
WOKEN = {literal: tuple(i for i, rule in enumerate(RULES) if literal in rule.triggers) for rule in RULES for literal in rule.triggers}
WAKES = tuple((literal, WOKEN[literal]) for literal in ascii_first(WOKEN))


def quoted(value: object) -> str:
    """As `repr`, in the quotes that ruff wants."""
    if isinstance(value, tuple):
        return f"({', '.join(map(quoted, value))}{',' * (len(value) == 1)})"
    return (
        json.dumps(value, ensure_ascii=False)
        if isinstance(value, str) and "'" not in repr(value)[1:-1] and '"' not in value
        else repr(value)
    )


def _width(line: str) -> int:
    """Columns that a line takes up: the letters of some scripts are twice as wide."""
    return sum(1 + (east_asian_width(one) in "WF") for one in line)


def filled(values: Iterable[object]) -> str:
    """Values as lines of code, as many on each as it holds."""
    lines = [""]
    for value in map(quoted, values):
        if _width(lines[-1]) + _width(value) > 120:
            lines.append("")
        lines[-1] += f" {value}," if lines[-1] else f"    {value},"
    return "\n".join(lines)


def written() -> str:
    return HEAD.format(
        groups=filled((group, len(rules)) for group, rules in GROUPS.items()),
        guards=filled(NAMES[id(rule.guard)] if rule.guard else "" for rule in RULES),
        wakes=filled(WAKES),
    )


def test_the_generated_table_is_that_of_the_rules(update_golden: bool) -> None:
    if update_golden:
        with open(wakes.__file__, "w", encoding="utf-8") as file:
            file.write(written())
    with open(wakes.__file__, encoding="utf-8") as file:
        assert file.read() == written()
    assert tuple((group, len(rules)) for group, rules in GROUPS.items()) == wakes.GROUPS
    assert wakes.WAKES == WAKES


@pytest.mark.parametrize("index", range(len(RULES)), ids=lambda index: RULES[index].name)
def test_a_rule_is_loaded_by_its_number(index: int) -> None:
    assert table.rule_of(index) is RULES[index]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_guard_is_the_same_for_each_literal(rule: Rule) -> None:
    for literal in rule.triggers:
        mine = guards.at(rule.guard, literal)
        for text in (
            *(example(hit)[0] for hit in rule.hits),
            *(f"{literal}{rest}" for rest in ("", "s", "word", "ed", "key", "1: X", "é")),
        ):
            at = text.lower().find(literal)
            for shown in (text, f"a{text}", f"xKEY{text.upper()}", f"_{text}"):
                at = shown.lower().find(literal)
                if at >= 0:
                    whole = rule.guard is None or rule.guard.match(shown, at) is not None
                    assert whole == (mine is None or mine.match(shown, at) is not None), shown


def test_no_group_is_loaded_for_a_text_without_triggers() -> None:
    code = (
        "import sys; from libtool.domain.redact import Redactor; Redactor(bytes(32)).scan('We moved the build to another host.\\n' * 9);"
        "print(*sorted(name.rpartition('.')[2] for name in sys.modules if 'redact' in name))"
    )
    folder = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(wakes.__file__))))
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=folder)
    assert set(done.stdout.split()).isdisjoint({*GROUPS, "groups", "known", "candidate", "values", "words", "shape"})
