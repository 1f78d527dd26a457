"""Dates as people type them, to RFC 3339 bounds. The present is always given by the caller."""

from __future__ import annotations

import time

from libtool.domain.lazy import lazy
from libtool.errors import UsageError

_DATE = lazy(r"(\d{4})-(\d{1,2})(?:-(\d{1,2})(?:[t ].*)?)?")
_AGO = lazy(r"(\d{1,4})\s*([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
DAY = 86_400
_LAST_YEAR = 9999
_LAST_MOMENT = "9999-12-31T23:59:60Z"
"""A year 10000 would sort before all others."""


def bound(text: str, now: float, *, end: bool = False) -> str:
    """The first moment of a date, as the `YYYY-MM-DD` that RFC 3339 UTC times are compared with as text.

    A date is `2026-10-03`, `2026-10`, `today`, `yesterday`, or `7d`, `3w`, `2m`, `1y` ago (a month has 30 days, a year 365). What follows
    `2026-10-03T` is ignored. With `end` the first moment after it. Raises UsageError for anything else.
    """
    word = text.strip().lower()
    if (match := _AGO.fullmatch(word)) is not None:
        return _day(now - int(match[1]) * _DAYS[match[2]] * DAY, end=end)
    if word in ("today", "yesterday"):
        return _day(now - (DAY if word == "yesterday" else 0), end=end)
    match = _DATE.fullmatch(word)
    if match is None:
        raise UsageError(f"not a date: {text[:40]}", hint="write 2026-10-03, 2026-10, today, yesterday, or 7d, 3w, 2m, 1y for so long ago")
    year, month, day = int(match[1]), int(match[2]), int(match[3] or 1)
    if not 1 <= month <= 12 or not 1 <= day <= _last_day(year, month):
        raise UsageError(f"no such date: {text[:40]}", hint="write it as 2026-10-03")
    if not end:
        return f"{year:04d}-{month:02d}-{day:02d}"
    if match[3] and day < _last_day(year, month):
        return f"{year:04d}-{month:02d}-{day + 1:02d}"
    if year == _LAST_YEAR and month == 12:
        return _LAST_MOMENT
    return f"{year + month // 12:04d}-{month % 12 + 1:02d}-01"


def _last_day(year: int, month: int) -> int:
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 28 + leap if month == 2 else 30 + (month + (month > 7)) % 2


def _day(seconds: float, *, end: bool) -> str:
    # Not before 1970: no session is older, and years before 0 sort wrongly where they can be had at all.
    return time.strftime("%Y-%m-%d", time.gmtime(max(0.0, seconds) + (DAY if end else 0)))


def moment(seconds: float) -> str:
    """Seconds since 1970 as RFC 3339 UTC; '' for 0."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds)) if seconds else ""


def days_between(first: str, last: str) -> int:
    """Days from one real `YYYY-MM-DD` to another; negative when that is earlier."""
    return _day_number(last) - _day_number(first)


def _day_number(day: str) -> int:
    """Days since the first of March of the year 0 (H. Hinnant, chrono-compatible low-level date algorithms)."""
    year, month = int(day[:4]), int(day[5:7])
    year -= month < 3
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * ((month + 9) % 12) + 2) // 5 + int(day[8:10])
