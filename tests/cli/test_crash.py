from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli import crash

if TYPE_CHECKING:
    from pathlib import Path


def test_old_logs_go_when_new_ones_come(tmp_path: Path) -> None:
    for day in range(crash.KEEP + 5):
        (tmp_path / f"crash-202501{day:02d}T000000Z-1.log").write_text("old")
    (tmp_path / "other.log").write_text("kept")
    path = crash.record(ValueError(), str(tmp_path), "search")
    logs = sorted(entry.name for entry in tmp_path.iterdir() if entry.name.startswith("crash-"))
    assert len(logs) == crash.KEEP
    assert logs[-1] == path.rpartition("/")[2]
    assert (tmp_path / "other.log").exists()


def test_a_log_that_cannot_be_removed_stays(tmp_path: Path) -> None:
    for day in range(crash.KEEP + 1):
        (tmp_path / f"crash-202501{day:02d}T000000Z-1.log").mkdir()
    assert crash.record(ValueError(), str(tmp_path), "search").endswith(".log")


def test_a_chain_that_is_a_circle_ends() -> None:
    one, two = ValueError("x"), KeyError("y")
    one.__cause__, two.__cause__ = two, one
    assert list(crash.described(one)) == ["ValueError", "KeyError"]


def test_a_context_counts_unless_it_is_suppressed() -> None:
    error = ValueError("x")
    error.__context__ = KeyError("y")
    assert list(crash.described(error)) == ["ValueError", "KeyError"]
    error.__suppress_context__ = True
    assert list(crash.described(error)) == ["ValueError"]
