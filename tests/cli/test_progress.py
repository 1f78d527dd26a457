from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.cli.progress import ERASE, bar, drawing, duration


def test_a_bar_is_drawn_seldom_and_erased() -> None:
    said: list[str] = []
    ticks = itertools.count(0, 0.06)
    assert list(bar(range(6), 6, "reading", said.append, lambda: next(ticks))) == list(range(6))
    assert said[-1] == ERASE
    assert [text.partition("] ")[2].split()[0] for text in said[:-1]] == ["2/6", "4/6", "6/6"]


def test_a_bar_that_is_left_early_is_erased() -> None:
    said: list[str] = []
    for _ in bar([1, 2], 2, "reading", said.append):
        break
    assert said == [ERASE]


@pytest.mark.parametrize(
    ("done", "total", "seconds", "text"),
    [
        (50, 200, 10.0, "reading [######..................] 50/200  5/s  30s left"),
        (200, 200, 10.0, "reading [########################] 200/200  20/s  nearly done"),
        (300, 200, 10.0, "reading [########################] 300/200  30/s  nearly done"),
        (1, 0, 1.0, "reading [########################] 1/0  1/s  nearly done"),
        (1, 2, 0.0, "reading [############............] 1/2  0/s  nearly done"),
    ],
)
def test_a_drawing(done: int, total: int, seconds: float, text: str) -> None:
    assert drawing("reading", done, total, seconds) == text


@pytest.mark.parametrize(("seconds", "text"), [(0, "0s"), (59.4, "59s"), (59.6, "1m00s"), (200, "3m20s"), (7500, "2h05m")])
def test_a_duration(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@given(st.integers(1, 10**9), st.integers(0, 10**9), st.floats(0, 1e9))
def test_any_state_can_be_drawn(done: int, total: int, seconds: float) -> None:
    assert drawing("x", done, total, seconds).startswith("x [")
