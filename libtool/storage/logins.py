"""Fingerprints of the logins that the store knows, for those who only read."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from libtool.errors import NotIndexed
from libtool.storage import database

if TYPE_CHECKING:
    from libtool.config import Config


def known(config: Config) -> set[str]:
    """Fingerprints of the logins met so far that are looked for everywhere; none where nothing is indexed or the store is unreadable."""
    try:
        connection = database.reader(config.store_db)
    except NotIndexed:
        return set()
    try:
        return {row[0] for row in connection.execute("SELECT fingerprint FROM login WHERE spreads")}
    except sqlite3.DatabaseError:
        # Redacting with less is better than not at all; `lib status` tells of a damaged store.
        return set()
    finally:
        connection.close()
