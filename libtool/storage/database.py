"""Opening our two databases: private files, a known schema, and a damaged one set aside, never deleted."""

from __future__ import annotations

import os
import sqlite3
from urllib.parse import quote

from libtool.errors import NotIndexed

STORE, SEARCH = "store.db", "search.db"
_BUSY_SECONDS = 20.0


def reader(path: str) -> sqlite3.Connection:
    """Open `path` for reading only; raises NotIndexed when it is not there or no database.

    Where the folder cannot be written, SQLite cannot make the shared-memory file of a WAL database: then the file is read as it stands.
    """
    if not os.path.exists(path):
        raise NotIndexed("nothing is indexed on this machine yet", hint="run `lib index`")
    where = f"file:{quote(path)}?mode=ro"
    connection = sqlite3.connect(where, uri=True, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.DatabaseError:
        connection.close()
        connection = sqlite3.connect(where + "&immutable=1", uri=True, isolation_level=None)
    return connection


def writer(path: str, page: int) -> sqlite3.Connection:
    """Open or make `path` for writing, mode 0600, WAL; a new one has pages of `page` bytes. The caller holds the writer lock."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        os.chmod(path, 0o600)
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    connection.execute(f"PRAGMA page_size = {page:d}")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute("PRAGMA temp_store = MEMORY")
    return connection


def version(connection: sqlite3.Connection) -> int:
    """The `user_version`: how many steps of a schema the database has seen."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, steps: tuple[str, ...]) -> None:
    """Bring a database to the last step, each step with its number in one transaction.

    Raises sqlite3.DatabaseError when the database is damaged or newer than this program.
    """
    seen = version(connection)
    if seen > len(steps):
        raise sqlite3.DatabaseError(f"made by a newer lib (schema {seen}, this one knows {len(steps)})")
    for number, step in enumerate(steps[seen:], seen + 1):
        connection.executescript(f"BEGIN IMMEDIATE; {step}; PRAGMA user_version = {number}; COMMIT;")


def set_aside(path: str) -> str:
    """Move a damaged database with its WAL out of the way; returns its new path. No connection to it may be open."""
    number = 1
    while os.path.exists(f"{path}.damaged-{number}"):
        number += 1
    target = f"{path}.damaged-{number}"
    os.replace(path, target)
    for suffix in ("-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.replace(path + suffix, target + suffix)
    return target
