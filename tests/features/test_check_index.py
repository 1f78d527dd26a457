from __future__ import annotations

import sqlite3

import pytest

from libtool.errors import NotIndexed
from libtool.features.changes import survey
from libtool.features.check_index import problems
from tests.features.library import Library, entry
from tests.features.machine import OTHER, SID, Machine

TURNS = [("Why does the glaze crack?", "The glaze shrinks. " * 30)]


def test_nothing_indexed_is_nothing_to_check(machine: Machine) -> None:
    with pytest.raises(NotIndexed):
        problems(machine.config, machine.environ)
    assert not machine.data.exists()


def test_a_check_writes_nothing(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    (machine.data / "key").unlink()
    before = machine.changes()
    machine.write(OTHER, TURNS)
    assert problems(machine.config, machine.environ) == ["1 transcripts or notes are new or changed since the last index: run `lib index`"]
    assert machine.changes() == before
    assert not (machine.data / "key").exists()


def test_a_store_with_a_broken_page(machine: Machine) -> None:
    for number in range(40):
        machine.write(f"{number:08x}{SID[8:]}", [(f"question {number} {n}", f"word{number}x{n} " * 60) for n in range(9)])
    machine.index()
    data = bytearray((machine.data / "store.db").read_bytes())
    page = int.from_bytes(data[16:18])
    data[5 * page :] = b"\xa5" * (len(data) - 5 * page)
    (machine.data / "store.db").write_bytes(data)
    (found,) = problems(machine.config, machine.environ)
    assert found.startswith("the store is damaged")


def test_a_store_whose_schema_is_broken(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    data = bytearray((machine.data / "store.db").read_bytes())
    data[100:16384] = b"\xa5" * 16284
    (machine.data / "store.db").write_bytes(data)
    (found,) = problems(machine.config, machine.environ)
    assert found.startswith("the store is damaged")


@pytest.mark.parametrize(
    ("name", "sql", "said"),
    [
        ("search.db", "UPDATE mark SET value = 0 WHERE name = 'chunk'", "is behind the store"),
        ("search.db", "UPDATE mark SET value = 5 WHERE name = 'store'", "another store"),
        ("search.db", "DELETE FROM fts_docsize", "other rows than the store"),
        ("search.db", "DROP TABLE mark", "cannot be used"),
        ("search.db", "PRAGMA user_version = 0", "nothing is indexed"),
        ("store.db", "INSERT INTO gone(chunk, time, words, body) VALUES (1, '', '', '')", "is behind the store"),
    ],
)
def test_a_search_db_that_does_not_follow_the_store(machine: Machine, name: str, sql: str, said: str) -> None:
    machine.write(SID, TURNS)
    machine.index()
    assert problems(machine.config, machine.environ) == []
    connection = sqlite3.connect(machine.data / name)
    connection.execute(sql)
    connection.commit()
    connection.close()
    (found,) = problems(machine.config, machine.environ)
    assert said in found
    assert "run `lib" in found


def test_a_search_db_with_a_broken_page(machine: Machine) -> None:
    for number in range(40):
        machine.write(f"{number:08x}{SID[8:]}", [(f"question {number} {n}", f"word{number}x{n} " * 60) for n in range(9)])
    machine.index()
    data = bytearray((machine.data / "search.db").read_bytes())
    ((root,),) = machine.rows("SELECT rootpage FROM sqlite_schema WHERE name = 'mark'", name="search.db")
    for page in range(len(data) // 4096):
        if page not in (0, root - 1):
            data[page * 4096 : (page + 1) * 4096] = b"\xa5" * 4096
    (machine.data / "search.db").write_bytes(data)
    (found,) = problems(machine.config, machine.environ)
    assert "the search db" in found
    assert "run `lib" in found


def test_an_empty_machine_is_sound(machine: Machine) -> None:
    machine.index()
    assert problems(machine.config, machine.environ) == []
    assert survey(machine.config, machine.environ).changed == 0


def test_a_library_that_has_moved_on(machine: Machine) -> None:
    machine.write(SID, TURNS)
    shelf = Library(machine)
    shelf.write("kiln", entry("Kiln", "Cone nine. (2026-03-02)"))
    machine.index()
    assert problems(machine.config, machine.environ) == []
    shelf.write("kiln", entry("Kiln", "Cone ten, slowly. (2026-03-02)"))
    shelf.write("glaze", entry("Glaze", "Ash. (2026-03-02)"))
    assert problems(machine.config, machine.environ) == ["2 entries are new, changed or gone since the last index: run `lib index`"]
    machine.index()
    shelf.pretend("DELETE FROM passage")
    assert problems(machine.config, machine.environ) == [
        "the search db holds other rows than the store and the library: run `lib build-index`"
    ]


def test_digests_are_rows_of_their_own(machine: Machine) -> None:
    machine.write(SID, [(f"How hot is the kiln at layer {n}?", f"We chose {n} degrees an hour for layer {n}. " * 20) for n in range(9)])
    machine.index()
    ((searched,),) = machine.rows("SELECT count(*) FROM digest WHERE searched")
    assert searched == 1
    assert problems(machine.config, machine.environ) == []
    connection = sqlite3.connect(machine.data / "store.db")
    with connection:
        connection.execute("UPDATE digest SET searched = 0")
    connection.close()
    (found,) = problems(machine.config, machine.environ)
    assert "holds other rows" in found
