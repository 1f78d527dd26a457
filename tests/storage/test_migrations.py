from __future__ import annotations

import hashlib
import sqlite3

from libtool.domain.fts import columns
from libtool.storage import database
from libtool.storage.migrations import SEARCH_SCHEMA, STORE_STEPS

SEGMENTS = [
    ("H", 1, "Wo liegt parseHTTPHeader2 in src/net/http_client.py? 東京の天気"),
    ("A", 1, "In `netClient`, seit 2024-05-01: naïve café, 한국어"),
    ("C", 2, "$ rg -n 'snake_case|kebab-case' --glob '*.md'"),
    ("F", 2, "error[E0308]: mismatched types"),
]


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_a_step_of_the_store_is_never_edited() -> None:
    """When this fails: take the edit back and add a step, unless no release had it."""
    assert [digest(step) for step in STORE_STEPS] == ["5c856c97832db1be", "c9cb35642af4ff61", "709fc15a4fce9a70", "6df16954184c9e6b"]


def test_a_store_from_before_the_ledger_reads_everything_again() -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(STORE_STEPS[0])
    for missing in (0, 1):
        connection.execute("INSERT INTO file VALUES (NULL, ?, 'codex', 1, 9, 1, '', 9, x'00', '{}', '', '', ?)", (f"/{missing}", missing))
    connection.execute("INSERT INTO login VALUES ('0123456789ab', 'pw', 1)")
    connection.executescript(STORE_STEPS[1])
    assert connection.execute("SELECT size, state FROM file ORDER BY path").fetchall() == [(-1, None), (9, "{}")]
    assert connection.execute("SELECT shape, rotated, key, swept FROM login").fetchall() == [("", "", "", 0)]
    connection.close()


def test_every_step_can_be_taken() -> None:
    names = {name for name, _ in database.schema_of(STORE_STEPS)}
    assert {"file", "session", "part", "chunk", "source", "gone", "tombstone", "login", "fact"} <= names
    assert {"fts", "vocabulary", "spelling", "mark"} <= {name for name, _ in database.schema_of((SEARCH_SCHEMA,))}


def test_the_index_finds_what_it_was_fed() -> None:
    connection = sqlite3.connect(":memory:")
    connection.executescript(SEARCH_SCHEMA)
    row = columns(SEGMENTS, "2026-10-03T09:15:00", "kiln main")
    connection.execute("INSERT INTO fts(rowid, user, assistant, tool, ids) VALUES (1,?,?,?,?)", row)
    for match in ("header", '"http_client"', '"東京"', "october", "kiln", "mismatch", "ids : parse"):
        assert connection.execute("SELECT rowid FROM fts WHERE fts MATCH ?", (match,)).fetchall() == [(1,)], match
    connection.close()
