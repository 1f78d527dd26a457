"""The generated table of triggers holds what the rules say; `pytest --update-golden` writes it anew after a rule has changed."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from libtool.domain.redact import guards, table, wakes
from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.rule import Rule, example

HEAD = '''"""What wakes each rule, so that no rule is loaded before its time: name, guard (in `guards`), literals; in the order of `groups`.

Generated from the rules: `pytest tests/domain/redact/test_wakes.py --update-golden`.
"""
# fmt: off
# ruff: noqa: E501

from __future__ import annotations

'''
NAMES = {id(value): name for name, value in vars(guards).items() if name.isupper()}
RULES = [rule for rules in GROUPS.values() for rule in rules]


def quoted(text: str) -> str:
    return "'" + repr('"' + text)[2:] if '"' in text else '"' + repr("'" + text)[2:]


def written() -> str:
    groups = "".join(f"    ({quoted(group)}, {len(rules)}),\n" for group, rules in GROUPS.items())
    rows = "".join(
        f"    ({quoted(rule.name)}, {quoted(NAMES[id(rule.guard)] if rule.guard else '')}, "
        f"({', '.join(map(quoted, rule.triggers))}{',' * (len(rule.triggers) == 1)})),\n"
        for rule in RULES
    )
    return f"{HEAD}GROUPS = (\n{groups})\nWAKES: tuple[tuple[str, str, tuple[str, ...]], ...] = (\n{rows})\n"


def test_the_generated_table_is_that_of_the_rules(update_golden: bool) -> None:
    if update_golden:
        with open(wakes.__file__, "w", encoding="utf-8") as file:
            file.write(written())
    with open(wakes.__file__, encoding="utf-8") as file:
        assert file.read() == written()
    assert tuple((group, len(rules)) for group, rules in GROUPS.items()) == wakes.GROUPS
    assert [wake[2] for wake in wakes.WAKES] == [rule.triggers for rule in RULES]


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
