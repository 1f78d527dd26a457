from __future__ import annotations

import errno
import os
import sqlite3
from pathlib import Path

import pytest

from libtool.errors import DataDirUnusable, Locked, NotIndexed
from libtool.storage import database
from libtool.storage.database import WrongSchema

STEPS = ("CREATE TABLE one (x)", "CREATE TABLE two (y); CREATE INDEX two_y ON two (y)")


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "a db?.db")


def made(path: str, *statements: str) -> None:
    connection = database.writer(path, 4096)
    for statement in statements:
        connection.execute(statement)
    connection.close()


def raised_by(connection: sqlite3.Connection, sql: str) -> sqlite3.Error:
    with pytest.raises(sqlite3.Error) as raised:
        connection.execute(sql)
    return raised.value


def test_a_database_is_made_private_and_stays_so(path: str) -> None:
    connection = database.writer(path, 8192)
    connection.execute("CREATE TABLE t (x)")
    assert [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "page_size")] == ["wal", 8192]
    os.chmod(path, 0o644)
    os.chmod(path + "-wal", 0o660)
    second = database.writer(path, 4096)
    assert [os.stat(path + suffix).st_mode & 0o777 for suffix in ("", "-wal", "-shm")] == [0o600] * 3
    second.close()
    connection.close()
    assert not os.path.exists(path + "-wal")


def test_a_reader_reads_and_cannot_write(path: str) -> None:
    made(path, "CREATE TABLE t (x)", "INSERT INTO t VALUES (7)")
    connection = database.reader(path)
    assert connection.execute("SELECT x FROM t").fetchall() == [(7,)]
    error = raised_by(connection, "INSERT INTO t VALUES (8)")
    assert not database.is_damage(error)
    connection.close()


def test_what_cannot_be_read_is_told(path: str) -> None:
    with pytest.raises(NotIndexed, match="nothing is indexed") as raised:
        database.reader(path)
    assert raised.value.hint == "run `lib index`"
    with open(path, "wb") as file:
        file.write(b"garbage " * 1000)
    with pytest.raises(NotIndexed, match="is not a database"):
        database.reader(path)
    os.unlink(path)
    os.mkdir(path)
    with pytest.raises(NotIndexed, match="cannot be read"):
        database.reader(path)


def test_the_kinds_of_failure(path: str) -> None:
    made(path, "CREATE TABLE t (x)")
    connection = sqlite3.connect(path, isolation_level=None, timeout=0)
    other = sqlite3.connect(path, isolation_level=None, timeout=0)
    connection.execute("BEGIN IMMEDIATE")
    busy = raised_by(other, "BEGIN IMMEDIATE")
    connection.execute("ROLLBACK")
    connection.execute("PRAGMA max_page_count = 3")
    full = raised_by(connection, "INSERT INTO t VALUES (randomblob(100000))")
    syntax = raised_by(connection, "SELEC 1")
    connection.close()
    other.close()
    assert [database.code(error) for error in (busy, full, syntax, ValueError())] == [5, 13, 1, 0]
    assert not any(map(database.is_damage, (busy, full, syntax)))
    assert database.is_damage(WrongSchema("other tables"))
    for error, wanted in ((busy, Locked), (full, DataDirUnusable), (syntax, sqlite3.OperationalError)):
        with pytest.raises(wanted), database.failures("/data"):
            raise error


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES, errno.ENOTDIR])
def test_a_folder_that_refuses_is_named(number: int) -> None:
    with (
        pytest.raises(DataDirUnusable, match=f"cannot use the data dir /data: {os.strerror(number)}") as raised,
        database.failures("/data"),
    ):
        raise OSError(number, os.strerror(number), "/data/store.db")
    assert "LIB_DATA_DIR" in raised.value.hint


def test_other_failures_pass_through() -> None:
    with pytest.raises(BrokenPipeError), database.failures("/data"):
        raise BrokenPipeError(errno.EPIPE, "x")
    with database.failures("/data"):
        pass


