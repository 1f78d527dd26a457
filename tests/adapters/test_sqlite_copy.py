from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from libtool.adapters import sqlite_copy
from libtool.adapters.base import Source
from libtool.adapters.sqlite_copy import COPY_ATTEMPTS, Moved, opened_copy

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    path = tmp_path / "scratch"
    path.mkdir(mode=0o700)
    return path


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """The owner of a database, which keeps all rows in the WAL."""
    with closing(sqlite3.connect(tmp_path / "x.db", isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("CREATE TABLE t (v TEXT)")
        connection.execute("INSERT INTO t VALUES ('only in the wal')")
        yield connection


def source_of(tmp_path: Path, scratch: Path) -> Source:
    return Source.open(str(tmp_path / "x.db"), scratch=str(scratch))


def test_rows_that_are_only_in_the_wal_are_read_and_nothing_is_left(tmp_path: Path, scratch: Path, writer: sqlite3.Connection) -> None:
    source = source_of(tmp_path, scratch)
    before = {name: os.stat(tmp_path / name).st_mtime_ns for name in ("x.db", "x.db-wal")}
    with source.file, opened_copy(source) as connection:
        assert os.listdir(scratch) == [], "a kill here would leave the copy behind"
        writer.execute("INSERT INTO t VALUES ('later')")
        assert connection.execute("SELECT v FROM t").fetchall() == [(b"only in the wal",)]
        with pytest.raises(sqlite3.OperationalError):
            connection.execute("DELETE FROM t")
    assert os.stat(tmp_path / "x.db").st_mtime_ns == before["x.db"]
    assert os.listdir(scratch) == []


def test_the_copy_is_private(tmp_path: Path, scratch: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    assert writer
    modes: list[int] = []
    settle = sqlite_copy._settle

    def look(connection: sqlite3.Connection) -> None:
        settle(connection)
        folder = scratch / os.listdir(scratch)[0]
        modes.extend(stat.S_IMODE(os.stat(path).st_mode) for path in (folder, *folder.iterdir()))
        assert sorted(os.listdir(folder)) == ["copy.db", "copy.db-wal"], "no -shm is made"

    monkeypatch.setattr(sqlite_copy, "_settle", look)
    source = source_of(tmp_path, scratch)
    with source.file, opened_copy(source):
        assert modes == [0o700, 0o600, 0o600]


def changing(monkeypatch: pytest.MonkeyPatch, change: Any, times: int) -> list[int]:
    """Let `change` happen in the middle of the first `times` copies of the WAL."""
    copy_file, calls = sqlite_copy._copy_file, []

    def during(file: Any, target: str) -> None:
        copy_file(file, target)
        if target.endswith("-wal"):
            calls.append(1)
            if len(calls) <= times:
                change(len(calls))

    monkeypatch.setattr(sqlite_copy, "_copy_file", during)
    return calls


def test_copied_again_when_it_moved(tmp_path: Path, scratch: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = changing(monkeypatch, lambda _: writer.execute("PRAGMA wal_checkpoint(TRUNCATE)"), 1)
    source = source_of(tmp_path, scratch)
    with source.file, opened_copy(source) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (1,)
    assert len(calls) == 2


def test_a_wal_that_only_grows_is_taken_at_last(
    tmp_path: Path, scratch: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = changing(monkeypatch, lambda n: writer.execute("INSERT INTO t VALUES (?)", (str(n),)), 99)
    source = source_of(tmp_path, scratch)
    with source.file, opened_copy(source) as connection:
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (COPY_ATTEMPTS,)
    assert len(calls) == COPY_ATTEMPTS


def test_given_up_when_the_database_itself_always_moves(
    tmp_path: Path, scratch: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert writer
    changing(monkeypatch, lambda n: os.utime(tmp_path / "x.db", (n, n)), 99)
    source = source_of(tmp_path, scratch)
    with source.file, pytest.raises(Moved), opened_copy(source):
        pass
    assert os.listdir(scratch) == []


def test_a_wal_that_went_away_between_two_attempts_is_not_used(
    tmp_path: Path, scratch: Path, writer: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    changing(monkeypatch, lambda _: writer.close(), 1)
    source = source_of(tmp_path, scratch)
    with source.file, opened_copy(source) as connection:
        assert connection.execute("SELECT v FROM t").fetchall() == [(b"only in the wal",)]


def test_a_damaged_file_is_an_error_and_leaves_nothing(tmp_path: Path, scratch: Path) -> None:
    (tmp_path / "x.db").write_bytes(b"SQLite format 3\x00" + b"\xaa" * 5000)
    source = source_of(tmp_path, scratch)
    with source.file, pytest.raises(sqlite3.DatabaseError), opened_copy(source):
        pass
    assert os.listdir(scratch) == []
