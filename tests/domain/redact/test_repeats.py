"""Text that repeats itself: the same findings, and never more than linear work."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libtool.domain.redact import Redactor, engine, repeats, triggers
from libtool.domain.redact.groups import GROUPS
from libtool.domain.redact.rule import Rule, Span, example

KEY = bytes(32)
SAMPLES = [example(hit)[0] for rules in GROUPS.values() for rule in rules for hit in rule.hits]
LITERALS = sorted({literal for rules in GROUPS.values() for rule in rules for literal in rule.triggers})
BEHIND = ("", " ", " a:", " is ", ": ", "\n")


@given(st.lists(st.sampled_from([*SAMPLES, "password ", "login: ", "x\n"]), min_size=1, max_size=3), st.integers(1, 8))
@settings(max_examples=60)
def test_the_findings_are_the_same(pieces: list[str], times: int) -> None:
    text = ("".join(pieces) + " ") * times + "password is " * 40 + "".join(pieces)
    plain = Redactor(KEY).scan(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine, "is_dense", lambda _text, _hits: True)
        patch.setattr(repeats, "REMEMBERED", 50)
        assert Redactor(KEY).scan(text) == plain


def test_the_same_stretch_is_asked_about_once() -> None:
    asked: list[int] = []

    def find(_text: str, start: int, end: int) -> list[Span]:
        asked.append(start)
        return [(start, end)]

    text = "pw=x " * 400
    rule = Rule("x", "pw", ("pw",), find=lambda text, start, end: iter(find(text, start, end)))
    said = repeats.Repeats(text)
    for start in range(0, len(text), 5):
        assert said.spans(0, rule, start, start + 2) == ([(start, start + 2)], start + 2)
    assert len(asked) < 400 * 5 // 5 // 2 + 5
    assert triggers.is_dense(text * 2, range(1000))
    assert not triggers.is_dense(text, range(100))


def test_a_rule_that_looks_far_is_asked_each_time() -> None:
    text = "## Logins\n- a: bob / x\n" * 100
    asked: list[int] = []

    def find(_text: str, start: int, _end: int) -> list[Span]:
        asked.append(start)
        return []

    said = repeats.Repeats(text)
    for far in ("lines", "always"):
        rule = Rule("x", "pw", ("pw",), find=lambda text, start, end: iter(find(text, start, end)), far=far)
        for start in range(0, len(text), 23):
            said.spans(0, rule, start, start + 2)
    assert len(asked) == 200


def test_what_ends_far_away_is_not_remembered() -> None:
    token = "gh" + "p_" + "aB3dE6gH9j" * 120
    text = (token + " ") * 3
    said = repeats.Repeats(text)
    rule = next(rule for rule in GROUPS["providers"] if rule.name == "github")
    for start in range(0, len(text), len(token) + 1):
        assert said.spans(0, rule, start, start + 4)[0] == [(start, start + len(token))]


def cost(text: str) -> float:
    start = time.process_time()
    Redactor(KEY).redact(text)
    return time.process_time() - start


@pytest.mark.slow
@pytest.mark.parametrize("behind", BEHIND)
def test_no_literal_repeated_on_one_line_is_dear(behind: str) -> None:
    dear = []
    for literal in LITERALS:
        unit = literal + behind
        spent = cost(unit * (12_000 // len(unit))) / 12_000
        if spent > 12e-6 and cost(unit * (96_000 // len(unit))) / 96_000 > 8e-6:
            dear.append((literal, spent * 1e6))
    # Microseconds a character, that is seconds a megabyte; four times what it takes on a quiet machine.
    assert dear == []


@pytest.mark.parametrize("unit", ["curl -u a:", "password is ", "login: ", "pwd", "://a:x", "root / "])
def test_doubling_the_text_doubles_the_work(unit: str) -> None:
    small, large = (min(cost(unit * (size // len(unit))) for _ in range(2)) for size in (40_000, 320_000))
    assert large < 20 * small + 0.05


@pytest.mark.parametrize("unit", ["curl -u a:", "password ", "pw: ", "token: ", "password is "])
def test_what_repeats_is_asked_about_no_more_often_in_more_text(unit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    spans = Rule.spans

    def counted(rule: Rule, text: str, start: int, end: int) -> tuple[list[tuple[int, int]], int]:
        asked.append(rule.name)
        return spans(rule, text, start, end)

    monkeypatch.setattr(Rule, "spans", counted)
    work = []
    for size in (40_000, 80_000):
        asked.clear()
        Redactor(KEY).redact(unit * (size // len(unit)))
        work.append(len(asked))
    assert work[0] == work[1] < 1000
