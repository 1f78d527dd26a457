"""A progress bar: rate and remaining time, one line, redrawn at most ten times a second.

Our own, because rich costs 43 ms to import.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

T = TypeVar("T")
WIDTH = 24
REDRAW_SECONDS = 0.1
ERASE = "\r\x1b[K"


def bar(items: Iterable[T], total: int, label: str, put: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> Iterator[T]:
    """Yield `items`, drawing with `put`; the line is erased at the end, also when the user of the items stops early."""
    start = drawn = clock()
    try:
        for done, item in enumerate(items, 1):
            yield item
            now = clock()
            if now - drawn >= REDRAW_SECONDS:
                drawn = now
                put(ERASE + drawing(label, done, total, now - start))
    finally:
        put(ERASE)


def drawing(label: str, done: int, total: int, seconds: float) -> str:
    """One state of the bar: `seconds` is the time that the `done` items took."""
    share = min(done / total, 1.0) if total > 0 else 1.0
    full = int(share * WIDTH)
    rate = done / seconds if seconds > 0 else 0.0
    left = f"{duration((total - done) / rate)} left" if rate and done < total else "nearly done"
    return f"{label} [{'#' * full}{'.' * (WIDTH - full)}] {done}/{total}  {rate:.0f}/s  {left}"


def duration(seconds: float) -> str:
    """Seconds as `12s`, `3m20s` or `2h05m`."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"


class Meter:
    """A bar for work that is counted in bytes: call it with (done, total)."""

    def __init__(self, label: str, put: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._label = label
        self._put = put
        self._clock = clock
        self._start = self._drawn = clock()

    def __call__(self, done: int, total: int) -> None:
        """Draw, at most ten times a second."""
        now = self._clock()
        if now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            self._put(ERASE + megabytes(self._label, done, total, now - self._start))

    def erase(self) -> None:
        """Leave an empty line."""
        self._put(ERASE)


def megabytes(label: str, done: int, total: int, seconds: float) -> str:
    """One state of a bar over bytes: share, megabytes, rate, remaining time."""
    share = min(done / total, 1.0) if total > 0 else 1.0
    full = int(share * WIDTH)
    rate = done / seconds if seconds > 0 else 0.0
    left = f"{duration((total - done) / rate)} left" if rate and done < total else "nearly done"
    return f"{label} [{'#' * full}{'.' * (WIDTH - full)}] {done / 1e6:.0f}/{total / 1e6:.0f} MB  {rate / 1e6:.0f} MB/s  {left}"
