from __future__ import annotations

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.entry import Entry, parse, render
from libtool.domain.mend import mend
from libtool.domain.review.block import Block
from libtool.domain.review.entries import Source, apply
from libtool.domain.review.prompt import LIMIT, prompt
from libtool.domain.schema import ANSWER_LIMIT, ITEM_LIMIT, LISTS
from libtool.domain.validate import problems

TODAY = dt.date(2026, 10, 4)
SOURCE = Source("codex", "0199a8f2-1111-2222", "1111-2222", "laptop", "2026-10-03", 9, "acme/kiln@9f3c2d1", "/home/ada/kiln/api", "api/")
TOPICS = {"kiln", "other"}


def entry(old: bytes | None = None, *, source: Source = SOURCE, title: str = "Kiln", **sections: tuple[str, ...]) -> Entry:
    return parse(apply(old, Block("", title, sections), source, "kiln", TOPICS, TODAY).data)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("use X", "2026-10-03: use X (codex:1111-2222#9)"),
        ("2026-09-01: use X (#4)", "2026-09-01: use X (codex:1111-2222#4)"),
        ("**2026-09-01** - use X (turn 4)", "2026-09-01: use X (codex:1111-2222#4)"),
        ("[2026-09-01]: use X (codex:1111-2222#4)", "2026-09-01: use X (codex:1111-2222#4)"),
        ("use X (codex:1111-2222)", "2026-10-03: use X (codex:1111-2222#9)"),
        ("use X (pi:aaaaaaaa#4)", "2026-10-03: use X (pi:aaaaaaaa#4) (codex:1111-2222#9)"),
        ("use X (#99)", "2026-10-03: use X (codex:1111-2222#9)"),
        ("2031-01-01: use X", "2026-10-03: 2031-01-01 use X (codex:1111-2222#9)"),
        ("2026-99-01: use X", "2026-10-03: 2026-99-01 use X (codex:1111-2222#9)"),
    ],
)
def test_items_are_dated_and_cited(text: str, item: str) -> None:
    assert entry(Answer=("Yes.",), Decided=(text,)).items["Decided"] == (item,)


def test_an_unknown_turn_is_believed_and_none_is_left_out() -> None:
    source = SOURCE._replace(turns=0)
    assert entry(source=source, Decided=("a (#4)", "b")).items["Decided"] == ("2026-10-03: b (codex:1111-2222)",)
    assert entry(source=source, Decided=("a (#4)", "b")).answer == "a (2026-10-03)"
    assert entry(source=SOURCE._replace(short=""), Open=("x", "y")).items["Open"] == ("2026-10-03: y",)


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("https://example.org/x", "https://example.org/x"),
        ("the report: https://example.org/x", "[the report](https://example.org/x)"),
        ("https://example.org/x — the [report]", "[the (report)](https://example.org/x)"),
        ("`src/a.py:4-9` reads it", "acme/kiln@9f3c2d1 api/src/a.py#L4-L9 reads it"),
        ("/home/ada/kiln/api/src/a.py#L4", "acme/kiln@9f3c2d1 api/src/a.py#L4"),
        ("a.py", "acme/kiln@9f3c2d1 api/a.py"),
        ("[[other]]", "[[other]]"),
        ("acme/kiln@9f3c2d1 src/a.py", "acme/kiln@9f3c2d1 src/a.py"),
        ('absent acme/kiln@9f3c2d1 "cron"', 'absent acme/kiln@9f3c2d1 "cron"'),
        ("codex:0199a8f2", "codex:0199a8f2"),
    ],
)
def test_pointers_get_their_one_form(text: str, pointer: str) -> None:
    assert entry(Answer=("Yes.",), Pointers=(text,)).items["Pointers"] == (pointer,)


@pytest.mark.parametrize("text", ["/etc/passwd", "the second drawer", "[[no-such-topic]]", "x" * 700, "../up/a.py"])
def test_what_points_nowhere_is_an_item_that_says_where_to_look(text: str) -> None:
    made = entry(Answer=("Yes.",), Pointers=(text,))
    assert made.items["Pointers"] == ()
    assert made.items["Decided"][0].startswith("2026-10-03: see ")


def test_without_a_place_a_path_is_only_told() -> None:
    assert entry(source=SOURCE._replace(place=""), Answer=("Yes.",), Pointers=("src/a.py",)).items["Pointers"] == ()


def test_a_long_answer_ends_at_its_limit_and_goes_on_in_items() -> None:
    sentence = "The kiln keeps what it burns for exactly fifteen minutes. "
    made = entry(Answer=(sentence * 30, "Second paragraph.", "- third"))
    assert len(made.answer) <= ANSWER_LIMIT
    assert "Second paragraph." in "".join(made.items["Decided"])
    assert all(len(item) <= ITEM_LIMIT for item in made.items["Decided"])
    short = entry(Answer=("One.", "- a", "- b", "# Two", "x" * 3000))
    assert short.answer == "One. (2026-10-03)\n\n- a\n- b\n\n\\# Two"


def test_the_answers_own_date_counts_when_it_can() -> None:
    assert entry(Answer=("Yes. (2026-09-01)",)).answer == "Yes. (2026-09-01)"
    assert entry(Answer=("Yes (2031-09-01).",)).answer == "Yes (2026-10-03)"
    assert entry(Answer=("(#3)", "Yes.")).answer == "Yes. (2026-10-03)"