def test_steps_are_taken_once_each(path: str) -> None:
    connection = database.writer(path, 4096)
    database.migrate(connection, STEPS[:1])
    connection.execute("INSERT INTO one VALUES (1)")
    database.migrate(connection, STEPS)
    database.migrate(connection, STEPS)
    assert database.version(connection) == 2
    assert connection.execute("SELECT x FROM one").fetchall() == [(1,)]
    assert database.schema(connection) == database.schema_of(STEPS)
    with pytest.raises(DataDirUnusable, match=r"a db\?\.db was made by a newer lib \(schema 2, this one knows 1\)"):
        database.migrate(connection, STEPS[:1])
    connection.execute("DROP INDEX two_y")
    with pytest.raises(WrongSchema):
        database.migrate(connection, STEPS)
    connection.close()


def test_a_step_that_fails_leaves_the_step_before(path: str) -> None:
    connection = database.writer(path, 4096)
    with pytest.raises(sqlite3.OperationalError):
        database.migrate(connection, (STEPS[0], "CREATE TABLE three (z); CREATE TABLE one (x)"))
    connection.close()
    connection = database.writer(path, 4096)
    assert database.version(connection) == 1
    assert database.schema(connection) == database.schema_of(STEPS[:1])
    connection.close()


def test_a_writer_closes_what_it_cannot_use(path: str) -> None:
    with open(path, "wb") as file:
        file.write(b"garbage " * 1000)
    before = len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0
    with pytest.raises(sqlite3.DatabaseError) as raised:
        database.writer(path, 4096)
    assert database.is_damage(raised.value)
    assert before in (0, len(os.listdir("/proc/self/fd")))


def test_attached_as_it_would_be_read(path: str, tmp_path: Path) -> None:
    made(path, "CREATE TABLE t (x)", "INSERT INTO t VALUES (7)", "PRAGMA user_version = 3")
    connection = database.reader(path)
    database.attach(connection, path, "again")
    assert connection.execute("SELECT x FROM again.t").fetchall() == [(7,)]
    assert database.version(connection, "again") == 3
    with pytest.raises(sqlite3.Error):
        database.attach(connection, str(tmp_path / "nothing"), "nothing")
    (tmp_path / "garbage").write_bytes(b"garbage " * 1000)
    with pytest.raises(sqlite3.Error, match="not a database"):
        database.attach(connection, str(tmp_path / "garbage"), "garbage")
    connection.close()


def test_soundness(path: str, tmp_path: Path) -> None:
    made(path, "CREATE TABLE t (x)")
    connection = database.writer(path, 4096)
    for _ in range(20):
        connection.execute("INSERT INTO t VALUES (randomblob(3000))")
    connection.close()
    assert database.is_sound(path)
    data = bytearray(Path(path).read_bytes())
    for page in (2, len(data) // 4096 // 2):
        broken = data.copy()
        broken[page * 4096 : (page + 1) * 4096] = b"\xa5" * 4096
        Path(path).write_bytes(broken)
        assert not database.is_sound(path)
    Path(path).write_bytes(b"garbage " * 1000)
    assert not database.is_sound(path)
    assert database.is_sound(str(tmp_path / "nothing"))


def test_a_schema_that_cannot_be_read_is_unsound(path: str) -> None:
    made(path, "CREATE TABLE t (x)")
    data = bytearray(Path(path).read_bytes())
    data[100:4096] = b"\xa5" * 3996
    Path(path).write_bytes(data)
    assert not database.is_sound(path)


def test_set_aside_under_a_new_name_each_time(path: str) -> None:
    for number in (1, 2):
        for suffix in ("", "-wal", "-shm"):
            Path(path + suffix).write_text(f"{number}{suffix}")
        target = database.set_aside(path)
        assert target == f"{path}.damaged-{number}"
        assert [Path(target + suffix).read_text() for suffix in ("", "-wal")] == [str(number), f"{number}-wal"]
        assert not any(os.path.exists(path + suffix) for suffix in ("", "-wal", "-shm"))
    Path(path).write_text("3")
    database.remove(path)
    database.remove(path)
    assert not os.path.exists(path)
