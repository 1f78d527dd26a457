"""A progress bar: rate and remaining time, one line, redrawn at most ten times a second.

Our own, because rich costs 43 ms to import.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Callable

WIDTH = 24
REDRAW_SECONDS = 0.1
ERASE = "\r\x1b[K"
UNITS = {"MB": 1e6, "files": 1.0, "sessions": 1.0, "entries": 1.0, "rows": 1.0, "questions": 1.0}
"""What is counted: how much of it is one on the bar."""


class Meter:
    """A bar: inside its `with`, call it with (done, total), both in bytes for `MB`. At the end the line is erased."""

    def __init__(self, label: str, unit: str, put: Callable[[str], None], clock: Callable[[], float] = time.monotonic) -> None:
        self._label = label
        self._unit = unit
        self._put = put
        self._clock = clock
        self._start = self._drawn = clock()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._put(ERASE)

    def __call__(self, done: int, total: int) -> None:
        """Draw, at most ten times a second."""
        now = self._clock()
        if now - self._drawn >= REDRAW_SECONDS:
            self._drawn = now
            self._put(ERASE + drawing(self._label, self._unit, done, total, now - self._start))


def drawing(label: str, unit: str, done: int, total: int, seconds: float) -> str:
    """One state of the bar: `seconds` is the time that the `done` took."""
    share = min(done / total, 1.0) if total > 0 else 1.0
    full = int(share * WIDTH)
    rate = done / seconds if seconds > 0 else 0.0
    left = f"{duration((total - done) / rate)} left" if rate and done < total else "nearly done"
    scale = UNITS[unit]
    return f"{label} [{'#' * full}{'.' * (WIDTH - full)}] {done / scale:.0f}/{total / scale:.0f} {unit}  {rate / scale:.0f}/s  {left}"


def duration(seconds: float) -> str:
    """Seconds as `12s`, `3m20s` or `2h05m`."""
    whole = int(seconds + 0.5)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
