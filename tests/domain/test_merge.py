from __future__ import annotations

import time
from datetime import date
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.entry import Entry, answer_date, answer_text, identity, parse, render, superseded, unprinted
from libtool.domain.mend import canonical
from libtool.domain.merge import merge
from libtool.domain.schema import BLOCKER, DECIDED, LISTS, OPEN, SESSION, SUPERSEDED
from libtool.domain.validate import problems
from tests.domain import merge_cases
from tests.domain.histories import resolve, resolve_tree
from tests.domain.merge_cases import ANSWERS, FIRST_KEY, ITEMS, OTHER_KEY, THIRD_KEY, TITLES, written

if TYPE_CHECKING:
    from collections.abc import Sequence

NEWER, OLDER = "Ask the vault. (2026-10-09)", "Ask the owner. (2026-10-06)\n\nHe is in."
SAME_DAY = "Write the owner. (2026-10-06)"
DAY = date(2026, 10, 10)

Versions = tuple[bytes | None, bytes, bytes]


def texts(data: bytes, section: str) -> set[str]:
    return {identity(item) for item in parse(data).items[section]}


@given(merge_cases.versions())
def test_it_does_not_matter_who_merges(versions: Versions) -> None:
    base, ours, theirs = versions
    assert merge(base, ours, theirs) == merge(base, theirs, ours)


@given(merge_cases.versions())
def test_what_is_merged_merges_into_itself(versions: Versions) -> None:
    base, ours, theirs = versions
    done = merge(base, ours, theirs)
    for one, two, three in ((ours, done, ours), (theirs, done, theirs), (base, done, done), (done, done, done), (ours, ours, done)):
        assert merge(one, two, three) == done


@given(merge_cases.versions())
def test_one_side_alone_is_taken_as_it_is(versions: Versions) -> None:
    base, ours, _ = versions
    assert merge(base, ours, ours) == ours
    if base is not None:
        assert merge(base, base, ours) == merge(base, ours, base) == ours


@given(merge_cases.versions())
def test_nothing_is_lost_that_nobody_removed_and_nothing_removed_comes_back(versions: Versions) -> None:
    base, ours, theirs = versions
    done = merge(base, ours, theirs)
    for section in LISTS:
        was = texts(base, section) if base is not None else set()
        one, two, now = texts(ours, section), texts(theirs, section), texts(done, section)
        expected = (one & two) | (one - was) | (two - was)
        if section == SESSION and done not in (ours, theirs):
            expected |= was
        if section == SUPERSEDED:
            expected |= now & {identity(superseded(parse(side).answer)) for side in (ours, theirs)}
        assert now <= expected
        # Of those that are missing there is another in its place, that differs only in fingerprints.
        assert {unprinted(text) for text in expected} == {unprinted(text) for text in now}
        assert all("[REDACTED:" in text for text in expected - now)


@given(merge_cases.versions())
def test_no_answer_is_lost(versions: Versions) -> None:
    base, ours, theirs = versions
    done = parse(merge(base, ours, theirs))
    was = parse(base).answer if base is not None else ""
    said = {(answer_date(answer), answer_text(answer)) for answer in (parse(ours).answer, parse(theirs).answer)}
    new = said - {(answer_date(was), answer_text(was))}
    if new:
        assert (answer_date(done.answer), answer_text(done.answer)) == max(new)
    else:
        assert said == {(answer_date(done.answer), answer_text(done.answer))}
    if len(new) == 2:
        lost = min(new)
        known = {unprinted(identity(item)) for item in (*done.items[SUPERSEDED], *(parse(base).items[SUPERSEDED] if base else ()))}
        assert unprinted(f"{lost[0]}: {lost[1]}") in known


@given(merge_cases.versions())
def test_valid_entries_give_a_valid_entry(versions: Versions) -> None:
    base, ours, theirs = versions
    done = merge(base, ours, theirs)
    found = problems(done, "tokens", topics={"tokens", "other-topic"}, today=DAY)
    assert [problem for problem in found if not problem.is_warning] == []
    assert render(parse(done)) == canonical(done, topic="tokens") == done


