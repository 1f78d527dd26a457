"""Making deleted text unreadable: SQLite leaves it in free pages and in the WAL, FTS5 in segments that are not yet merged."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

WAIT_SECONDS = 10.0


def purge(connection: sqlite3.Connection, *, index: bool = False) -> bool:
    """Write the database anew without its free pages and empty its WAL; `index`: first merge what FTS5 has marked as deleted.

    False when a reader held the WAL for longer than WAIT_SECONDS: what was deleted goes when the next writer closes the database.
    """
    if index:
        connection.execute("INSERT INTO fts(fts) VALUES ('optimize')")
    connection.execute("VACUUM")
    connection.execute(f"PRAGMA busy_timeout = {WAIT_SECONDS * 1000:.0f}")
    return not connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
