"""Digests in the store: one a session, and how far each part was read for it. Inside the caller's transaction.

What a digest was made of takes it along when it goes: triggers of the schema put it into `gone`, where the search db finds what to
delete, and its session into `due`.
"""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.domain.body import decode, encode
from libtool.domain.classify import WITHHELD
from libtool.storage.store import compress, decompress, dump_json

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Sequence

    Segments = list[tuple[str, int, str]]

RULES = "3"
"""Goes up with every change of libtool.domain.digest that changes what a digest holds: those in the store are then made again."""
_RULES_FACT = "digest"
KEPT = 100
"""Of how many sessions, the newest, it is remembered how far they were read: each takes tens of kilobytes."""
_LEVEL = 1
_WITHHELD = ", ".join(f"'{name}'" for name in sorted(WITHHELD))
_MADE = f"agent <> 'note' AND NOT subagent AND class NOT IN ({_WITHHELD})"
"""Sessions that get a digest without being asked: a sub-agent's report stands in its parent's."""


class Gathered(NamedTuple):
    """How far a part was read: chunks that cannot grow any more, id of the last of them (0: none), state as JSON."""

    settled: int
    edge: int
    state: dict[str, Any]


class Stored(NamedTuple):
    """A digest as it is kept: time of the newest thing in it, its segments."""

    time: str
    segments: Segments


