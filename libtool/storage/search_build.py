"""The writer's side of search.db: a cache of the store, built from nothing or caught up by a watermark."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from libtool.domain.body import decode
from libtool.domain.fts import columns
from libtool.storage import database
from libtool.storage.digests import Digests
from libtool.storage.migrations import DIGEST_ROWS, SEARCH_SCHEMA, SEARCH_VERSION
from libtool.storage.purge import purge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from libtool.storage.store import Store

    Row = tuple[int, str, str, str, str]

_PAGE = 4096
"""Bytes: what FTS5's own blocks of 4,050 are made for."""
BATCH = 12_000
"""Chunks a transaction, about 15 MB of text: FTS5 makes one piece of it, in memory that stays under 100 MB."""
_BULK = 2000
"""New chunks from which on pieces are not merged on the way: what merging would write again and again is written once."""
_MERGE_AT = 4
"""FTS5's own default for `automerge`."""
_MOST_PIECES = 6
_RESPELL_SHARE = 0.02
_TIDY_SHARE, _TIDY_LEAST = 0.2, 1000
_SAMPLE = (
    ("H", 1, "Wo liegt parseHTTPHeader2 in src/net/http_client.py? 東京の天気、한국어"),
    ("A", 1, "In `netClient`, since 2024-05-01: naïve café, x86_64, IPv6Address, v1.2.3"),
    ("C", 2, "$ rg -n 'snake_case|kebab-case' --glob '*.md' 一 ab二cd"),
    ("F", 2, "error[E0308]: mismatched types"),
)
"""What the index was fed by is told by what it makes of this."""
_OF_LIBRARY = ("taken", "entry", "passage", "cited", "machine", "library")
INSERT = "INSERT INTO fts(rowid, user, assistant, tool, ids) VALUES (?,?,?,?,?)"
DELETE = "INSERT INTO fts(fts, rowid, user, assistant, tool, ids) VALUES ('delete',?,?,?,?,?)"


