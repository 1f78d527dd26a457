"""Every row of the rule table against its own examples, with the whole engine around it."""

from __future__ import annotations

import re

import pytest

from libtool.domain.redact import Redactor
from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.places import PLACEHOLDER
from libtool.domain.redact.rule import Rule, example
from libtool.domain.redact.triggers import Triggers, ascii_first

RULES = [rule for rules in GROUPS.values() for rule in rules]
KEY = bytes(range(32))


def alone(rule: Rule, text: str) -> set[tuple[int, int]]:
    """What one rule finds by itself."""
    return {span for _, start, end in Triggers(ascii_first(rule.triggers)).hits(text) for span in rule.spans(text, start, end)[0]}


@pytest.mark.parametrize(
    ("rule", "template"), [(rule, hit) for rule in RULES for hit in rule.hits], ids=lambda value: getattr(value, "name", "")
)
def test_a_hit_is_found_by_its_rule_and_covered_by_the_engine(rule: Rule, template: str) -> None:
    text, expected = example(template)
    assert expected
    assert alone(rule, text) >= set(expected), text
    found = [(one.start, one.end) for one in Redactor(KEY).scan(text)]
    assert found == expected, [text[a:b] for a, b in found]


@pytest.mark.parametrize(
    ("rule", "template"), [(rule, miss) for rule in RULES for miss in rule.misses], ids=lambda value: getattr(value, "name", "")
)
def test_a_miss_is_left_alone(rule: Rule, template: str) -> None:
    text, _ = example(template)
    assert alone(rule, text) == set()
    assert Redactor(KEY).redact(text) is text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_row_is_complete(rule: Rule) -> None:
    assert rule.hits
    assert rule.misses
    assert rule.triggers
    assert all(literal == literal.lower() or not literal.isascii() for literal in rule.triggers)
    assert re.fullmatch("[a-z][a-z0-9-]{0,11}", rule.kind)
    assert PLACEHOLDER.fullmatch(f"[REDACTED:{rule.kind}-0123456789ab]")
    assert (rule.find is None) == bool(rule.pattern)


def test_names_are_unique() -> None:
    names = [rule.name for rule in RULES]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_no_rule_matches_a_placeholder(rule: Rule) -> None:
    for template in rule.hits:
        text = Redactor(KEY).redact(example(template)[0])
        assert PLACEHOLDER.search(text)
        assert Redactor(KEY).scan(text) == []
