"""What the store knows of reviews: how much of a session the library has, which reviews landed, and what waits to be put in."""

from __future__ import annotations

import hashlib
import sqlite3
from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import NotIndexed
from libtool.storage import database

if TYPE_CHECKING:
    from libtool.config import Config

CAPTURED = "captured"
"""The fact that holds when a capture landed last; `machines/<name>.json` tells its day."""


class Work(NamedTuple):
    """How much was done in a session: turns, tool calls, characters said by the person and the model."""

    turns: int
    calls: int
    said: int


class Waiting(NamedTuple):
    """A block that waits: its row, the session, the topic, JSON of it, why it waits, since when."""

    id: int
    agent: str
    sid: str
    topic: str
    block: str
    reason: str
    time: str


def digest(*parts: str) -> str:
    """What tells one review, or one block of it, from another."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


class Reviews:
    """Over a connection to the store, for reading or, inside the caller's transaction, for writing."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def work(self, agent: str, sid: str) -> Work | None:
        """What was done in a session as far as the store has read it; None for one that it does not know."""
        row = self.db.execute("SELECT turns, calls, human + prose FROM session WHERE agent = ? AND sid = ?", (agent, sid)).fetchone()
        return Work(*row) if row else None

    def landed(self, agent: str, sid: str) -> Work:
        """How much of that had been done when a review landed last."""
        row = self.db.execute("SELECT turns, calls, said FROM landed WHERE agent = ? AND sid = ?", (agent, sid)).fetchone()
        return Work(*row) if row else Work(0, 0, 0)

    def land(self, agent: str, sid: str, hashes: list[str], time: str) -> None:
        """A review landed: the counter begins anew, and these hashes are known."""
        work = self.work(agent, sid) or self.landed(agent, sid)
        self.db.execute("INSERT OR REPLACE INTO landed VALUES (?,?,?,?,?,?)", (agent, sid, *work, time))
        self.db.executemany("INSERT OR IGNORE INTO reviewed VALUES (?,?,?)", [(one, agent, sid) for one in hashes])
        self.db.execute("INSERT OR REPLACE INTO fact(name, value) VALUES (?,?)", (CAPTURED, time))

    def has_landed(self, review: str) -> bool:
        """Whether the review of this hash landed."""
        return self.db.execute("SELECT 1 FROM reviewed WHERE hash = ?", (review,)).fetchone() is not None

    def is_forgotten(self, agent: str, sid: str) -> bool:
        """Whether the owner dropped the session for good."""
        return self.db.execute("SELECT 1 FROM tombstone WHERE agent = ? AND sid = ?", (agent, sid)).fetchone() is not None

    def wait(self, one: Waiting, key: str) -> None:
        """Let a block wait (its `id` does not count); of one that waits already the reason is renewed."""
        self.db.execute(
            "INSERT INTO waiting(hash, agent, sid, topic, block, reason, time) VALUES (?,?,?,?,?,?,?)"
            " ON CONFLICT(hash) DO UPDATE SET reason = excluded.reason",
            (key, *one[1:]),
        )

    def waiting(self) -> list[Waiting]:
        """All that waits, the oldest first."""
        rows = self.db.execute("SELECT id, agent, sid, topic, block, reason, time FROM waiting ORDER BY id")
        return [Waiting(*row) for row in rows]

    def renew(self, row: int, reason: str) -> None:
        """Something waits on, for this reason."""
        self.db.execute("UPDATE waiting SET reason = ? WHERE id = ? AND reason <> ?", (reason, row, reason))

    def done(self, row: int) -> None:
        """Something waits no longer."""
        self.db.execute("DELETE FROM waiting WHERE id = ?", (row,))


def anything_waits(config: Config) -> bool:
    """Whether a capture waits to be put into the library; never fails."""
    try:
        connection = database.reader(config.store_db)
    except NotIndexed:
        return False
    try:
        return bool(connection.execute("SELECT 1 FROM waiting LIMIT 1").fetchall())
    except sqlite3.DatabaseError:
        return False
    finally:
        connection.close()