class SearchBuild(database.Opened):
    """Writes search.db. The caller holds the writer lock."""

    def __init__(self, path: str) -> None:
        """Open or make it; raises sqlite3.DatabaseError when it is damaged or of another version."""
        self.path = path
        self._waiting = 0
        """Chunks in the open transaction."""
        self._bulk = False
        """Whether so many were added since the last `catch_up` that pieces are not merged on the way."""
        self.db = database.writer(path, _PAGE)
        try:
            self._prepare()
        except BaseException:
            self.db.close()
            raise

    def _prepare(self) -> None:
        seen = database.version(self.db)
        there = database.schema(self.db)
        if seen == 0 and not there:
            self.db.executescript(f"BEGIN IMMEDIATE; {SEARCH_SCHEMA}; PRAGMA user_version = {SEARCH_VERSION}; COMMIT;")
        elif seen != SEARCH_VERSION:
            raise database.WrongSchema(f"schema {seen}, this lib knows {SEARCH_VERSION}")
        elif there != database.schema_of((SEARCH_SCHEMA,)):
            raise database.WrongSchema("it holds other tables than it should")

    def mark(self, name: str) -> int:
        """A remembered number, 0 when there is none.

        `store`: the identity of the store it follows. `rules`: see there. `chunk`, `gone`: the last chunk and removal followed.
        `digest`: the last digest.
        `spelled`, `tidied`: chunks there were when the spelling table was made, and when the index was last merged into one piece.
        """
        row = self.db.execute("SELECT value FROM mark WHERE name=?", (name,)).fetchone()
        return int(row[0]) if row else 0

    def _save_mark(self, name: str, value: int) -> None:
        if self.mark(name) != value:
            self.db.execute("INSERT OR REPLACE INTO mark(name, value) VALUES (?,?)", (name, value))

    def follows(self, store: Store) -> bool:
        """Whether this index was made by our rules, from that store, and from nothing that it has not (a restored backup, a lost write)."""
        chunk, gone, digest = *store.newest(), Digests(store.db).newest()
        if self.mark("store") == 0:
            return True
        return (
            self.mark("store") == store.identity
            and self.mark("rules") == rules()
            and self.mark("chunk") <= chunk
            and self.mark("digest") <= digest
            and self.mark("gone") <= gone
        )

    def catch_up(self, store: Store) -> int:
        """Follow the store: delete what it has removed, add what is new, in batches; returns the number of index rows written.

        A kill leaves whole batches and their watermark: the next call goes on from there.
        """
        written = self.feed(store)
        self._bulk = False
        self._merge_at(_MERGE_AT)
        self.db.execute("COMMIT")
        store.clear_gone(self.mark("gone"))
        return written

    def feed(self, store: Store) -> int:
        """What `catch_up` does, but the last transaction stays open for the next call: pieces of BATCH chunks, whatever the steps.

        What the store holds must be committed there. Ends with `catch_up`, or is forgotten with `close`.
        """
        self._begin(store)
        self._bulk = self._bulk or self._waiting + store.newest()[0] - self.mark("chunk") > _BULK
        # Also when it is not: a kill may have left what a large catch-up had set.
        self._merge_at(0 if self._bulk else _MERGE_AT)
        written = self._follow_removals(store)
        for name, rows in self._batches(store):
            self._insert(name, rows)
            self._waiting += len(rows)
            written += len(rows)
            if self._waiting >= BATCH:
                self.db.execute("COMMIT")
                self._begin(store)
        return written

    def _begin(self, store: Store) -> None:
        if not self.db.in_transaction:
            self.db.execute("BEGIN IMMEDIATE")
            self._waiting = 0
            self._save_mark("store", store.identity)
            self._save_mark("rules", rules())

    def _merge_at(self, pieces: int) -> None:
        """Let FTS5 merge its pieces when so many are of one size; 0: not at all."""
        set_to = self.db.execute("SELECT v FROM fts_config WHERE k = 'automerge'").fetchone()
        if (set_to[0] if set_to else _MERGE_AT) != pieces:
            self.db.execute("INSERT INTO fts(fts, rank) VALUES ('automerge', ?)", (pieces,))

    def rebuild(self, store: Store, library: Callable[[], int] = int) -> int:
        """Make the index from nothing in one transaction: readers see the old one until the new one is whole, and so does a kill.

        `library` adds what the library holds, inside that transaction, and tells how many rows that were.
        """
        written = 0
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("INSERT INTO fts(fts) VALUES ('delete-all')")
            for table in ("mark", *_OF_LIBRARY):
                self.db.execute(f"DELETE FROM {table}")  # noqa: S608 - our own names
            self._save_mark("store", store.identity)
            self._save_mark("rules", rules())
            self._save_mark("gone", store.newest()[1])
            for name, rows in self._batches(store):
                self._insert(name, rows)
                written += len(rows)
            written += library()
        store.clear_gone(self.mark("gone"))
        return written

    def _batches(self, store: Store) -> Iterator[tuple[str, list[Row]]]:
        """What the index lacks, as rows of it, with the name of the mark that they move on."""
        sources = (("chunk", store.chunks_after, 0), ("digest", Digests(store.db).after, DIGEST_ROWS))
        for name, after, base in sources:
            pending: list[Row] = []
            for one, time, words, segments in after(self.mark(name)):
                pending.append((one + base, *columns(segments, time, words)))
                if len(pending) >= BATCH:
                    yield name, pending
                    pending = []
            if pending:
                yield name, pending

    def _insert(self, name: str, rows: list[Row]) -> None:
        self.db.executemany(INSERT, rows)
        self._save_mark(name, rows[-1][0] % DIGEST_ROWS)

    def _follow_removals(self, store: Store) -> int:
        """Delete from the index what the store removed; what is above its watermark was never here. Inside the caller's transaction.

        It must come before anything is added: what was made and removed since the last time is above the watermark only until then.
        """
        written = 0
        marks = self.mark("chunk"), self.mark("digest") + DIGEST_ROWS
        while removed := store.gone(self.mark("gone"), BATCH):
            rows = [(one, *columns(decode(body), time, words)) for _, one, time, words, body in removed if one <= marks[one > DIGEST_ROWS]]
            self.db.executemany(DELETE, rows)
            self._save_mark("gone", removed[-1][0])
            written += len(rows)
        return written

    def is_unsettled(self) -> bool:
        """Whether so much is new that `settle` has something to do."""
        count = self._count()
        return self._is_untidy(count) or self._is_unspelled(count)

    def settle(self, *, wipe: bool = False) -> bool:
        """When a good part of the index is new: known words listed anew, one piece of many, no unused pages.

        With `wipe` whatever is new, so that nothing that was deleted can be read any more; False when a reader was in the way of that.
        No transaction may be open. Takes hardly any Python, so that another thread may go on meanwhile.
        """
        self.respell(force=wipe)
        if not wipe:
            self.tidy()
            return True
        wiped = purge(self.db, index=True)
        self._save_mark("tidied", self._count())
        return wiped

    def tidy(self) -> bool:
        """When a good part of the index is new: one piece of many, which is smaller and faster to search, and no unused pages."""
        count = self._count()
        if not self._is_untidy(count):
            return False
        if self._pieces() > _MOST_PIECES:
            self.db.execute("INSERT INTO fts(fts) VALUES ('optimize')")
        self.db.execute("VACUUM")
        self._save_mark("tidied", count)
        return True

    def _is_untidy(self, count: int) -> bool:
        added = count - self.mark("tidied")
        return added > _TIDY_LEAST and added > _TIDY_SHARE * count

    def _is_unspelled(self, count: int) -> bool:
        return abs(count - self.mark("spelled")) > count * _RESPELL_SHARE

    def _pieces(self) -> int:
        return int(self.db.execute("SELECT count(DISTINCT segid) FROM fts_idx").fetchone()[0])

    def _count(self) -> int:
        return int(self.db.execute("SELECT count(*) FROM fts_docsize").fetchone()[0])

    def respell(self, *, force: bool = False) -> bool:
        """Make the table of known words that repairs a misspelled query, when the index has grown enough since the last time."""
        count = self._count()
        if not force and not self._is_unspelled(count):
            return False
        with self.db:
            self.db.execute("BEGIN IMMEDIATE")
            self.db.execute("DELETE FROM spelling")
            # What was said only once is more often a typing error itself.
            self.db.execute(
                "INSERT INTO spelling(term) SELECT term FROM vocabulary WHERE cnt > 1 AND length(term) BETWEEN 4 AND 24"
                " AND term GLOB '[a-z]*' AND term NOT GLOB '*[0-9]*' ORDER BY term"
            )
            self._save_mark("spelled", count)
        return True


def rules() -> int:
    """A digest of what the rules of domain.fts make of a sample.

    A row is deleted from a contentless index by giving the very words that it was made of, so an index made by other rules must go.
    """
    return zlib.crc32(repr(columns(_SAMPLE, "2026-10-03T09:15:00", "kiln main")).encode())
