"""The reader's side: search.db with the store attached, both read-only. Readers never wait for the writer."""

from __future__ import annotations

import sqlite3
import zlib

from libtool.errors import NotIndexed
from libtool.storage import database
from libtool.storage.migrations import DIGEST_ROWS, ENTRY_ROWS, SEARCH_VERSION, STORE_STEPS
from libtool.storage.session_db import tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

_DIGESTS = "store.digest AS chunk JOIN store.session ON session.id = chunk.session"
"""A digest passes the filters of chunks: it has their time, and its session."""
_SESSION_COLUMNS = "session.id, agent, sid, parent, project, branch, machine, title, class, forked_from"


class Filter:
    """Which sessions a search looks at; empty fields do not limit."""

    __slots__ = ("agent", "before", "classes", "exclude", "kinds", "machine", "project", "since")

    def __init__(  # noqa: PLR0913 - one for each way to narrow a search
        self,
        *,
        project: str = "",
        agent: str = "",
        machine: str = "",
        since: str = "",
        before: str = "",
        kinds: Sequence[str] = (),
        classes: Sequence[str] = (),
        exclude: str = "",
    ) -> None:
        self.project = project
        """A part of a project's name, or its whole key."""
        self.agent = agent
        self.machine = machine
        self.since = since
        self.before = before
        """RFC 3339 bounds of a chunk's time: from `since` on, before `before`."""
        self.kinds = kinds
        """`session`, `note`, `entry`: which kinds; none means all."""
        self.classes = classes
        """Classes of sessions to leave out."""
        self.exclude = exclude
        """Session id to leave out: the one that asks."""

    def is_narrow(self) -> bool:
        """Whether more than the default classes and the asking session is filtered."""
        return bool(self.project or self.agent or self.machine or self.since or self.before or self.kinds)

    def shown(self) -> str:
        """What the filter limits a search to, in words; '' when nothing."""
        kinds = {"entry": "entries", "note": "notes", "session": "sessions"}
        words = (
            " and ".join(kinds[kind] for kind in self.kinds),
            f"agent {self.agent}" if self.agent else "",
            f"project {self.project}" if self.project else "",
            f"machine {self.machine}" if self.machine else "",
            f"since {self.since}" if self.since else "",
            f"before {self.before}" if self.before else "",
        )
        return ", ".join(filter(None, words))

    def session_clause(self) -> tuple[str, list[Any]]:
        """An SQL condition over session columns alone, without classes and the asking session: what a narrowed search can look at."""
        wide = Filter(project=self.project, agent=self.agent, machine=self.machine, kinds=self.kinds)
        condition, values = wide.clause()
        if self.since:
            condition += " AND session.ended >= ?"
            values.append(self.since)
        if self.before:
            condition += " AND session.started < ? AND session.started <> ''"
            values.append(self.before)
        return condition, values

    def wants(self, kind: str) -> bool:
        """Whether documents of this kind are looked at."""
        return not self.kinds or kind in self.kinds

    def entry_clause(self) -> tuple[str, list[Any]]:
        """An SQL condition over columns of entry, and its parameters. An entry is of the agents, machines and projects of its sessions.

        Its project is also what its pointers name: `acme/api` in the entry answers to the key `github.com/acme/api`, and `api` to
        `local:/work/api`.
        """
        parts: list[str] = ["1" if self.wants("entry") else "0"]
        values: list[Any] = []
        for column, value in (("agent", self.agent), ("machine", self.machine)):
            if value:
                parts.append(f"entry.id IN (SELECT entry FROM cited WHERE {column} = ?)")  # noqa: S608 - our own names
                values.append(value)
        if self.project:
            parts.append(
                "(instr(entry.projects, lower(?)) OR instr(entry.projects, lower(?)) OR entry.id IN (SELECT cited.entry FROM cited"
                " JOIN store.session ON session.sid = cited.sid WHERE instr(lower(session.project), lower(?)) OR session.project_key = ?))"
            )
            host, _, place = self.project.partition("/")
            pointed = place.rpartition("/")[2] if host == "local:" else place
            values += [self.project, f" {pointed} ", self.project, self.project]
        if self.since:
            parts.append("entry.date >= ?")
            values.append(self.since)
        if self.before:
            parts.append("entry.date < ? AND entry.date <> ''")
            values.append(self.before)
        return " AND ".join(parts), values

    def clause(self) -> tuple[str, list[Any]]:
        """An SQL condition over session and chunk columns, and its parameters."""
        parts: list[str] = []
        values: list[Any] = []
        for column, value in (("agent", self.agent), ("machine", self.machine)):
            if value:
                parts.append(f"session.{column} = ?")
                values.append(value)
        if self.project:
            parts.append("(instr(lower(session.project), lower(?)) OR session.project_key = ?)")
            values += [self.project, self.project]
        if self.since:
            parts.append("chunk.time >= ?")
            values.append(self.since)
        if self.before:
            parts.append("chunk.time < ? AND chunk.time <> ''")
            values.append(self.before)
        if self.kinds:
            flags = ",".join("1" if kind == "note" else "0" if kind == "session" else "2" for kind in self.kinds)
            parts.append(f"(session.agent = 'note') IN ({flags})")
        if self.classes:
            parts.append(f"session.class NOT IN ({','.join('?' * len(self.classes))})")
            values += self.classes
        if self.exclude:
            parts.append("session.sid <> ? AND session.parent <> ?")
            values += [self.exclude, self.exclude]
        return " AND ".join(parts) or "1", values


