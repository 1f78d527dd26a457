from __future__ import annotations

import calendar
import datetime as dt

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libtool.domain.dates import DAY, bound, days_between, moment
from libtool.errors import UsageError

NOW = 1_790_000_000.0  # 2026-09-21T14:13:20Z


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("2026-10-03", "2026-10-03", "2026-10-04"),
        ("2026-10", "2026-10-01", "2026-11-01"),
        ("2026-12", "2026-12-01", "2027-01-01"),
        ("2026-12-31", "2026-12-31", "2027-01-01"),
        ("2026-1-5", "2026-01-05", "2026-01-06"),
        ("2024-02-28", "2024-02-28", "2024-02-29"),
        ("2024-02-29", "2024-02-29", "2024-03-01"),
        ("2023-02-28", "2023-02-28", "2023-03-01"),
        ("2000-02-29", "2000-02-29", "2000-03-01"),
        ("2026-10-03T11:22:33Z", "2026-10-03", "2026-10-04"),
        ("2026-10-03 11:22", "2026-10-03", "2026-10-04"),
        ("9999-12-31", "9999-12-31", "9999-12-31T23:59:60Z"),
        ("9999-12", "9999-12-01", "9999-12-31T23:59:60Z"),
        ("today", "2026-09-21", "2026-09-22"),
        ("Yesterday ", "2026-09-20", "2026-09-21"),
        ("0d", "2026-09-21", "2026-09-22"),
        ("7d", "2026-09-14", "2026-09-15"),
        ("3W", "2026-08-31", "2026-09-01"),
        ("2 m", "2026-07-23", "2026-07-24"),
        ("1y", "2025-09-21", "2025-09-22"),
        ("9999y", "1970-01-01", "1970-01-02"),
    ],
)
def test_every_form(text: str, first: str, after: str) -> None:
    assert (bound(text, NOW), bound(text, NOW, end=True)) == (first, after)


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "2026", "7", "d", "-7d", "7h", "12345d", "2026/10/03", "03.10.2026", "\ud800", "\0"),
        *("2026-13", "2026-00", "2026-10-00", "2026-10-32", "2026-04-31", "2023-02-29", "1900-02-29"),
        *("2026-10-031", "2026-10-03xyz", "2026-10-3rd", "2026-10T10"),
    ],
)
def test_all_else_is_a_usage_error_that_shows_the_forms(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        bound(text, NOW)
    assert "2026-10-03" in raised.value.hint


@given(st.dates(min_value=dt.date(1, 1, 1), max_value=dt.date(9999, 12, 30)))
@example(dt.date(2100, 2, 28))
def test_a_day_ends_where_the_next_begins(day: dt.date) -> None:
    text, after = day.isoformat(), (day + dt.timedelta(days=1)).isoformat()
    assert bound(text, NOW) == text < bound(text, NOW, end=True) == after
    month = bound(text[:7], NOW), bound(text[:7], NOW, end=True)
    assert month[0] <= text < month[1]
    assert bound(f"{text[:7]}-{calendar.monthrange(day.year, day.month)[1]}", NOW, end=True) == month[1]


@given(st.text(max_size=30))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        found = bound(text, NOW)
    except UsageError:
        return
    assert len(found) == len("2026-10-03")


@given(st.integers(min_value=0, max_value=9999))
def test_days_ago_are_counted_from_the_given_present(days: int) -> None:
    assert bound(f"{days}d", NOW) == moment(NOW - days * DAY)[:10]


def test_a_moment_is_rfc_3339_and_never_is_empty() -> None:
    assert (moment(NOW), moment(0), moment(0.5)) == ("2026-09-21T14:13:20Z", "", "1970-01-01T00:00:00Z")


@given(st.dates(), st.dates())
def test_days_between_are_those_of_the_calendar(first: dt.date, last: dt.date) -> None:
    assert days_between(first.isoformat(), last.isoformat()) == (last - first).days
