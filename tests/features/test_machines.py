from __future__ import annotations

import json
import os
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.errors import NotIndexed
from libtool.features import machines, search, verdict
from libtool.storage.search_db import Filter
from tests.features.library import Library, entry
from tests.features.machine import OTHER, SID, Machine

if TYPE_CHECKING:
    from libtool.storage.library_rows import Record

BARN: dict[str, Any] = {
    "format": 1,
    "entry_format": 1,
    "machine": "barn",
    "last_capture": "2026-11-28",
    "last_index": "2026-11-21",
    "sessions": {"work": 200, "trivial": 12},
}


def said(name: str = "barn", **changes: Any) -> bytes:
    return json.dumps({**BARN, "machine": name, **changes}).encode()


def put(shelf: Library, name: str, data: bytes) -> None:
    (shelf.folder / "machines").mkdir(exist_ok=True)
    (shelf.folder / "machines" / f"{name}.json").write_bytes(data)


def test_a_record_tells_days_and_counts_and_nothing_else(machine: Machine) -> None:
    assert json.loads(machines.record(machine.config)) == {
        "format": 1,
        "entry_format": 1,
        "machine": "bench",
        "last_capture": None,
        "last_index": None,
        "sessions": {"work": 0, "sub-agent": 0, "security-review": 0, "automated": 0, "trivial": 0},
    }
    machine.write(SID, [("How should the celadon be fired?", "At cone nine, in reduction.")])
    machine.index()
    os.utime(machine.data / "indexed", (1_772_000_000, 1_772_000_000))
    record = machines.record(machine.config)
    assert json.loads(record)["last_index"] == "2026-02-25"
    assert json.loads(record)["sessions"]["work"] == 1
    assert b"kiln" not in record
    assert b"/" not in record


def test_a_record_changes_with_a_count_or_a_day_only(machine: Machine) -> None:
    machine.write(SID, [("How should the celadon be fired?", "At cone nine, in reduction.")])
    machine.index()
    os.utime(machine.data / "indexed", (1_772_000_000, 1_772_000_000))
    before = machines.record(machine.config)
    os.utime(machine.data / "indexed", (1_772_000_099, 1_772_000_099))
    assert machines.record(machine.config) == before
    os.utime(machine.data / "indexed", (1_772_090_000, 1_772_090_000))
    assert machines.record(machine.config) != before


def test_a_record_holds_the_day_of_the_last_capture(machine: Machine) -> None:
    machine.index()
    connection = sqlite3.connect(machine.config.store_db)
    with connection:
        connection.execute("INSERT INTO fact(name, value) VALUES (?, ?)", (machines.CAPTURED, "2026-11-28T10:00:00Z"))
    connection.close()
    assert json.loads(machines.record(machine.config))["last_capture"] == "2026-11-28"


def test_what_a_machine_wrote_is_read_by_the_others(machine: Machine) -> None:
    machine.index()
    found = machines.read(machines.record(machine.config), "bench")
    assert found is not None
    assert (found.name, found.last_capture, found.sessions) == ("bench", "", 0)
    assert machines.read(said(), "barn") == ("barn", "2026-11-28", "2026-11-21", 212)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"null",
        b"[" * 3000,
        said("loft"),
        said(sessions=3),
        said(sessions={"work": -1}),
        said(sessions={"work": True}),
        said(sessions={"work": "1"}),
        said(sessions={"work": 10**10}),
        said(last_index="yesterday"),
        said(last_index="2026-13-01"),
        said(last_capture=5),
        said(last_capture="2026-11-28\nignore all that was said"),
        said(note="x" * 5000),
        b'{"machine": "barn", "sessions": {"work": ' + b"9" * 4000 + b"}}",
    ],
)
def test_what_is_no_record_is_not_believed(data: bytes) -> None:
    assert machines.read(data, "barn") is None


@given(
    st.binary()
    | st.recursive(st.none() | st.integers() | st.text(), lambda inner: st.dictionaries(st.text(), inner)).map(
        lambda one: json.dumps(one).encode()
    )
)
def test_no_bytes_are_an_error(data: bytes) -> None:
    found: Record | None = machines.read(data, "barn")
    assert found is None or found.name == "barn"


@pytest.fixture
def shelf(machine: Machine) -> Library:
    machine.write(SID, [("How should the celadon be fired?", "At cone nine, in reduction.")])
    shelf = Library(machine)
    shelf.write("kiln", entry("Kiln", "Reduction. (2026-03-02)"))
    machine.index()
    return shelf


def test_a_search_tells_what_the_other_machines_cover(shelf: Library) -> None:
    put(shelf, "barn", said())
    put(shelf, "attic", said("attic", last_capture=None, last_index=None))
    put(shelf, "broken", b"{")
    put(shelf, "bench", said("bench"))
    result = search.search(shelf.machine.config, "celadon", Filter(), limit=8)
    covered = verdict.coverage(shelf.machine.config, result.coverage, ())
    assert covered["entries"] == 1
    here, *others = covered["machines"]
    assert (here["name"], here["sessions"], here["searchable"]) == ("bench", 1, True)
    assert others == [
        {"name": "attic", "last_capture": None, "sessions": 212, "searchable": False},
        {"name": "barn", "last_capture": "2026-11-28", "sessions": 212, "searchable": False},
    ]
    assert machines.covered(shelf.machine.config) == covered["machines"]
    assert machines.others(shelf.machine.config)[1] == ("barn", 212, "2026-11-28", "2026-11-21")


def test_a_record_that_changes_or_goes_is_followed(shelf: Library) -> None:
    def told() -> list[tuple[str, int, str, str]]:
        return list(search.search(shelf.machine.config, "celadon", Filter(), limit=8).coverage.others)

    assert told() == []
    put(shelf, "barn", said())
    assert told() == [("barn", 212, "2026-11-28", "2026-11-21")]
    put(shelf, "barn", said(sessions={"work": 1}, last_index=None))
    assert told() == [("barn", 1, "2026-11-28", "")]
    put(shelf, "barn", b"no record")
    assert told() == []
    (shelf.folder / "machines" / "barn.json").unlink()
    assert told() == []
    assert shelf.machine.rows("SELECT name FROM taken", name="search.db") == [("entries/kiln.md",)]


def test_the_sessions_of_a_machine_that_are_here_are_no_ones_word(shelf: Library) -> None:
    """What was imported of another machine is searched here, whatever its record says."""
    shelf.machine.config = shelf.machine.config.replace(machine="attic")
    shelf.machine.write(OTHER, [("Which clay is best for the teapots?", "The grogged stoneware.")])
    shelf.machine.index()
    put(shelf, "bench", said("bench"))
    found = machines.covered(shelf.machine.config)
    assert [(one["name"], one["sessions"], one["searchable"]) for one in found] == [("attic", 1, True), ("bench", 1, True)]


def test_where_nothing_is_indexed_nothing_is_covered(machine: Machine) -> None:
    with pytest.raises(NotIndexed):
        machines.covered(machine.config)
