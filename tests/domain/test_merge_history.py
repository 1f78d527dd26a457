"""Random histories over some machines: what is lost, what comes back, and whether the order of merging shows."""

from __future__ import annotations

import os
from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.entry import Entry, answer_date, parse, render, superseded, tidy, unprinted
from libtool.domain.schema import ANSWER, DECIDED, LISTS, OPEN, SESSION, SUPERSEDED
from tests.domain import merge_cases
from tests.domain.histories import History
from tests.domain.merge_cases import ANSWERS, ITEMS, TITLES, entry

STEPS = int(os.environ.get("LIB_TEST_STEPS", "3000"))  # noqa: TID251 - how far the slow walk goes
SEEDS = st.integers(0, 2**32)


def one_edit(base: Entry, random: Random) -> Entry:
    """A version with one thing changed: an item added, removed, replaced or written otherwise; the Answer, recorded or not; the title.

    Not a session's line written otherwise: where another machine removed it, it comes back, and of both spellings the greater stays.
    And not an Answer that stands in Superseded, which neither capture nor `--fix` gives.
    """
    match random.choice(["items", "items", "items", "answer", "record", "title"]):
        case "items":
            section = random.choice(LISTS)
            return _with(base, section, _one_edit(section, list(base.items[section]), random))
        case "title":
            return Entry(random.choice(TITLES), base.answer, base.items)
        case "record":
            base = _with(base, SUPERSEDED, [*base.items[SUPERSEDED], superseded(base.answer)])
    known = set(map(unprinted, base.items[SUPERSEDED]))
    answers = [answer for answer in ANSWERS if unprinted(superseded(answer)) not in known]
    return Entry(base.title, random.choice(answers or [base.answer]), base.items)


def _one_edit(section: str, items: list[str], random: Random) -> list[str]:
    new = random.choice(ITEMS[section])
    match random.choice(["add", "add", "remove", "replace", "respell"]):
        case "add":
            return [*items, new]
        case "replace":
            return [*items[1:], new]
        case "respell" if section != SESSION:
            return [item.replace(" ", "\n", 1) for item in items[:1]] + items[1:]
    return items[1:]


def _with(base: Entry, section: str, items: list[str]) -> Entry:
    """The same with other items in one section, never without a session."""
    kept = tidy(section, items) or (base.items[section] if section == SESSION else ())
    return Entry(base.title, base.answer, base.items | {section: kept})


@given(merge_cases.entries(), SEEDS)
def test_with_one_edit_a_machine_the_order_of_merging_does_not_show(base: Entry, seed: int) -> None:
    random = Random(seed)  # noqa: S311 - not for secrecy
    history = History(render(base))
    first = [history.edit(history.root, render(one_edit(base, random))) for _ in range(4)]
    reached: dict[frozenset[int], bytes | None] = {}
    for _ in range(2):
        heads = list(first)
        while len(set(heads)) > 1:
            taker, giver = random.sample(range(len(heads)), 2)
            heads[taker] = history.merge(heads[taker], heads[giver])
            content = history.content(heads[taker])
            assert reached.setdefault(history.edits(heads[taker]), content) == content