class Digests:
    """Over a connection to the store, for reading or for writing."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def are_current(self) -> bool:
        """Whether all digests are up to date, and made by the rules of today."""
        row = self.db.execute("SELECT value FROM fact WHERE name = ?", (_RULES_FACT,)).fetchone()
        return row == (RULES,) and self.db.execute("SELECT 1 FROM due LIMIT 1").fetchone() is None

    def due(self) -> list[int]:
        """The sessions whose digest is not up to date, newest first."""
        return [row[0] for row in self.db.execute(f"SELECT id FROM session JOIN due ON session = id WHERE {_MADE} ORDER BY ended DESC, id")]  # noqa: S608

    def count_due(self) -> int:
        """How many there are."""
        return int(self.db.execute(f"SELECT count(*) FROM session JOIN due ON session = id WHERE {_MADE}").fetchone()[0])  # noqa: S608

    def is_due(self, session: int) -> bool:
        """Whether this one is."""
        return self.db.execute("SELECT 1 FROM due WHERE session = ?", (session,)).fetchone() is not None

    def drop_unwanted(self) -> None:
        """Forget digests of sessions that are classed as such that get none, and that they are due."""
        unwanted = f"session IN (SELECT id FROM session JOIN due ON session = id WHERE NOT ({_MADE}))"  # noqa: S608 - our own words
        if self.db.execute(f"SELECT 1 FROM due WHERE {unwanted} LIMIT 1").fetchone():  # noqa: S608
            self.db.execute(f"DELETE FROM digest WHERE {unwanted}")  # noqa: S608
            self.db.execute(f"DELETE FROM due WHERE {unwanted}")  # noqa: S608

    def follow_rules(self) -> None:
        """Under other rules than before every digest is to be made again; those that are there stay until then."""
        row = self.db.execute("SELECT value FROM fact WHERE name = ?", (_RULES_FACT,)).fetchone()
        if row != (RULES,):
            self.db.execute("DELETE FROM gathered")
            self.db.execute("INSERT OR IGNORE INTO due(session) SELECT id FROM session")
            self.db.execute("INSERT OR REPLACE INTO fact(name, value) VALUES (?, ?)", (_RULES_FACT, RULES))

    def settle(self, session: int) -> None:
        """The digest of a session is up to date."""
        self.db.execute("DELETE FROM due WHERE session = ?", (session,))

    def put(self, session: int, stored: Stored, words: str, *, searched: bool) -> bool:
        """Keep a digest; False, and nothing written, when it is the same as before. `searched`: the search db takes it in."""
        values = stored.time, words, int(searched), compress(encode(stored.segments))
        row = self.db.execute("SELECT time, words, searched, body FROM digest WHERE session = ?", (session,)).fetchone()
        if row == values:
            return False
        self.drop(session)
        self.db.execute("INSERT INTO digest(session, time, words, searched, body) VALUES (?,?,?,?,?)", (session, *values))
        return True

    def drop(self, session: int) -> None:
        """Remove the digest of a session, if there is one."""
        self.db.execute("DELETE FROM digest WHERE session = ?", (session,))

    def get(self, session: int) -> Stored | None:
        """The digest of a session."""
        row = self.db.execute("SELECT time, body FROM digest WHERE session = ?", (session,)).fetchone()
        return Stored(row[0], decode(decompress(row[1]))) if row else None

    def after(self, mark: int) -> Iterator[tuple[int, str, str, Segments]]:
        """(id, time, words, segments) of the searched digests with a higher id than `mark`, in order."""
        for one, time, words, body in self.db.execute(
            "SELECT id, time, words, body FROM digest WHERE id > ? AND searched ORDER BY id", (mark,)
        ):
            yield one, time, words, decode(decompress(body))

    def newest(self) -> int:
        """The highest id that a digest ever had."""
        row = self.db.execute("SELECT seq FROM sqlite_sequence WHERE name = 'digest'").fetchone()
        return int(row[0]) if row else 0

    # What was read for them

    def gathered(self, part: int) -> Gathered | None:
        """How far a part was read; None when it was not, or when what was read is no longer what it holds."""
        row = self.db.execute("SELECT settled, edge, state FROM gathered WHERE part = ?", (part,)).fetchone()
        if row is None or (row[0] and self.chunk_at(part, row[0] - 1) != row[1]):
            return None
        return Gathered(row[0], row[1], json.loads(zlib.decompress(row[2])))

    def save_gathered(self, part: int, gathered: Gathered) -> None:
        """Remember it."""
        state = zlib.compress(dump_json(gathered.state).encode(), _LEVEL)
        self.db.execute(
            "INSERT OR REPLACE INTO gathered(part, settled, edge, state) VALUES (?,?,?,?)", (part, gathered.settled, gathered.edge, state)
        )

    def keep_newest(self) -> None:
        """Drop what was read of all but the sessions that are likely to grow: one that does all the same is read from its beginning."""
        if self.db.execute("SELECT count(*) FROM gathered").fetchone()[0] > 2 * KEPT:
            self.db.execute(
                "DELETE FROM gathered WHERE part NOT IN (SELECT part.id FROM part WHERE session IN"
                " (SELECT id FROM session WHERE agent <> 'note' ORDER BY ended DESC, id LIMIT ?))",
                (KEPT,),
            )

    def read_anew(self, sessions: Sequence[int]) -> None:
        """Read these sessions from their beginning."""
        marks = ",".join(map(str, sessions))
        self.db.execute(f"DELETE FROM gathered WHERE part IN (SELECT id FROM part WHERE session IN ({marks}))")  # noqa: S608 - numbers
        self.db.execute(f"INSERT OR IGNORE INTO due(session) SELECT id FROM session WHERE id IN ({marks})")  # noqa: S608 - as above

    def part(self, session: int) -> int:
        """The part that holds most of a session; 0 for none."""
        row = self.db.execute("SELECT id FROM part WHERE session = ? ORDER BY human + prose DESC, id LIMIT 1", (session,)).fetchone()
        return int(row[0]) if row else 0

    def chunks(self, part: int, first: int) -> Iterator[tuple[int, str, Segments]]:
        """(id, time, segments) of the chunks of a part from its `first`th on, counted from 0."""
        rows = self.db.execute(
            "SELECT chunk.id, time, body FROM source JOIN chunk ON chunk.id = source.chunk WHERE part = ? AND ord >= ? ORDER BY ord",
            (part, first),
        )
        for one, time, body in rows:
            yield one, time, decode(decompress(body))

    def chunk_at(self, part: int, order: int) -> int:
        """The id of a part's `order`th chunk; 0 when it has none."""
        row = self.db.execute("SELECT chunk FROM source WHERE part = ? AND ord = ?", (part, order)).fetchone()
        return int(row[0]) if row else 0

    def sharing(self, part: int, looked_at: int) -> list[tuple[int, int]]:
        """(session, part) of other sessions that hold one of the first `looked_at` chunks of a part, at the same place in them."""
        return self.db.execute(
            "SELECT DISTINCT part.session, part.id FROM source mine"
            " JOIN source theirs ON theirs.chunk = mine.chunk AND theirs.ord = mine.ord JOIN part ON part.id = theirs.part"
            " WHERE mine.part = ?1 AND mine.ord < ?2 AND part.session <> (SELECT session FROM part WHERE id = ?1)",
            (part, looked_at),
        ).fetchall()
