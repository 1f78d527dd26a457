from __future__ import annotations

import pytest

from libtool.cli.wording import machine_elsewhere, plural


def test_one_and_many() -> None:
    assert [plural(count, "session") for count in (0, 1, 2)] == ["0 sessions", "1 session", "2 sessions"]
    assert [plural(count, "note or log", "notes and logs") for count in (1, 3)] == ["1 note or log", "3 notes and logs"]


@pytest.mark.parametrize(
    ("last_index", "today", "age"),
    [
        ("2026-11-21", "2026-11-30", ", not synced for 9 days"),
        ("2026-11-29", "2026-11-30", ""),
        ("2026-12-05", "2026-11-30", ""),
        ("", "2026-11-30", ""),
        ("2026-11-21", "", ""),
    ],
)
def test_a_machine_elsewhere(last_index: str, today: str, age: str) -> None:
    machine = {"name": "barn", "sessions": 1, "last_capture": "2026-11-20"}
    assert machine_elsewhere(machine, last_index, today) == f"barn: 1 session, last capture 2026-11-20{age}"


def test_a_machine_that_indexed_and_captured_nothing_yet() -> None:
    machine = {"name": "barn", "sessions": 28, "last_capture": None}
    assert machine_elsewhere(machine, "2026-11-30", "2026-11-30") == "barn: 28 sessions, last index 2026-11-30"
    assert machine_elsewhere(machine, "", "2026-11-30") == "barn: 28 sessions, last capture never"