def test_ticked_tasks_are_decided_and_other_headings_open() -> None:
    block = Block("", "Kiln", {"Answer": ("Yes.",), "Open": ("done: a", "b")}, (("Lessons:", ("c",)),))
    made = parse(apply(None, block, SOURCE, "kiln", TOPICS, TODAY).data)
    assert [item.partition(": ")[2].partition(" (")[0] for item in made.items["Decided"]] == ["a"]
    assert [item.partition(": ")[2].partition(" (")[0] for item in made.items["Open"]] == ["Lessons: c", "b"]


def test_titles() -> None:
    assert entry(title="# <b>Kiln</b>", Answer=("a",)).title == "\\<b>Kiln\\</b>"
    assert parse(apply(None, Block("Kiln rules!", "", {"Answer": ("a",)}), SOURCE, "kiln", TOPICS, TODAY).data).title == "Kiln rules!"
    assert parse(apply(None, Block("kiln", "", {"Answer": ("a",)}), SOURCE, "kiln-x", TOPICS, TODAY).data).title == "Kiln x"


def test_an_entry_keeps_its_answer_when_the_block_has_none() -> None:
    first = render(entry(Answer=("Yes.",), Blocker=("the proxy",)))
    second = entry(first, Open=("x",), Superseded=("the proxy",))
    assert second.answer == "Yes. (2026-10-03)"
    assert second.items["Blocker"] == ()
    assert second.items["Superseded"] == ("2026-10-03: the proxy (codex:1111-2222#9)",)
    assert second.items["Session"] == (SOURCE.line,)
    other = SOURCE._replace(sid="ffffffff-9999", short="ffff-9999")
    assert len(entry(render(second), source=other, Open=("y",)).items["Session"]) == 2


def test_an_answer_that_is_said_to_be_superseded_stands_there_once() -> None:
    first = render(entry(Answer=("Old way.",)))
    assert entry(first, Answer=("New way.",), Superseded=("Old way",)).items["Superseded"] == ("2026-10-03: Old way.",)


TEXTS = st.lists(st.text(alphabet=st.sampled_from("abc #<>-`[]()!*_|:.123\u00e9\u7b54"), min_size=1, max_size=80), max_size=4).map(tuple)


@given(st.dictionaries(st.sampled_from(["Answer", *LISTS[:-1]]), TEXTS), st.dictionaries(st.sampled_from(["Answer", *LISTS[:-1]]), TEXTS))
def test_any_blocks_give_right_entries_and_add_nothing_twice(one: dict[str, tuple[str, ...]], two: dict[str, tuple[str, ...]]) -> None:
    data: bytes | None = None
    for sections in (one, two):
        block = Block("", "Kiln", sections)
        data = apply(data, block, SOURCE, "kiln", TOPICS, TODAY).data
        found = [problem for problem in problems(data, "kiln", topics=TOPICS, today=TODAY) if not problem.is_warning]
        assert [problem for problem in found if problem.code != "E301"] == []
        if parse(data).answer:
            assert apply(data, block, SOURCE, "kiln", TOPICS, TODAY).data == data


def test_the_prompt_is_short_and_names_topics_while_there_is_room() -> None:
    assert len(prompt(()).encode()) <= LIMIT
    long = prompt(f"topic-number-{number}" for number in range(1000))
    assert LIMIT - 40 < len(long.encode()) <= LIMIT
    assert prompt(["a", "b"]).endswith("exists if it fits: a, b.\n")


def test_a_session_reviewed_again_has_the_last_word_of_its_own_day() -> None:
    old = None
    for text in ("First.", "Second.", "Third."):
        old = apply(old, Block("", "Kiln", {"Answer": (text,)}), SOURCE._replace(date="2026-10-01"), "kiln", TOPICS, TODAY).data
    assert old is not None
    assert parse(old).answer == "Third. (2026-10-03)"
    assert parse(old).items["Superseded"] == ("2026-10-01: First.", "2026-10-02: Second.")
    older = apply(old, Block("", "Kiln", {"Answer": ("Older.",)}), SOURCE._replace(sid="older-1", date="2026-09-30"), "kiln", TOPICS, TODAY)
    assert not older.answered
    newer = apply(old, Block("", "Kiln", {"Answer": ("Newer.",)}), SOURCE._replace(sid="newer-1", date="2026-10-02"), "kiln", TOPICS, TODAY)
    assert parse(newer.data).answer == "Newer. (2026-10-04)"


def test_a_word_of_the_person_is_not_taken_back_by_an_older_session() -> None:
    old = render(entry(Answer=("First.",), source=SOURCE._replace(date="2026-10-01")))
    by_hand = mend(old.replace(b"First. (2026-10-01)", b"By hand."), topic="kiln", today=TODAY, before=old)
    later = SOURCE._replace(sid="later-1", date="2026-10-02")
    after = parse(apply(by_hand, Block("", "Kiln", {"Answer": ("Later.",)}), later, "kiln", TOPICS, TODAY).data)
    assert after.answer == "By hand. (2026-10-04)"
    assert "2026-10-02: Later." in after.items["Superseded"]


@pytest.mark.parametrize("date", ["9999-12-31", "2026-13-45"])
def test_an_answer_of_no_real_day_is_replaced_too(date: str) -> None:
    old = render(entry(Answer=("First.",))).replace(b"(2026-10-03)", f"({date})".encode())
    assert b"Second." in apply(old, Block("", "Kiln", {"Answer": ("Second.",)}), SOURCE, "kiln", TOPICS, TODAY).data
