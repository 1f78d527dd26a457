"""Texts in an agent's SQLite database, changed through its own transaction, so that nothing of the old ones stays in the file or its WAL.

A database with virtual tables (a text index) is refused: what such a table keeps of a text cannot be known from outside.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote

from libtool.adapters.sqlite_copy import Moved, opened_copy

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from libtool.adapters.base import Source

    Change = Callable[[str, str], str]
    # (name of the column, its text) to the text that shall be there; the same object for no change.

BUSY_SECONDS = 2.0


class CannotRewrite(Exception):  # noqa: N818 - a fact about the database
    """The database cannot be rewritten; says why, without its content."""


class _Table(NamedTuple):
    name: str
    columns: tuple[str, ...]


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise CannotRewrite(f"the database cannot be rewritten ({error.sqlite_errorname or type(error).__name__})") from error


@contextlib.contextmanager
def opened(path: str) -> Iterator[Rewriting]:
    """The database, held so that no other program reads or writes it; its WAL is moved into it first. Raises CannotRewrite."""
    with _failures():
        connection = sqlite3.connect(f"file:{quote(path)}?mode=rw", uri=True, isolation_level=None, timeout=BUSY_SECONDS)
        try:
            # In exclusive mode no -shm appears, and the lock is held until the end.
            for pragma in ("locking_mode=EXCLUSIVE", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "secure_delete=ON"):
                connection.execute(f"PRAGMA {pragma}").fetchall()
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            yield Rewriting(connection)
        finally:
            connection.close()


@contextlib.contextmanager
def looked_at(source: Source) -> Iterator[Rewriting]:
    """A private copy of the database, for `look` and `copy_to`: the original is not opened. Raises CannotRewrite and OSError."""
    try:
        with _failures(), opened_copy(source) as connection:
            yield Rewriting(connection)
    except Moved as error:
        raise CannotRewrite("the database changes while it is read") from error


class Rewriting:
    """An open database whose texts can be changed. Its methods raise CannotRewrite; a failed change leaves all as it was."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._db = connection
        connection.text_factory = lambda data: data.decode("utf-8", "surrogateescape")

    def change(
        self,
        change: Change,
        tables: tuple[str, ...] = (),
        sessions: tuple[str, ...] = (),
        *,
        before_commit: Callable[[str], None] = lambda _digest: None,
    ) -> int:
        """Change the texts of the tables (() for all), of these sessions alone where some are named; returns how many were changed.

        `before_commit` is told the `digest` that the database has once that is done; what it raises undoes all.
        """
        with _failures():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                with self._without_triggers():
                    changed = sum(self._table(table, change, sessions) for table in self._tables(tables))
                before_commit(self.digest())
                self._db.execute("COMMIT")
            except BaseException:
                self._db.execute("ROLLBACK")
                raise
        return changed

    def look(self, change: Change, tables: tuple[str, ...] = (), sessions: tuple[str, ...] = ()) -> int:
        """Like `change`, but all stays as it is."""
        with _failures():
            return sum(len(new) for table in self._tables(tables) for _, new in self._rows(table, change, sessions))

    def copy_to(self, path: str) -> None:
        """Write the database to a new file, its WAL included."""
        with _failures():
            target = sqlite3.connect(path)
            try:
                self._db.backup(target)
            finally:
                target.close()

    def digest(self) -> str:
        """SHA-256 of all that the tables say, in whatever pages and in whatever file it stands; SQLite's own tables do not count."""
        told = hashlib.sha256()
        with _failures():
            schema = "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND substr(name, 1, 7) != 'sqlite_' ORDER BY name"
            for name, sql in self._db.execute(schema).fetchall():
                told.update(ascii((name, sql)).encode())
                for row in self._db.execute(f"SELECT * FROM {_name(name)}"):  # noqa: S608 - names are quoted
                    told.update(ascii(row).encode())
        return told.hexdigest()

    def settle(self) -> None:
        """Write the database anew, so that no free page and no WAL holds an old text."""
        with _failures():
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    @contextlib.contextmanager
    def _without_triggers(self) -> Iterator[None]:
        """Inside a transaction: what the agent does at each change of its own (it notes the time, say) does not happen at ours."""
        triggers = self._db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid").fetchall()
        for name, _ in triggers:
            self._db.execute(f"DROP TRIGGER {_name(name)}")
        yield
        for _, sql in triggers:
            self._db.execute(sql)

    def _tables(self, wanted: tuple[str, ...]) -> list[_Table]:
        kinds = self._db.execute("SELECT name, type, wr FROM pragma_table_list WHERE schema = 'main' AND substr(name, 1, 7) != 'sqlite_'")
        found = []
        for name, kind, without_rowid in kinds.fetchall():
            if kind in ("virtual", "shadow"):
                raise CannotRewrite("the database has a text index, which cannot be rewritten from outside")
            if kind != "table" or (wanted and name not in wanted):
                continue
            if without_rowid:
                raise CannotRewrite("a table of the database has no row ids")
            columns = self._db.execute("SELECT name FROM pragma_table_info(?)", (name,)).fetchall()
            found.append(_Table(name, tuple(row[0] for row in columns)))
        return found

    def _rows(self, table: _Table, change: Change, sessions: tuple[str, ...]) -> Iterator[tuple[int, dict[str, str]]]:
        """(row id, new texts by column) of the rows that change."""
        condition, values = _of_sessions(table, sessions)
        sql = f"SELECT rowid FROM {_name(table.name)} WHERE {condition}"  # noqa: S608 - names are quoted
        columns = ", ".join(map(_name, table.columns))
        for (row,) in self._db.execute(sql, values).fetchall():
            cells = self._db.execute(f"SELECT {columns} FROM {_name(table.name)} WHERE rowid = ?", (row,)).fetchone()  # noqa: S608
            new = {}
            for column, cell in zip(table.columns, cells, strict=True):
                if isinstance(cell, str) and (text := change(column, cell)) != cell:
                    new[column] = text
            if new:
                yield row, new

    def _table(self, table: _Table, change: Change, sessions: tuple[str, ...]) -> int:
        count = 0
        for row, new in self._rows(table, change, sessions):
            settings = ", ".join(f"{_name(column)} = CAST(? AS TEXT)" for column in new)
            cells = [text.encode("utf-8", "surrogateescape") for text in new.values()]
            self._db.execute(f"UPDATE {_name(table.name)} SET {settings} WHERE rowid = ?", (*cells, row))  # noqa: S608
            count += len(new)
        return count


def _of_sessions(table: _Table, sessions: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """The condition that picks rows of these sessions; of a table without any, none."""
    if not sessions:
        return "1", ()
    column = next((name for name in ("session_id", "thread_id", "id") if name in table.columns), None)
    if column is None:
        return "0", ()
    return f"{_name(column)} IN ({', '.join('?' * len(sessions))})", sessions


def _name(name: str) -> str:
    """A name as SQL may hold it."""
    return '"' + name.replace('"', '""') + '"'
