"""The store: what this machine knows of its sessions, also of those whose transcripts are gone. One writer at a time, under the lock."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import zlib
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.domain import chunk as chunks
from libtool.domain.body import decode, encode
from libtool.errors import NotIndexed
from libtool.storage import database
from libtool.storage.migrations import STORE_STEPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

    from libtool.domain.chunk import Chunk, Segment

_PAGE = 16_384
"""Bytes: chunks of about 700 bytes leave a quarter of a page of 4 KB unused."""
_LEVEL, _WINDOW = 1, 12
"""zlib's level and window bits: setting up its usual window of 32 KB costs twice what compressing 1,500 characters does."""


class FileRow(NamedTuple):
    """What the store knows of a transcript file (see migrations for each column)."""

    id: int
    path: str
    agent: str
    inode: int
    size: int
    mtime_ns: int
    side: str
    offset: int
    edge: bytes
    state: str | None
    tally: str
    error: str
    missing: int


class Counts(NamedTuple):
    """Of a part: turns, human characters, model's prose characters, tool calls."""

    turns: int = 0
    human: int = 0
    prose: int = 0
    calls: int = 0


SESSION_TEXTS = (
    "parent subagent forked_from project project_key cwd branch repository machine model version title origin started ended opening class"
).split()
"""Columns of a session that `save_session` writes; the counts come from its parts."""


