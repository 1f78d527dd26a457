"""A private, consistent copy of another program's SQLite database, gone from the disk before it is read.

The original is never opened through SQLite: opening would take locks, and could checkpoint or recover the owner's files. The database
and its `-wal` are copied (never the `-shm`, which is rebuilt) into a private folder, opened there, and unlinked at once, so that a
killed process leaves nothing behind.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from libtool.adapters.base import Source
    from libtool.domain.session import Record

COPY_ATTEMPTS = 4
MAX_VALUE = 96 << 20
"""Longest value that SQLite may hand out, in bytes."""
WAL_HEADER = 32
"""Bytes of a WAL's header; its salt changes when the WAL starts anew after a checkpoint."""


class Moved(Exception):  # noqa: N818 - a fact about the file, not a failure of ours
    """The database changed under each attempt to copy it."""


def copied_records(source: Source, rows: Callable[[sqlite3.Connection, Source], Iterator[Record]]) -> Iterator[Record]:
    """What `rows` gives of a copy of the database `source`. One that cannot be read is a note in the tally. Raises OSError."""
    source.offset = source.size
    if not source.scratch:
        source.tally.notes.append("no private folder to copy the database to")
        return
    try:
        with opened_copy(source) as connection:
            yield from rows(connection, source)
    except Moved:
        source.tally.notes.append("the database changed while it was copied; the next run tries again")
    except sqlite3.Error as error:
        source.tally.failed = f"the database cannot be read in full ({type(error).__name__})"
        source.tally.notes.append(source.tally.failed)


@contextmanager
def opened_copy(source: Source) -> Iterator[sqlite3.Connection]:
    """A read-only connection to a copy of the database `source`; text comes out as bytes.

    Raises OSError, sqlite3.Error or Moved.
    """
    folder = tempfile.mkdtemp(dir=source.scratch)  # mode 0700
    try:
        copy = os.path.join(folder, "copy.db")
        _copy_unmoved(source, copy)
        connection = sqlite3.connect(f"file:{quote(copy)}?mode=rw", uri=True, isolation_level=None)
        try:
            _settle(connection)
            shutil.rmtree(folder)
            yield connection
        finally:
            connection.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _settle(connection: sqlite3.Connection) -> None:
    """Make the connection safe for a foreign file, and have SQLite open all files that it will need."""
    connection.text_factory = bytes
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
    # In exclusive mode the WAL's index lives in memory: no -shm file appears beside the copy.
    for pragma in ("locking_mode=EXCLUSIVE", "trusted_schema=OFF", "cell_size_check=ON", "mmap_size=0", "query_only=ON"):
        connection.execute(f"PRAGMA {pragma}").fetchall()
    connection.execute("SELECT count(*) FROM sqlite_master").fetchall()


def _copy_unmoved(source: Source, copy: str) -> None:
    """Copy database and WAL; again when they moved meanwhile, as long as attempts are left."""
    wal = source.path + "-wal"
    for attempt in range(COPY_ATTEMPTS):
        before = _marks(source.path), _marks(wal), _wal_header(wal)
        source.file.seek(0)
        _copy_file(source.file, copy)
        try:
            with open(wal, "rb") as file:
                _copy_file(file, copy + "-wal")
        except FileNotFoundError:
            _remove(copy + "-wal")
        after = _marks(source.path), _marks(wal), _wal_header(wal)
        if before == after:
            return
        # A WAL that only grew is consistent up to its last whole transaction: good enough for a last attempt.
        if attempt == COPY_ATTEMPTS - 1 and (before[0], before[2]) == (after[0], after[2]):
            return
    raise Moved


def _copy_file(file: BinaryIO, target: str) -> None:
    _remove(target)
    descriptor = os.open(target, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        shutil.copyfileobj(file, out, 1 << 20)


def _remove(path: str) -> None:
    if os.path.lexists(path):
        os.unlink(path)


def _marks(path: str) -> tuple[int, int, int]:
    """Size, mtime in ns and inode; zeros for a file that is not there."""
    try:
        stat = os.stat(path)
    except FileNotFoundError:
        return 0, 0, 0
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _wal_header(wal: str) -> bytes:
    try:
        with open(wal, "rb") as file:
            return file.read(WAL_HEADER)
    except FileNotFoundError:
        return b""