class Told:
    """What a person may rely on: no text is written twice, a new Answer is newer and records the one that it replaces."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.written = 0
        self.added: dict[int, tuple[str, str]] = {}
        """By edit: section and text, of the title and the Answer too."""
        self.removed: dict[int, tuple[str, str]] = {}
        self.history = History(render(entry(self._text("Title"), self._answer(date(2020, 1, 1)))))
        self.added[0] = (ANSWER, parse(self.history.content(self.history.root) or b"").answer)

    def edit(self, head: bytes) -> bytes:
        """Add or remove an item, or write a newer Answer or a greater title."""
        before = parse(self.history.content(head) or b"")
        kind = self.random.choices(("add", "remove", "answer", "title"), (6, 6, 1, 1))[0]
        section = self.random.choice((DECIDED, OPEN, SESSION))
        if kind == "answer":
            answer = self._answer(date.fromisoformat(answer_date(before.answer)))
            after = _with(before, SUPERSEDED, [*before.items[SUPERSEDED], superseded(before.answer)])
            return self._commit(head, Entry(before.title, answer, after.items), (ANSWER, answer))
        if kind == "title":
            title = self._text("Title")
            return self._commit(head, Entry(title, before.answer, before.items), ("", title))
        if kind == "add" or section == SESSION or not before.items[section]:
            item = f"claude-code:{self.written:08d} laptop 2026-10-03" if section == SESSION else self._text("2026-10-03: item")
            self.written += 1
            return self._commit(head, _with(before, section, [*before.items[section], item]), (section, item))
        gone = self.random.choice(before.items[section])
        made = self._commit(head, _with(before, section, [item for item in before.items[section] if item != gone]), None)
        self.removed[self.history.commits[made].number] = (section, gone)
        return made

    def check(self, head: bytes) -> None:
        """A version is told by the edits that led to it, whatever was merged when."""
        now, led = parse(self.history.content(head) or b""), self.history.edits(head)
        gone = {self.removed[edit] for edit in led & self.removed.keys()}
        there = {self.added[edit] for edit in led & self.added.keys()} - gone
        answers = sorted((text for section, text in there if section == ANSWER), key=lambda answer: (answer_date(answer), answer))
        assert now.answer == answers[-1]
        assert now.items[SUPERSEDED] == tidy(SUPERSEDED, map(superseded, answers[:-1]))
        assert now.title == max((text for section, text in there if not section), default="Title 000000")
        for section in (DECIDED, OPEN):
            assert now.items[section] == tidy(section, (text for where, text in there if where == section))
        sessions = {text for where, text in there if where == SESSION}
        assert set(now.items[SESSION]) == sessions | {ITEMS[SESSION][0]}

    def _commit(self, head: bytes, after: Entry, added: tuple[str, str] | None) -> bytes:
        made = self.history.edit(head, render(after))
        if added is not None:
            self.added[self.history.commits[made].number] = added
        return made

    def _text(self, kind: str) -> str:
        self.written += 1
        return f"{kind} {self.written - 1:06d}"

    def _answer(self, replaced: date) -> str:
        """Newer by date and text than the one it replaces, though not than those of other machines."""
        return f"{self._text('Answer')} ({replaced + timedelta(days=self.random.randrange(3))})"


def walk(told: Told, machines: int, steps: int) -> None:
    """Machines that edit, pull, and pull from each other at the same moment (criss-cross); each version is checked."""
    heads = [told.history.root] * machines
    for _ in range(steps):
        one, two = told.random.sample(range(machines), 2)
        match told.random.choice(("edit", "edit", "pull", "cross")):
            case "edit":
                heads[one] = told.edit(heads[one])
            case "pull":
                heads[one] = told.history.merge(heads[one], heads[two])
            case _:
                heads[one], heads[two] = told.history.merge(heads[one], heads[two]), told.history.merge(heads[two], heads[one])
                assert told.history.content(heads[one]) == told.history.content(heads[two])
                told.check(heads[two])
        told.check(heads[one])
    for head in heads:
        heads[0] = told.history.merge(heads[0], head)
        told.check(heads[0])


@given(SEEDS)
def test_a_version_is_told_by_the_edits_that_led_to_it(seed: int) -> None:
    walk(Told(Random(seed)), 3, 25)  # noqa: S311 - not for secrecy


@given(merge_cases.entries(), SEEDS)
def test_whatever_machines_do_their_versions_are_the_same_when_they_have_the_same_history(base: Entry, seed: int) -> None:
    """Anything goes: also deletions of the file, text that comes back, items that differ only in fingerprints."""
    chaos(History(render(base)), Random(seed), 25)  # noqa: S311 - not for secrecy


def chaos(history: History, random: Random, steps: int) -> None:
    """Three machines; what two that pull from each other get is the same, and what nobody removed is there."""
    heads = [history.root] * 3
    for _ in range(steps):
        one, two, _ = random.sample(range(3), 3)
        content = history.content(heads[one])
        match random.choice(("edit", "edit", "delete", "cross", "cross")):
            case "edit":
                heads[one] = history.edit(heads[one], render(one_edit(parse(content) if content else entry(), random)))
            case "delete" if not random.randrange(4):
                heads[one] = history.edit(heads[one], None)
            case _:
                heads[one], heads[two] = history.merge(heads[one], heads[two]), history.merge(heads[two], heads[one])
                assert history.content(heads[one]) == history.content(heads[two])


@pytest.mark.slow
def test_a_long_walk() -> None:
    """Histories of 250 steps, LIB_TEST_STEPS in all."""
    for seed in range(STEPS // 250):
        walk(Told(Random(seed)), 3, 250)  # noqa: S311 - not for secrecy
        chaos(History(render(entry())), Random(seed), 250)  # noqa: S311 - not for secrecy