def test_an_item_that_both_edited_leaves_both_versions() -> None:
    base, ours, theirs = written(open=["ask her", "stays"]), written(open=["ask him", "stays"]), written(open=["ask them", "stays"])
    assert parse(merge(base, ours, theirs)).items[OPEN] == ("ask him", "ask them", "stays")


def test_items_stand_by_date_then_text_undated_first() -> None:
    ours = written(open=["2026-10-02: b", "zebra"])
    theirs = written(open=["2026-10-02: a", "2026-10-01: c", "ape"])
    assert parse(merge(written(), ours, theirs)).items[OPEN] == ("ape", "zebra", "2026-10-01: c", "2026-10-02: a", "2026-10-02: b")


def test_none_gives_way_to_items_and_comes_when_all_are_removed() -> None:
    assert parse(merge(written(), written(blocker=["no key"]), written(open=["x"]))).items[BLOCKER] == ("no key",)
    both = merge(written(blocker=["a", "b"]), written(blocker=["a"]), written(blocker=["b"]))
    assert parse(both).items[BLOCKER] == ()
    assert b"## Blocker\n\nNone.\n" in both


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        (["keep it all"], ["keep\nit all"], ["keep it all"], "keep\nit all"),
        (["keep it all"], ["keep it all"], ["keep it\nall"], "keep it\nall"),
        (["keep it all"], ["keep\nit all"], ["keep it\nall"], "keep it\nall"),
        ([], ["keep\nit all"], ["keep it\nall"], "keep it\nall"),
    ],
)
def test_the_same_text_in_other_bytes_is_one_item(base: list[str], ours: list[str], theirs: list[str], expected: str) -> None:
    done = merge(written(decided=base), written(decided=ours), written(decided=theirs, title=TITLES[1]))
    assert parse(done).items[DECIDED] == (expected,)


def test_a_removed_item_does_not_come_back_in_other_bytes() -> None:
    assert parse(merge(written(decided=["keep it"]), written(), written(decided=["keep\nit"]))).items[DECIDED] == ()


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ([], [FIRST_KEY], [OTHER_KEY], [OTHER_KEY]),
        ([], [FIRST_KEY, OTHER_KEY], [THIRD_KEY], [FIRST_KEY, THIRD_KEY]),
        ([], [FIRST_KEY, THIRD_KEY], [OTHER_KEY, THIRD_KEY], [OTHER_KEY, THIRD_KEY]),
        ([], [FIRST_KEY, OTHER_KEY, THIRD_KEY], [], [FIRST_KEY, OTHER_KEY, THIRD_KEY]),
        ([FIRST_KEY], [FIRST_KEY], [FIRST_KEY, OTHER_KEY], [FIRST_KEY, OTHER_KEY]),
        ([FIRST_KEY], [OTHER_KEY], [THIRD_KEY], [THIRD_KEY]),
    ],
)
def test_additions_that_differ_only_in_fingerprints_are_one(
    base: list[str], ours: list[str], theirs: list[str], expected: list[str]
) -> None:
    done = merge(written(decided=base), written(decided=ours, title=TITLES[1]), written(decided=theirs, title=TITLES[2]))
    assert parse(done).items[DECIDED] == tuple(expected)


