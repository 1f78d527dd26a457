from __future__ import annotations

from libtool.cli.wording import plural


def test_one_and_many() -> None:
    assert [plural(count, "session") for count in (0, 1, 2)] == ["0 sessions", "1 session", "2 sessions"]
    assert [plural(count, "note or log", "notes and logs") for count in (1, 3)] == ["1 note or log", "3 notes and logs"]
