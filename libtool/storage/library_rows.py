"""The writer's side of what the search db holds of the library: entries as passages, and what each machine said of itself."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.body import decode, encode
from libtool.domain.fts import columns
from libtool.storage.migrations import ENTRY_ROWS
from libtool.storage.search_build import DELETE, INSERT, rules
from libtool.storage.store import compress, decompress

if TYPE_CHECKING:
    from libtool.domain.passages import Passages
    from libtool.storage.search_build import SearchBuild


class Taken(NamedTuple):
    """A file of the library as it was read: its stamp, whether that vouches for it, a checksum of its bytes."""

    stamp: str
    settled: bool
    crc: int


class Record(NamedTuple):
    """What a machine said of itself: days as YYYY-MM-DD, '' for never."""

    name: str
    last_capture: str
    last_index: str
    sessions: int


class LibraryRows:
    """Changes inside the one transaction that the caller holds open on the search db."""

    def __init__(self, search: SearchBuild) -> None:
        self._db = search.db
        self._search = search

    def may_write(self) -> bool:
        """Whether the index was made by our rules; a row can be deleted only by the words that it was made of."""
        return self._search.mark("rules") == rules()

    def known(self) -> dict[str, Taken]:
        """Every file that was taken in, by its name in the library."""
        rows = self._db.execute("SELECT name, stamp, settled, crc FROM taken")
        return {name: Taken(stamp, bool(settled), crc) for name, stamp, settled, crc in rows}

    def watermark(self) -> str:
        """Where the library stood when all of it was taken in; '' when it was not."""
        row = self._db.execute("SELECT watermark FROM library").fetchone()
        return str(row[0]) if row else ""

    def save_watermark(self, text: str) -> None:
        """Remember it; writes nothing when it is the same."""
        if self.watermark() != text:
            self._db.execute("DELETE FROM library")
            self._db.execute("INSERT INTO library(watermark) VALUES (?)", (text,))

    def settle(self, name: str, taken: Taken) -> None:
        """The same bytes under another stamp."""
        self._db.execute("UPDATE taken SET stamp = ?, settled = ?, crc = ? WHERE name = ?", (*taken, name))

    def put_entry(self, topic: str, taken: Taken, entry: Passages) -> int:
        """Replace an entry; how many rows of the index that wrote."""
        name = f"entries/{topic}.md"
        written = self.drop(name)
        row = self._take(name, taken)
        projects = f" {' '.join(entry.projects)} " if entry.projects else ""
        self._db.execute(
            "INSERT INTO entry(id, topic, title, date, projects) VALUES (?,?,?,?,?)", (row, topic, entry.title, entry.date, projects)
        )
        self._db.executemany(
            "INSERT INTO cited(entry, agent, sid, machine, date) VALUES (?,?,?,?,?)", ((row, *cited) for cited in entry.cited)
        )
        for section, line, text in entry.passages:
            body = encode([("N", line, text)])
            cursor = self._db.execute(
                "INSERT INTO passage(entry, section, line, body) VALUES (?,?,?,?)", (row, section, line, compress(body))
            )
            self._db.execute(INSERT, _index_row(int(cursor.lastrowid or 0), body, entry.date, topic, entry.title))
        return written + len(entry.passages)

    def put_machine(self, name: str, taken: Taken, record: Record | None) -> None:
        """Replace what a machine said; None for what cannot be understood, which is not asked again until it changes."""
        self.drop(name)
        row = self._take(name, taken)
        if record is not None:
            self._db.execute("INSERT INTO machine(id, name, last_capture, last_index, sessions) VALUES (?,?,?,?,?)", (row, *record))

    def drop(self, name: str) -> int:
        """Delete what came of a file; how many rows of the index that were."""
        rows = self._db.execute(
            "SELECT passage.id, body, date, topic, title FROM taken JOIN entry ON entry.id = taken.id"
            " JOIN passage ON passage.entry = entry.id WHERE name = ?",
            (name,),
        ).fetchall()
        self._db.executemany(DELETE, (_index_row(one, decompress(body), *facts) for one, body, *facts in rows))
        for table, column in (("passage", "entry"), ("cited", "entry"), ("entry", "id"), ("machine", "id"), ("taken", "id")):
            self._db.execute(f"DELETE FROM {table} WHERE {column} = (SELECT id FROM taken WHERE name = ?)", (name,))  # noqa: S608 - our own names
        return len(rows)

    def _take(self, name: str, taken: Taken) -> int:
        cursor = self._db.execute("INSERT INTO taken(name, stamp, settled, crc) VALUES (?,?,?,?)", (name, *taken))
        return int(cursor.lastrowid or 0)


def _index_row(passage: int, body: str, date: str, topic: str, title: str) -> tuple[int, str, str, str, str]:
    return (passage + ENTRY_ROWS, *columns(decode(body), date, f"{topic} {title}"))


def checksum(data: bytes) -> int:
    """What tells the bytes of a file from those it had a moment before."""
    return zlib.crc32(data)