def test_session_only_grows() -> None:
    one, two, three = ITEMS[SESSION]
    done = merge(written(session=[one, two]), written(session=[two, three]), written(session=[two], open=["x"]))
    assert set(parse(done).items[SESSION]) == {one, two, three}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected", "lost"),
    [
        (ANSWERS[0], NEWER, ANSWERS[0], NEWER, ()),
        (ANSWERS[0], ANSWERS[0], NEWER, NEWER, ()),
        (ANSWERS[0], NEWER, NEWER, NEWER, ()),
        (ANSWERS[0], OLDER, NEWER, NEWER, ("2026-10-06: Ask the owner. He is in.",)),
        (ANSWERS[0], NEWER, OLDER, NEWER, ("2026-10-06: Ask the owner. He is in.",)),
        (ANSWERS[0], OLDER, SAME_DAY, SAME_DAY, ("2026-10-06: Ask the owner. He is in.",)),
        (ANSWERS[0], "Undated words.", OLDER, OLDER, ("Undated words.",)),
        (ANSWERS[0], ANSWERS[1], ANSWERS[0], ANSWERS[1], ()),
        (ANSWERS[0], ANSWERS[1], NEWER, NEWER, ()),
        (ANSWERS[0], ANSWERS[0], ANSWERS[1], ANSWERS[1], ()),
        (NEWER, ANSWERS[0], ANSWERS[1], ANSWERS[0], ()),
        (NEWER, ANSWERS[1], ANSWERS[0], ANSWERS[0], ()),
        ("", OLDER, NEWER, NEWER, ("2026-10-06: Ask the owner. He is in.",)),
    ],
)
def test_the_newer_answer_stays_and_the_other_is_superseded(base: str, ours: str, theirs: str, expected: str, lost: Sequence[str]) -> None:
    done = parse(merge(written(answer=base), written(answer=ours, open=["a"]), written(answer=theirs, open=["b"])))
    assert (done.answer, done.items[SUPERSEDED]) == (expected, lost)


def test_an_answer_that_base_has_superseded_is_not_recorded_again() -> None:
    line = "2026-10-06: Ask the owner. He is in."
    done = merge(written(superseded=[line]), written(answer=OLDER), written(answer=NEWER, superseded=[line]))
    assert parse(done).items[SUPERSEDED] == ()


@pytest.mark.parametrize(("ours", "theirs", "expected"), [(1, 0, 1), (0, 2, 2), (1, 2, 2), (2, 1, 2)])
def test_the_heading_is_that_of_the_side_that_changed_it_or_the_greater(ours: int, theirs: int, expected: int) -> None:
    done = merge(written(TITLES[0]), written(TITLES[ours], open=["a"]), written(TITLES[theirs], open=["b"]))
    assert parse(done).title == TITLES[expected]


def test_a_topic_that_both_created_has_what_both_wrote() -> None:
    done = parse(merge(None, written(answer=OLDER, open=["a", "c"]), written(answer=NEWER, open=["b", "c"])))
    assert (done.answer, done.items[OPEN]) == (NEWER, ("a", "b", "c"))
    assert done.items[SUPERSEDED] == ("2026-10-06: Ask the owner. He is in.",)


WORD = st.sampled_from(
    ["alpha", "beta", "# gamma", "## Open", "## Answer", "- delta", "1. eps", "<<<<<<< ours", "=======", ">>>>>>> theirs"]
)
TEXT = st.lists(st.one_of(WORD, st.text(max_size=12), st.sampled_from(["", "```", "~~~", "<!--", "-->", "None."])), max_size=14)
ANY = st.one_of(
    st.binary(max_size=80),
    TEXT.map(lambda lines: "\n".join(lines).encode("utf-8", "surrogatepass")),
    merge_cases.entries().map(render),
    st.tuples(merge_cases.entries().map(render), st.binary(max_size=30), st.integers(0, 400)).map(
        lambda one: one[0][: one[2]] + one[1] + one[0][one[2] :]
    ),
)


@given(st.none() | ANY, ANY, ANY)
def test_any_bytes_merge_by_the_same_laws(base: bytes | None, ours: bytes, theirs: bytes) -> None:
    done = merge(base, ours, theirs, topic="tokens")
    assert done == merge(base, theirs, ours, topic="tokens")
    for one, two, three in ((ours, done, ours), (theirs, done, theirs), (base, done, done)):
        assert merge(one, two, three, topic="tokens") == done
    assert render(parse(done)) == canonical(done, topic="tokens") == done


