from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from libtool.storage import database, purge

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SECRET = "harbour-lights-at-dawn"


def traces(path: Path) -> int:
    return sum(one.read_bytes().count(SECRET.encode()) for one in path.parent.iterdir())


def filled(path: Path) -> sqlite3.Connection:
    """A database in which many rows were written and most of them deleted."""
    connection = database.writer(str(path), 4096)
    connection.execute("CREATE TABLE told (text TEXT)")
    connection.executemany("INSERT INTO told VALUES (?)", [(f"{SECRET} {number}",) for number in range(500)])
    connection.execute("INSERT INTO told VALUES ('kept')")
    connection.execute("DELETE FROM told WHERE text <> 'kept'")
    return connection


def test_what_was_deleted_is_nowhere_any_more(tmp_path: Path) -> None:
    connection = filled(tmp_path / "x.db")
    assert traces(tmp_path / "x.db")
    assert purge.purge(connection)
    assert traces(tmp_path / "x.db") == 0
    assert connection.execute("SELECT text FROM told").fetchall() == [("kept",)]
    connection.close()


def test_an_index_forgets_its_words(tmp_path: Path) -> None:
    connection = database.writer(str(tmp_path / "x.db"), 4096)
    connection.execute("CREATE VIRTUAL TABLE fts USING fts5(text, content='')")
    connection.execute("INSERT INTO fts(rowid, text) VALUES (1, 'lighthouse'), (2, 'harbour')")
    connection.execute("INSERT INTO fts(fts, rowid, text) VALUES ('delete', 1, 'lighthouse')")
    connection.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(fts, row)")
    assert purge.purge(connection, index=True)
    assert connection.execute("SELECT term FROM vocabulary").fetchall() == [("harbour",)]
    assert b"lighthouse" not in (tmp_path / "x.db").read_bytes()
    connection.close()


def test_a_reader_is_waited_for_and_then_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purge, "WAIT_SECONDS", 0.1)
    connection = filled(tmp_path / "x.db")
    reader = sqlite3.connect(tmp_path / "x.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM told").fetchone()
    assert not purge.purge(connection)
    reader.close()
    assert purge.purge(connection)
    assert traces(tmp_path / "x.db") == 0
    connection.close()