class Store(database.Opened):
    """The writer's side of store.db. All changes happen between `begin` and `commit`; a kill in between leaves the state before."""

    fresh: dict[int, tuple[Segment, ...]]  # of the chunks that this transaction, or the last one, added

    def __init__(self, path: str) -> None:
        """Open or make it. Raises sqlite3.DatabaseError when it is damaged, DataDirUnusable when a newer lib made it."""
        self.path = path
        self.fresh = {}
        self.db = database.writer(path, _PAGE)
        try:
            database.migrate(self.db, STORE_STEPS)
            self.save_fact("identity", self.fact("identity") or str(int.from_bytes(os.urandom(8)) >> 2))
        except BaseException:
            self.db.close()
            raise

    @classmethod
    def for_reading(cls, path: str) -> Self:
        """A store that is only looked at; raises NotIndexed when there is none of this schema."""
        store = cls.__new__(cls)
        store.path = path
        store.fresh = {}
        store.db = database.reader(path)
        if database.version(store.db) != len(STORE_STEPS):
            store.db.close()
            raise NotIndexed("the store was made by another version of lib", hint="run `lib index`")
        return store

    def begin(self) -> None:
        """Begin a transaction."""
        self.fresh.clear()
        self.db.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """Make what happened since `begin` durable."""
        self.db.execute("COMMIT")

    def rollback(self) -> None:
        """Forget what happened since `begin`, if anything."""
        if self.db.in_transaction:
            self.fresh.clear()
            self.db.execute("ROLLBACK")

    # Files

    def files(self) -> dict[str, FileRow]:
        """Every known file by path, missing ones too; without the readers' states, which together may be large: see `state`."""
        rows = self.db.execute("SELECT id, path, agent, inode, size, mtime_ns, side, offset, edge, NULL, tally, error, missing FROM file")
        return {row[1]: FileRow(*row) for row in rows}

    def state(self, file: int) -> str | None:
        """The state of a file's reader, JSON; None when the file is read whole."""
        row = self.db.execute("SELECT state FROM file WHERE id=?", (file,)).fetchone()
        return None if row is None or row[0] is None else str(row[0])

    def save_file(self, row: FileRow) -> int:
        """Insert (id 0) or update one file; returns its id."""
        values = row[1:]
        if row.id:
            names = "path=?, agent=?, inode=?, size=?, mtime_ns=?, side=?, offset=?, edge=?, state=?, tally=?, error=?, missing=?"
            same = names.replace("=?", " IS ?").replace(", ", " AND ")
            # An unreadable file is tried at every run; the same outcome again is nothing to write down.
            self.db.execute(f"UPDATE file SET {names} WHERE id=? AND NOT ({same})", (*values, row.id, *values))  # noqa: S608
            return row.id
        cursor = self.db.execute(
            "INSERT INTO file(path, agent, inode, size, mtime_ns, side, offset, edge, state, tally, error, missing)"
            " VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
            values,
        )
        return int(cursor.lastrowid or 0)

    def mark_missing(self, ids: Iterable[int]) -> None:
        """Note that these files are gone; their sessions stay."""
        self.db.executemany("UPDATE file SET missing=1 WHERE id=?", ((one,) for one in ids))

    # Sessions and parts

    def session_id(self, agent: str, sid: str) -> int:
        """The row of a session, made when it is new (all facts empty until `save_session`)."""
        row = self.db.execute("SELECT id FROM session WHERE agent=? AND sid=?", (agent, sid)).fetchone()
        if row:
            return int(row[0])
        names = ", ".join(SESSION_TEXTS)
        blanks = ", ".join("0" if name == "subagent" else "''" for name in SESSION_TEXTS)
        cursor = self.db.execute(
            f"INSERT INTO session(agent, sid, turns, human, prose, calls, {names}) VALUES (?, ?, 0, 0, 0, 0, {blanks})",  # noqa: S608
            (agent, sid),
        )
        return int(cursor.lastrowid or 0)

    def session(self, row: int) -> dict[str, Any]:
        """All columns of a session by name."""
        cursor = self.db.execute("SELECT * FROM session WHERE id=?", (row,))
        names = [column[0] for column in cursor.description]
        return dict(zip(names, cursor.fetchone(), strict=True))

    def session_rows(self) -> list[int]:
        """The rows of all sessions."""
        return [row[0] for row in self.db.execute("SELECT id FROM session ORDER BY id")]

    def with_id(self, sid: str) -> list[tuple[int, str]]:
        """(row, agent) of the sessions that have this id, and of their sub-agents' sessions."""
        return self.db.execute(
            "SELECT id, agent FROM session WHERE sid=? UNION SELECT id, agent FROM session WHERE parent=?", (sid, sid)
        ).fetchall()

    def save_class(self, row: int, session_class: str) -> None:
        """Class a session anew."""
        self.db.execute("UPDATE session SET class=? WHERE id=?", (session_class, row))

    def save_session(self, row: int, facts: dict[str, Any]) -> None:
        """Write facts (keys of SESSION_TEXTS) and the counts of the session's longest part."""
        names = [name for name in SESSION_TEXTS if name in facts]
        settings = ", ".join(f"{name}=?" for name in names)
        counts = "(turns, human, prose, calls) = (SELECT max(turns), max(human), max(prose), max(calls) FROM part WHERE session=?)"
        self.db.execute(f"UPDATE session SET {settings}, {counts} WHERE id=?", (*(facts[name] for name in names), row, row))  # noqa: S608

    def forgotten(self) -> set[tuple[str, str]]:
        """(agent, session id) of what the owner dropped for good."""
        return {(agent, sid) for agent, sid in self.db.execute("SELECT agent, sid FROM tombstone")}

    def part(self, file: int, session: int) -> tuple[int, Counts]:
        """The part that a file holds of a session (made when new) and its counts."""
        row = self.db.execute("SELECT id, turns, human, prose, calls FROM part WHERE file=? AND session=?", (file, session)).fetchone()
        if row:
            return int(row[0]), Counts(*row[1:])
        cursor = self.db.execute("INSERT INTO part(file, session, turns, human, prose, calls) VALUES (?,?,0,0,0,0)", (file, session))
        return int(cursor.lastrowid or 0), Counts()

    def save_part(self, part: int, counts: Counts) -> None:
        """Write the counts of a part."""
        self.db.execute("UPDATE part SET turns=?, human=?, prose=?, calls=? WHERE id=?", (*counts, part))

    def detach_parts(self, file: int) -> dict[int, tuple[int, Counts]]:
        """Loosen all parts from a file that is about to be read anew: {session: (part, counts)}."""
        rows = self.db.execute("SELECT session, id, turns, human, prose, calls FROM part WHERE file=?", (file,)).fetchall()
        self.db.execute("UPDATE part SET file=NULL WHERE file=?", (file,))
        return {session: (part, Counts(*counts)) for session, part, *counts in rows}

    def drop_part(self, part: int) -> None:
        """Remove a part; its chunks go too where nothing else points at them."""
        ids = [row[0] for row in self.db.execute("SELECT chunk FROM source WHERE part=?", (part,))]
        self.db.execute("DELETE FROM source WHERE part=?", (part,))
        self.db.execute("DELETE FROM part WHERE id=?", (part,))
        self._drop_orphans(ids)

    def parts(self, session: int) -> list[tuple[int, int | None]]:
        """(part, file) of a session, the oldest first."""
        return self.db.execute("SELECT id, file FROM part WHERE session=? ORDER BY id", (session,)).fetchall()

    def begins(self, short: int, long: int) -> bool:
        """Whether part `long` begins with all that part `short` holds; an empty part begins nothing."""
        pairs = self.db.execute(
            "SELECT s.chunk, l.chunk FROM source s LEFT JOIN source l ON l.part=? AND l.ord = s.ord WHERE s.part=? ORDER BY s.ord",
            (long, short),
        ).fetchall()
        if not pairs or any(one != other for one, other in pairs[:-1]):
            return False
        last, there = pairs[-1]
        # The last chunk was open: it may have grown in the longer part.
        return bool(last == there or (there is not None and self._body(there).startswith(self._body(last))))

    def _body(self, chunk: int) -> str:
        return decompress(self.db.execute("SELECT body FROM chunk WHERE id=?", (chunk,)).fetchone()[0])

    def replace_part(self, part: int, file: int | None, better: int) -> None:
        """Drop a part that another one begins with. A file behind it is the other's from now on where that has none, and is read whole."""
        self.drop_part(part)
        self.db.execute("UPDATE part SET file=? WHERE id=? AND file IS NULL", (file, better))
        self.db.execute("UPDATE file SET state=NULL WHERE id=?", (file,))

    def forget(self, agent: str, sid: str) -> None:
        """Drop a session and those of its sub-agents for good: tombstone, row, parts and chunks."""
        self.db.execute("INSERT OR IGNORE INTO tombstone(agent, sid) VALUES (?,?)", (agent, sid))
        for (row,) in self.db.execute("SELECT id FROM session WHERE agent=? AND sid=?", (agent, sid)).fetchall():
            self.drop_session(row)
        for (child,) in self.db.execute("SELECT sid FROM session WHERE agent=? AND parent=?", (agent, sid)).fetchall():
            self.forget(agent, child)

    def drop_session(self, row: int) -> None:
        """Remove a session with its parts; it comes back when its file is read again."""
        for (part,) in self.db.execute("SELECT id FROM part WHERE session=?", (row,)).fetchall():
            self.drop_part(part)
        self.db.execute("DELETE FROM session WHERE id=?", (row,))
        self.db.execute("DELETE FROM sighting WHERE session=?", (row,))

    # Chunks

    def add_chunk(self, part: int, order: int, chunk: Chunk, words: str, owner: str) -> None:
        """Store a chunk as the part's `order`th; an equal one of another part is shared."""
        body = encode(chunk.segments)
        identity = chunks.identity(body, owner)
        row = self.db.execute("SELECT id FROM chunk WHERE hash=?", (identity,)).fetchone()
        if row:
            chunk_id = row[0]
        else:
            values = identity, chunk.time, words, compress(body)
            chunk_id = int(self.db.execute("INSERT INTO chunk(hash, time, words, body) VALUES (?,?,?,?)", values).lastrowid or 0)
            self.fresh[chunk_id] = chunk.segments
        self.db.execute("INSERT INTO source(part, ord, chunk, turn) VALUES (?,?,?,?)", (part, order, chunk_id, chunk.segments[0].turn))

    def next_order(self, part: int) -> int:
        """The number of the part's next chunk, from 0."""
        return int(self.db.execute("SELECT ifnull(max(ord) + 1, 0) FROM source WHERE part=?", (part,)).fetchone()[0])

    def reopen_last(self, part: int) -> Chunk | None:
        """Take the last chunk off a part, to be continued; None when it has none."""
        row = self.db.execute(
            "SELECT source.ord, chunk.id, chunk.time, chunk.body FROM source JOIN chunk ON chunk.id = source.chunk"
            " WHERE part=? ORDER BY ord DESC LIMIT 1",
            (part,),
        ).fetchone()
        if row is None:
            return None
        order, chunk_id, time, body = row
        self.db.execute("DELETE FROM source WHERE part=? AND ord=?", (part, order))
        self._drop_orphans([chunk_id])
        return chunks.Chunk(tuple(chunks.Segment(*segment) for segment in decode(decompress(body))), time)

    def _drop_orphans(self, ids: Iterable[int]) -> None:
        """Move chunks that nothing points at to `gone`, where the search db finds what it must delete."""
        for one in ids:
            if self.db.execute("SELECT 1 FROM source WHERE chunk=?", (one,)).fetchone() is None:
                self.db.execute("INSERT INTO gone(chunk, time, words, body) SELECT id, time, words, body FROM chunk WHERE id=?", (one,))
                self.db.execute("DELETE FROM chunk WHERE id=?", (one,))

    def chunks_after(self, mark: int) -> Iterator[tuple[int, str, str, Sequence[tuple[str, int, str]]]]:
        """(id, time, words, segments) of the chunks with a higher id than `mark`, in order."""
        for one, time, words, body in self.db.execute("SELECT id, time, words, body FROM chunk WHERE id > ? ORDER BY id", (mark,)):
            yield one, time, words, self.fresh.get(one) or decode(decompress(body))

    def gone(self, after: int, limit: int) -> list[tuple[int, int, str, str, str]]:
        """(revision, chunk id, time, words, body) of the first `limit` chunks removed after a revision, in order."""
        rows = self.db.execute("SELECT rev, chunk, time, words, body FROM gone WHERE rev > ? ORDER BY rev LIMIT ?", (after, limit))
        return [(revision, one, time, words, decompress(body)) for revision, one, time, words, body in rows]

    def clear_gone(self, upto: int) -> None:
        """Drop removed chunks up to a revision: the search db has deleted them."""
        if self.db.execute("SELECT 1 FROM gone WHERE rev <= ? LIMIT 1", (upto,)).fetchone():
            self.begin()
            self.db.execute("DELETE FROM gone WHERE rev <= ?", (upto,))
            self.commit()

    def newest(self) -> tuple[int, int]:
        """The highest chunk id and the highest revision of removals ever given out."""
        rows = dict(self.db.execute("SELECT name, seq FROM sqlite_sequence").fetchall())
        return int(rows.get("chunk", 0)), int(rows.get("gone", 0))

    @property
    def identity(self) -> int:
        """A number that tells this store from any other, so that a search db made from another one is noticed."""
        return int(self.fact("identity"))

    def rows(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        return self.db.execute(sql, values).fetchall()

    # Small facts

    def fact(self, name: str) -> str:
        """A remembered value, '' when there is none."""
        row = self.db.execute("SELECT value FROM fact WHERE name=?", (name,)).fetchone()
        return str(row[0]) if row else ""

    def save_fact(self, name: str, value: str) -> None:
        """Remember a value; writes nothing when it is the same."""
        if self.fact(name) != value:
            self.db.execute("INSERT OR REPLACE INTO fact(name, value) VALUES (?,?)", (name, value))

    def logins(self) -> dict[str, str]:
        """Fingerprint to kind of the logins met so far that are distinctive enough to be looked for everywhere."""
        return dict(self.db.execute("SELECT fingerprint, kind FROM login WHERE spreads AND key = ''"))

    def restore(self, tombstones: Iterable[tuple[str, str]], logins: Iterable[dict[str, Any]]) -> None:
        """Take over what `salvage` found."""
        self.begin()
        self.db.executemany("INSERT OR IGNORE INTO tombstone(agent, sid) VALUES (?,?)", tombstones)
        for row in logins:
            names = [name for name in row if name in LOGIN_COLUMNS]
            marks = ", ".join("?" * len(names))
            sql = f"INSERT OR IGNORE INTO login({', '.join(names)}) VALUES ({marks})"  # noqa: S608 - our own names
            self.db.execute(sql, [row[name] for name in names])
        self.commit()

    def save_logins(self, found: Iterable[tuple[str, str, int, str]]) -> None:
        """Add (fingerprint, kind, spreads, shape) rows; one that is there keeps what is known of it, but may spread from now on."""
        self.db.executemany(
            "INSERT INTO login(fingerprint, kind, spreads, shape) VALUES (?,?,?,?) ON CONFLICT(fingerprint)"
            " DO UPDATE SET shape = iif(shape = '', excluded.shape, shape), spreads = max(spreads, excluded.spreads)"
            " WHERE shape = '' AND excluded.shape <> '' OR spreads < excluded.spreads",
            found,
        )


def compress(body: str) -> bytes:
    """A chunk's body as it is stored."""
    return zlib.compress(body.encode("utf-8", "replace"), _LEVEL, _WINDOW)


def decompress(body: bytes) -> str:
    """The inverse of `compress`."""
    return zlib.decompress(body).decode("utf-8")


def dump_json(value: object) -> str:
    """JSON as we store it: compact, keys in order, so that equal states are equal texts."""
    return json.dumps(value, separators=(",", ":"), sort_keys=True)


Damaged = sqlite3.DatabaseError
"""What SQLite raises; other rooms catch it by this name. `database.is_damage` tells a damaged database from a full disk."""


LOGIN_COLUMNS = ("fingerprint", "kind", "spreads", "shape", "rotated", "key")
"""What of a login is kept when a store is damaged."""


def salvage(path: str) -> tuple[list[tuple[str, str]], list[dict[str, Any]]]:
    """(tombstones, logins by column) that can still be read of a damaged store: what must not be lost with it."""
    found: list[list[Any]] = [[], []]
    try:
        connection = database.reader(path)
    except NotIndexed:
        return [], []
    for rows, sql in zip(found, ("SELECT agent, sid FROM tombstone", "SELECT * FROM login"), strict=True):
        # What comes before the damaged page is still good.
        with contextlib.suppress(sqlite3.DatabaseError, UnicodeDecodeError):
            cursor = connection.execute(sql)
            names = [column[0] for column in cursor.description]
            for row in cursor:
                rows.append(row if rows is found[0] else dict(zip(names, row, strict=True)))
    connection.close()
    return found[0], found[1]