@given(ANY, ANY)
def test_no_word_of_either_side_is_dropped(ours: bytes, theirs: bytes) -> None:
    """Against an empty base all of both are additions; a title that loses is the one thing that goes."""
    one, two = (parse(canonical(side, topic="tokens")) for side in (ours, theirs))
    done = parse(merge(None, ours, theirs, topic="tokens"))
    for section in LISTS:
        for item in (*one.items[section], *two.items[section]):
            assert unprinted(identity(item)) in {unprinted(identity(kept)) for kept in done.items[section]}
    said = {*answer_text(done.answer).split(), *(word for item in done.items[SUPERSEDED] for word in identity(item).split())}
    assert {*answer_text(one.answer).split(), *answer_text(two.answer).split()} <= said


def test_an_edit_survives_a_deletion() -> None:
    old, new = written(), written(open=["x"])
    assert resolve(old, None, new) == resolve(old, new, None) == new
    assert resolve(old, None, old) is resolve(old, old, None) is resolve(old, None, None) is resolve(None, None, None) is None
    assert resolve(None, None, new) == resolve(None, new, None) == new


def test_what_only_one_side_changed_comes_byte_for_byte() -> None:
    assert resolve(written(), b"# odd\r\n", written()) == resolve(written(), written(), b"# odd\r\n") == b"# odd\r\n"
    assert resolve(written(), b"# odd\r\n", b"# odd\r\n") == b"# odd\r\n"


def test_a_tree_is_merged_entry_by_entry_and_index_md_is_left_out() -> None:
    old, mine, other = written(), written(open=["a"]), written(open=["b"])
    base = {"entries/both.md": old, "entries/mine.md": old, "entries/renamed.md": old, "entries/gone.md": old, "INDEX.md": b"1"}
    ours = {"entries/both.md": mine, "entries/mine.md": mine, "entries/new-name.md": old, "INDEX.md": b"2"}
    theirs = {"entries/both.md": other, "entries/renamed.md": other, "entries/gone.md": old, "INDEX.md": b"3", "README.md": b"4"}
    merged = resolve_tree(base, ours, theirs)
    assert merged == resolve_tree(base, theirs, ours)
    assert merged == {
        "entries/both.md": written(open=["a", "b"]),
        "entries/mine.md": mine,
        "entries/new-name.md": old,
        "entries/renamed.md": other,
    } or merged == {
        "entries/both.md": written(open=["a", "b"]),
        "entries/new-name.md": old,
        "entries/mine.md": mine,
        "entries/renamed.md": other,
    }


def test_a_heading_that_is_missing_comes_from_the_topic() -> None:
    body = written().split(b"\n", 1)[1]
    assert resolve_tree({}, {"entries/token-plan.md": body}, {"entries/token-plan.md": body + b"\n"})["entries/token-plan.md"].startswith(
        b"# "
    )


def large(side: int) -> bytes:
    """An entry of 16 KB."""
    lines = [f"2026-10-{day % 28 + 1:02d}: decision {day} of side {side * (day % 3)}, with a reason of usual length." for day in range(80)]
    return written(decided=lines, measured=lines, open=lines)


@pytest.mark.slow
def test_a_merge_takes_some_milliseconds() -> None:
    base, ours, theirs = large(0), large(1), large(2)
    assert len(ours) > 15_000
    start = time.process_time()
    for _ in range(10):
        merge(base, ours, theirs)
    assert (time.process_time() - start) / 10 < 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit",
    [
        b"- a\n",
        b"* * ",
        b"> > ",
        b"[a](",
        b"`a``",
        b"## Answer\n\nx\n\n",
        b"<!-- ",
        b"<<<<<<< a\n",
        b"    - \n",
        b"_a_*b*",
        b"\xff",
        b"[[",
        b"~~~\n",
        b"# x\n",
    ],
)
def test_hostile_bytes_take_no_longer_than_they_must(unit: bytes) -> None:
    """16 KB of one thing on both sides, with a word of their own."""
    body = unit * (16_384 // len(unit))
    start = time.process_time()
    merge(body, body + b"\nours\n", body + b"\ntheirs\n", topic="tokens")
    assert time.process_time() - start < 5


def test_an_entry_without_sections_of_a_list_is_an_empty_base() -> None:
    assert merge(None, written(), written(open=["a"])) == written(open=["a"])
    assert isinstance(parse(written()), Entry)
