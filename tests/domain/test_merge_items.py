from __future__ import annotations

import pytest

from libtool.domain.entry import tidy
from libtool.domain.merge_items import Items, merge_items, record, spelling
from libtool.domain.schema import DECIDED, SESSION, SUPERSEDED
from tests.domain.merge_cases import FIRST_KEY, ITEMS, OTHER_KEY, THIRD_KEY

DAY = "2026-10-04: Log in with"
FIRST, OTHER, THIRD = (f"{DAY} {key}." for key in (FIRST_KEY, OTHER_KEY, THIRD_KEY))


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        ((), (), (), ()),
        (("a",), ("a",), ("a",), ("a",)),
        (("a",), (), ("a",), ()),
        (("a",), ("a",), (), ()),
        (("a",), ("a", "b"), ("a", "c"), ("a", "b", "c")),
        (("a", "b"), ("a",), ("b",), ()),
        (("a",), ("b",), ("c",), ("b", "c")),
        ((), ("a", "b"), ("b", "c"), ("a", "b", "c")),
    ],
)
def test_added_on_either_side_is_there_and_removed_on_either_side_is_gone(base: Items, ours: Items, theirs: Items, expected: Items) -> None:
    assert merge_items(DECIDED, base, ours, theirs) == merge_items(DECIDED, base, theirs, ours) == expected


def test_what_the_base_has_of_sessions_stays() -> None:
    one, two, three = ITEMS[SESSION]
    whole = tidy(SESSION, (one, two, three))
    assert merge_items(SESSION, tidy(SESSION, (one, two)), (two,), (three,)) == whole
    assert merge_items(SESSION, (one,), (two,), (two,)) == tidy(SESSION, (one, two))
    assert merge_items(SESSION, (one,), (one,), (two,)) == tidy(SESSION, (one, two))


@pytest.mark.parametrize(
    ("items", "lost", "base", "expected"),
    [
        (("a",), "2026-10-01: lost", (), ("a", "2026-10-01: lost")),
        (("a",), "2026-10-01: lost", ("2026-10-01: lost",), ("a",)),
        (("2026-10-01: lost",), "2026-10-01: lost", (), ("2026-10-01: lost",)),
        (("2026-10-01: lost\nwords",), "2026-10-01: lost words", (), ("2026-10-01: lost words",)),
        (("a",), FIRST, (), ("a", FIRST)),
        ((FIRST,), OTHER, (), (OTHER,)),
        ((OTHER,), FIRST, (), (OTHER,)),
        ((OTHER,), FIRST, (FIRST,), (OTHER,)),
        ((FIRST, OTHER), FIRST, (), (FIRST, OTHER)),
        ((FIRST, OTHER), THIRD, (), (OTHER, THIRD)),
    ],
)
def test_an_answer_that_lost_is_told_once(items: Items, lost: str, base: Items, expected: Items) -> None:
    assert record(items, lost, base) == tidy(SUPERSEDED, expected) == expected


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [("a", "a", "b", "b"), ("a", "b", "a", "b"), ("a", "b", "c", "c"), ("a", "c", "b", "c"), (None, "b", "c", "c"), ("a", "b", "b", "b")],
)
def test_a_spelling_that_one_side_changed_stays_else_the_greater(base: str | None, ours: str, theirs: str, expected: str) -> None:
    assert spelling(base, ours, theirs) == expected