class SearchDb(database.Opened):
    """One cold reader. Raises NotIndexed when there is nothing to read or it cannot be used, here and in every method."""

    def __init__(self, search_path: str, store_path: str) -> None:
        self.db = database.reader(search_path)
        try:
            self._open(store_path)
        except sqlite3.DatabaseError as error:
            self.db.close()
            raise _unusable(error) from error
        except NotIndexed:
            self.db.close()
            raise

    def _open(self, store_path: str) -> None:
        seen = database.version(self.db)
        if seen == 0:
            # Made a moment ago by the first `lib index`, which is still at work; or emptied.
            raise NotIndexed("nothing is indexed on this machine yet", hint="run `lib index`")
        if seen != SEARCH_VERSION:
            raise NotIndexed("the search db was made by another version of lib", hint="run `lib index`: it is built anew")
        database.attach(self.db, store_path, "store")
        if database.version(self.db, "store") != len(STORE_STEPS):
            raise NotIndexed("the store was made by another version of lib", hint="run `lib index`")
        # What is found is looked up again: the store must stay as it was when it was first looked at.
        self.db.execute("BEGIN")

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query; NotIndexed when the database turns out to be damaged."""
        try:
            return self.db.execute(sql, values).fetchall()
        except sqlite3.DatabaseError as error:
            if database.is_damage(error) or str(error).startswith("no such table"):
                # Damage inside is met by whoever reads that page: `lib index` may never do so.
                raise _unusable(error, "run `lib build-index`: it is built anew") from error
            raise

    def count(self, match: str, limit: int) -> int:
        """How many chunks match, counted up to `limit`."""
        return int(self.rows("SELECT count(*) FROM (SELECT 1 FROM fts WHERE fts MATCH ? LIMIT ?)", (match, limit))[0][0])

    def about(self, match: str, limit: int) -> int:
        """How many chunks match: counted up to `limit`, and from there on estimated by how far into the index that led."""
        count, last = self.rows("SELECT count(*), max(rowid) FROM (SELECT rowid FROM fts WHERE fts MATCH ? LIMIT ?)", (match, limit))[0]
        if count < limit:
            return int(count)
        newest = self.rows("SELECT max(id) FROM fts_docsize WHERE id < ?", (ENTRY_ROWS,))[0][0]
        return int(max(count, count * (newest or 0) // last))

    def size(self) -> tuple[int, int]:
        """(chunks, tokens) of the index: what FTS5 keeps for bm25 in its record of averages, a row of varints."""
        numbers = [0]
        for byte in self.rows("SELECT block FROM fts_data WHERE id = 1")[0][0]:
            numbers[-1] = numbers[-1] << 7 | byte & 0x7F
            if byte < 0x80:
                numbers.append(0)
        return numbers[0], sum(numbers[1:])

    def best(self, match: str, limit: int, chosen: Filter | None) -> list[tuple[int, float]]:
        """(chunk, score) of the best chunks, best first, the filter applied before the limit; a higher score is better."""
        condition = ""
        values: list[Any] = []
        if chosen is not None:
            clause, values = chosen.clause()
            # The plus keeps SQLite from asking the index once for every chunk that the filter lets through.
            condition = (
                "AND +rowid IN (SELECT source.chunk FROM store.session JOIN store.part ON part.session = session.id"  # noqa: S608 - nothing foreign
                " JOIN store.source ON source.part = part.id JOIN store.chunk ON chunk.id = source.chunk"
                f" WHERE {clause} UNION ALL SELECT chunk.id + {DIGEST_ROWS} FROM {_DIGESTS} WHERE {clause}"
            )
            values += values
            if chosen.wants("entry"):
                entry_clause, entry_values = chosen.entry_clause()
                condition += (
                    f" UNION ALL SELECT passage.id + {ENTRY_ROWS} FROM passage"  # noqa: S608 - nothing foreign
                    f" JOIN entry ON entry.id = passage.entry WHERE {entry_clause}"
                )
                values += entry_values
            condition += ")"
        sql = f"SELECT rowid, -rank FROM fts WHERE fts MATCH ? {condition} ORDER BY rank LIMIT ?"  # noqa: S608 - no foreign text in it
        return self.rows(sql, (match, *values, limit))

    def owners(self, chunks: Sequence[int], chosen: Filter) -> dict[int, tuple[Any, ...]]:
        """For each chunk that the filter lets through: the row of the first session that holds it (_SESSION_COLUMNS, then chunk time).

        A passage's entry is told in the same columns: agent `entry`, its topic as id, its last project, its section as branch.
        """
        found = self._entries([one - ENTRY_ROWS for one in chunks if ENTRY_ROWS <= one < DIGEST_ROWS], chosen)
        clause, values = chosen.clause()
        if digests := ",".join(str(int(one) - DIGEST_ROWS) for one in chunks if one > DIGEST_ROWS):
            rows = self.rows(
                f"SELECT chunk.id, {_SESSION_COLUMNS}, chunk.time FROM {_DIGESTS} WHERE chunk.id IN ({digests}) AND {clause}",  # noqa: S608
                values,
            )
            found.update({row[0] + DIGEST_ROWS: tuple(row[1:]) for row in rows})
        numbers = ",".join(str(int(one)) for one in chunks if one < ENTRY_ROWS)
        rows = self.rows(
            f"SELECT source.chunk, {_SESSION_COLUMNS}, chunk.time FROM store.source JOIN store.part ON part.id = source.part"  # noqa: S608
            " JOIN store.session ON session.id = part.session JOIN store.chunk ON chunk.id = source.chunk"
            f" WHERE source.chunk IN ({numbers}) AND {clause} ORDER BY part.id DESC",
            values,
        )
        # The oldest part comes last and wins: a fork points at what its original said.
        found.update({row[0]: tuple(row[1:]) for row in rows})
        return found

    def _entries(self, passages: Sequence[int], chosen: Filter) -> dict[int, tuple[Any, ...]]:
        """The entries of passages, as `owners` tells them."""
        if not passages or not chosen.wants("entry"):
            return {}
        clause, values = chosen.entry_clause()
        rows = self.rows(
            "SELECT passage.id, entry.id, topic, projects, section, title, entry.date FROM passage JOIN entry ON entry.id = passage.entry"  # noqa: S608
            f" WHERE passage.id IN ({','.join(map(str, passages))}) AND {clause}",
            values,
        )
        return {
            one + ENTRY_ROWS: (entry, "entry", topic, "", projects.strip().partition(" ")[0], section, "", title, "work", "", date)
            for one, entry, topic, projects, section, title, date in rows
        }

    def bodies(self, chunks: Sequence[int]) -> dict[int, str]:
        """The stored bodies of chunks, digests and passages."""
        numbers = ",".join(str(int(one)) for one in chunks if one < ENTRY_ROWS)
        rows = self.rows(f"SELECT id, body FROM store.chunk WHERE id IN ({numbers})")  # noqa: S608
        if digests := ",".join(str(int(one) - DIGEST_ROWS) for one in chunks if one > DIGEST_ROWS):
            rows += self.rows(f"SELECT id + {DIGEST_ROWS}, body FROM store.digest WHERE id IN ({digests})")  # noqa: S608
        if passages := ",".join(str(int(one) - ENTRY_ROWS) for one in chunks if ENTRY_ROWS <= one < DIGEST_ROWS):
            rows += self.rows(f"SELECT id + {ENTRY_ROWS}, body FROM passage WHERE id IN ({passages})")  # noqa: S608
        return {one: zlib.decompress(body).decode("utf-8") for one, body in rows}

    def taken(self) -> dict[str, tuple[str, bool, int]]:
        """(stamp, whether that vouches for it, checksum) of each file of the library that the index holds, by name."""
        return {name: (stamp, bool(settled), crc) for name, stamp, settled, crc in self.rows("SELECT name, stamp, settled, crc FROM taken")}

    def watermark(self) -> str:
        """Where the library's git stood when all of it was taken in; '' when it was not."""
        return "".join(str(row[0]) for row in self.rows("SELECT watermark FROM library"))

    def lives_on(self, agent: str, name: str) -> list[tuple[str, str, str, str]]:
        """(agent, id, machine, topic) of sessions that entries cite whose id is, ends with or holds `name`; `agent` '' for any."""
        return self.rows(
            "SELECT agent, sid, machine, topic FROM cited JOIN entry ON entry.id = cited.entry"
            " WHERE instr(lower(sid), lower(?)) AND (agent = ? OR ? = '') ORDER BY substr(sid, -length(?)) <> ?, sid, topic LIMIT 20",
            (name, agent, agent, name, name),
        )

    def note_paths(self, sessions: Sequence[int]) -> dict[int, str]:
        """Paths of the files that hold these sessions."""
        numbers = ",".join(str(int(one)) for one in sessions)
        rows = self.rows(
            f"SELECT part.session, file.path FROM store.part JOIN store.file ON file.id = part.file WHERE part.session IN ({numbers})"  # noqa: S608
        )
        return dict(rows)

    def similar(self, word: str, limit: int = 40) -> list[str]:
        """Known words that share trigrams with `word`, most first."""
        pieces = {word[at : at + 3] for at in range(len(word) - 2)}
        match = " OR ".join(f'"{piece}"' for piece in sorted(pieces))
        # Without an order a large vocabulary would offer what begins with a: by rank, 95 instead of 55 of 100 words found among 200,000.
        rows = self.rows("SELECT term FROM spelling WHERE spelling MATCH ? ORDER BY rank LIMIT 200", (match,)) if pieces else []
        scored = sorted((-len(pieces & {term[at : at + 3] for at in range(len(term) - 2)}) / (len(term) + 1), term) for (term,) in rows)
        return [term for _, term in scored[:limit]]

    def tails(self, names: Sequence[tuple[str, str]]) -> dict[tuple[str, str], str]:
        """For each (agent, session id): its shortest tail of at least 8 characters that no other session of the agent ends with.

        '' for a session that is not in the store.
        """
        there = "SELECT 1 FROM store.session WHERE agent = ? AND sid = ?"
        return {(agent, sid): tail(self.rows, agent, sid) if self.rows(there, (agent, sid)) else "" for agent, sid in names}

    def coverage(self, chosen: Filter | None = None) -> Coverage:
        """What a search over this database covers, or one that is narrowed so; machines are told of all sessions."""
        condition, values = chosen.session_clause() if chosen is not None else ("1", [])
        counts = self.rows(
            "SELECT machine, agent = 'note', class, count(*), max(ended),"  # noqa: S608 - nothing foreign
            f" count(CASE WHEN {condition} THEN 1 END) FROM store.session GROUP BY 1, 2, 3",
            values,
        )
        classes: dict[str, int] = {}
        machines: dict[str, tuple[str, int, str]] = {}
        for machine, is_note, name, count, ended, matching in counts:
            if is_note:
                continue
            _, before, last = machines.get(machine, (machine, 0, ""))
            machines[machine] = machine, before + count, max(last, ended)
            if matching:
                classes[name] = classes.get(name, 0) + matching
        entry_clause, entry_values = chosen.entry_clause() if chosen is not None else ("1", [])
        # One query for both: where there is no library, that is all it costs.
        rows = self.rows(
            "SELECT name, sessions, last_capture, last_index FROM machine UNION ALL"  # noqa: S608
            f" SELECT '', count(*), '', '' FROM entry WHERE {entry_clause} ORDER BY name",
            entry_values,
        )
        return Coverage(classes, sum(row[5] for row in counts if row[1]), list(machines.values()), rows[0][1], rows[1:])


class Coverage:
    """What there is to search: sessions by class, notes, entries, and machines.

    Of each machine whose sessions are here: (name, sessions, newest time). Of each that the library tells of: (name, sessions, day of the
    last capture, day of the last index), as it said itself.
    """

    __slots__ = ("behind", "classes", "entries", "machines", "notes", "others")

    def __init__(
        self,
        classes: dict[str, int],
        notes: int,
        machines: list[tuple[str, int, str]],
        entries: int = 0,
        others: Sequence[tuple[str, int, str, str]] = (),
    ) -> None:
        self.classes = classes
        self.notes = notes
        self.machines = machines
        self.entries = entries
        self.others = others
        self.behind = 0
        """Entries that are new or changed and not yet taken in; -1 when the library could not be looked through in time."""


def _unusable(error: sqlite3.Error, hint: str = "run `lib index`: it is set aside and built anew") -> NotIndexed:
    return NotIndexed(f"the search db cannot be used: {error}", hint=hint)
