from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.cli.progress import ERASE, UNITS, Meter, drawing, duration


def test_a_bar_is_drawn_seldom_and_erased() -> None:
    said: list[str] = []
    ticks = itertools.count(0, 0.06)
    with Meter("reading", "files", said.append, lambda: next(ticks)) as draw:
        for done in range(1, 7):
            draw(done, 6)
    assert said[-1] == ERASE
    assert [text.partition("] ")[2].split()[0] for text in said[:-1]] == ["2/6", "4/6", "6/6"]


@pytest.mark.parametrize(
    ("unit", "done", "total", "seconds", "text"),
    [
        ("files", 50, 200, 10.0, "reading [######..................] 50/200 files  5/s  30s left"),
        ("MB", 50_000_000, 200_000_000, 10.0, "reading [######..................] 50/200 MB  5/s  30s left"),
        ("sessions", 200, 200, 10.0, "reading [########################] 200/200 sessions  20/s  nearly done"),
        ("files", 300, 200, 10.0, "reading [########################] 300/200 files  30/s  nearly done"),
        ("files", 1, 0, 1.0, "reading [########################] 1/0 files  1/s  nearly done"),
        ("files", 1, 2, 0.0, "reading [############............] 1/2 files  0/s  nearly done"),
    ],
)
def test_a_drawing(unit: str, done: int, total: int, seconds: float, text: str) -> None:
    assert drawing("reading", unit, done, total, seconds) == text


@pytest.mark.parametrize(("seconds", "text"), [(0, "0s"), (59.4, "59s"), (59.6, "1m00s"), (200, "3m20s"), (7500, "2h05m")])
def test_a_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@given(st.sampled_from(sorted(UNITS)), st.integers(0, 10**9), st.integers(0, 10**9), st.floats(0, 1e9))
def test_any_state_can_be_drawn(unit: str, done: int, total: int, seconds: float) -> None:
    assert drawing("x", unit, done, total, seconds).startswith("x [")
