"""Making deleted text unreadable: SQLite leaves it in free pages, in the WAL, and FTS5 in segments that are not yet merged."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

WAIT_SECONDS = 10.0
_PAUSE = 0.05


def purge(
    connection: sqlite3.Connection, *, index: bool = False, wait: float = WAIT_SECONDS, clock: Callable[[], float] = time.monotonic
) -> bool:
    """Write the database anew without its free pages and empty its WAL; `index`: first merge what FTS5 has marked as deleted.

    False when a reader held the WAL for longer than `wait` seconds: what is deleted stays in it until the next write.
    """
    if index:
        connection.execute("INSERT INTO fts(fts) VALUES ('optimize')")
    connection.execute("VACUUM")
    stop = clock() + wait
    while int(connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]):
        if clock() > stop:
            return False
        time.sleep(_PAUSE)
    return True
