"""The writer's side of search.db: a cache of the store, built from nothing or caught up by a watermark."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from libtool.domain.body import decode
from libtool.domain.fts import columns
from libtool.storage import database
from libtool.storage.migrations import SEARCH_SCHEMA, SEARCH_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.storage.store import Store

_PAGE = 4096
"""Bytes: what FTS5's own blocks of 4,050 are made for."""
_BATCH = 4000
"""Chunks a transaction: about 6 MB of text, well inside the memory that FTS5 is given."""
_RESPELL_SHARE = 0.02
_TIDY_SHARE, _TIDY_LEAST = 0.2, 1000
_INSERT = "INSERT INTO fts(rowid, user, assistant, tool, ids) VALUES (?,?,?,?,?)"
_DELETE = "INSERT INTO fts(fts, rowid, user, assistant, tool, ids) VALUES ('delete',?,?,?,?,?)"


class SearchBuild:
    """Writes search.db. The caller holds the writer lock."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.db = database.writer(path, _PAGE)
        seen = database.version(self.db)
        if seen == 0:
            self.db.executescript(f"BEGIN IMMEDIATE; {SEARCH_SCHEMA}; PRAGMA user_version = {SEARCH_VERSION}; COMMIT;")
        elif seen != SEARCH_VERSION:
            self.db.close()
            raise sqlite3.DatabaseError(f"schema {seen}, this lib knows {SEARCH_VERSION}")

    def close(self) -> None:
        """Close the database."""
        self.db.close()

    def mark(self, name: str) -> int:
        """A remembered number, 0 when there is none.

        `chunk`: the last chunk indexed. `gone`: the last removal that was followed. `spelled`: chunks there were when the spelling table
        was made.
        """
        row = self.db.execute("SELECT value FROM mark WHERE name=?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def _save_mark(self, name: str, value: int) -> None:
        self.db.execute("INSERT OR REPLACE INTO mark(name, value) VALUES (?,?)", (name, value))

    def catch_up(self, store: Store, progress: Callable[[int], None] | None = None) -> int:
        """Follow the store: delete what it has removed, add what is new, in batches; returns the number of index rows written.

        A kill leaves whole batches and their watermark: the next call goes on from there.
        """
        written = self._follow_removals(store)
        pending: list[tuple[int, str, str, str, str]] = []
        for one, time, words, body in store.chunks_after(self.mark("chunk")):
            pending.append((one, *columns(decode(body), time, words)))
            if len(pending) >= _BATCH:
                written += self._insert(pending)
                if progress is not None:
                    progress(len(pending))
                pending.clear()
        return written + self._insert(pending)

    def _insert(self, rows: list[tuple[int, str, str, str, str]]) -> int:
        if rows:
            with self.db:
                self.db.execute("BEGIN IMMEDIATE")
                self.db.executemany(_INSERT, rows)
                self._save_mark("chunk", rows[-1][0])
        return len(rows)

    def _follow_removals(self, store: Store) -> int:
        """Delete from the index what the store removed; a chunk above the watermark was never here."""
        removed = store.gone(self.mark("gone"))
        if not removed:
            return 0
        mark = self.mark("chunk")
        rows = [(one, *columns(decode(body), time, words)) for _, one, time, words, body in removed if one <= mark]
        last = removed[-1][0]
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.executemany(_DELETE, rows)
            self._save_mark("gone", last)
        with store.db:
            store.db.execute("BEGIN IMMEDIATE")
            store.clear_gone(last)
        return len(rows)

    def tidy(self, added: int) -> None:
        """After a run that added a good part of the index: merge it into one piece, which is smaller and faster to search."""
        if added > _TIDY_LEAST and added > _TIDY_SHARE * self._count():
            self.db.execute("INSERT INTO fts(fts) VALUES ('optimize')")
            self.db.execute("VACUUM")

    def _count(self) -> int:
        return int(self.db.execute("SELECT count(*) FROM fts_docsize").fetchone()[0])

    def respell(self, *, force: bool = False) -> bool:
        """Make the table of known words that repairs a misspelled query, when the index has grown enough since the last time."""
        count = self._count()
        if not force and abs(count - self.mark("spelled")) <= count * _RESPELL_SHARE:
            return False
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("DELETE FROM spelling")
            self.db.execute(
                "INSERT INTO spelling(term) SELECT term FROM vocabulary WHERE length(term) BETWEEN 4 AND 24"
                " AND term GLOB '[a-z]*' AND term NOT GLOB '*[0-9]*' ORDER BY term"
            )
            self._save_mark("spelled", count)
        return True

    def check(self) -> str:
        """'' when the index is sound, else what is wrong (SQLite's and FTS5's own integrity checks)."""
        try:
            answer = str(self.db.execute("PRAGMA quick_check").fetchone()[0])
            self.db.execute("INSERT INTO fts(fts) VALUES ('integrity-check')")
        except sqlite3.DatabaseError as error:
            return str(error)
        return "" if answer == "ok" else answer
