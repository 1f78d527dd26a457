from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.base import Source
from libtool.adapters.crush import Crush, _moment
from libtool.adapters.documents import from_millis
from libtool.domain.session import HUMAN, SUMMARY
from tests.adapters.reading import FIXTURES, head, read, stage

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = Crush()
SCHEMA = """
CREATE TABLE sessions (id TEXT PRIMARY KEY, parent_session_id TEXT, title TEXT NOT NULL, created_at INTEGER NOT NULL);
CREATE TABLE messages (id TEXT PRIMARY KEY, session_id TEXT NOT NULL, role TEXT NOT NULL, parts BLOB NOT NULL default '[]',
 created_at INTEGER NOT NULL);
CREATE TABLE files (id TEXT PRIMARY KEY, content TEXT NOT NULL);
"""
"""The oldest form: no model, no summary."""


def part(text: str) -> str:
    return json.dumps([{"type": "text", "data": {"text": text}}])


def database(path: Path, parts: list[Any], role: str = "user") -> Path:
    """A database of one session with a message for each of `parts`, all of the same second."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(SCHEMA)
        connection.execute("INSERT INTO sessions VALUES ('s-1', NULL, 'T', 1790000000)")
        rows = [(f"{len(parts) - at:05}", role, each) for at, each in enumerate(parts)]
        connection.executemany("INSERT INTO messages VALUES (?, 's-1', ?, ?, 1790000001)", rows)
    return path


def said(path: Path) -> list[str]:
    return [record.text for record in read(ADAPTER, path).records if record.kind == HUMAN]


def test_known_by_content_under_any_name(tmp_path: Path) -> None:
    path = database(tmp_path / "x.sqlite", [])
    assert ADAPTER.sniff(head(path), str(path))
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.executescript("CREATE TABLE sessions (id); CREATE TABLE messages (id, parts); CREATE TABLE files (id)")
    assert not ADAPTER.sniff(head(other), str(other))
    assert ADAPTER.sniff(head(other), "/p/.crush/crush.db"), "the tables may be in the WAL alone"
    assert not ADAPTER.sniff(b"-- CREATE TABLE sessions (", "/p/.crush/crush.db")


def test_rows_in_the_wal_are_read(tmp_path: Path) -> None:
    path = database(tmp_path / "crush.db", [])
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("PRAGMA journal_mode=WAL")
        owner.execute("PRAGMA wal_autocheckpoint=0")
        owner.execute("INSERT INTO messages VALUES ('m', 's-1', 'user', ?, 1790000002)", (part("in the wal"),))
        before = sorted(os.listdir(tmp_path))
        assert said(path) == ["in the wal"]
        assert sorted(os.listdir(tmp_path)) == before
    assert ADAPTER.side_files(str(path)) == (f"{path}-wal",)


def test_messages_of_one_second_keep_the_order_in_which_they_were_written(tmp_path: Path) -> None:
    words = [f"prompt {at}" for at in range(20)]
    assert said(database(tmp_path / "crush.db", list(map(part, words)))) == words


@pytest.mark.parametrize(
    "odd",
    [
        b"\xff\xfe",
        7,
        "{}",
        '"x"',
        '[{"type": 3}]',
        "[",
        '[{"type": "text"}, 4]',
        '[{"type": "tool_result", "data": []}]',
        '[{"type": "reasoning", "data": {}}]',
    ],
)
def test_odd_values_in_columns_are_survived(tmp_path: Path, odd: Any) -> None:
    path = database(tmp_path / "crush.db", [odd, part("still read")])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE sessions SET title = x'ff', created_at = 'x'")
    assert said(path) == ["still read"]


def test_a_session_or_message_without_an_id(tmp_path: Path) -> None:
    path = database(tmp_path / "crush.db", [])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("ALTER TABLE sessions ADD COLUMN summary_message_id TEXT")
        connection.execute("UPDATE sessions SET id = ''")
        connection.execute("INSERT INTO messages VALUES (NULL, '', 'assistant', ?, -1)", (part("no summary"),))
    (title, record) = read(ADAPTER, path).records
    assert (record.session.id, record.kind != SUMMARY, record.time) == ("unknown", True, "")
    assert title.session is record.session


def test_what_crush_itself_writes_behind_a_compaction_is_no_prompt(tmp_path: Path) -> None:
    again = "The previous session was interrupted because it {}he initial user request was: `pay`"
    resumed = [again.format("got too long, t"), again.format("exceeded the context window and the history was summarized. T")]
    own = ["The previous session was interrupted because it crashed: what did we decide?", "go on"]
    assert said(database(tmp_path / "crush.db", list(map(part, resumed + own)))) == own


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        ("ok\n\n<cwd>/srv</cwd>", False),
        ("Exit code 2\n\n<cwd>/srv</cwd>", True),
        ("\nno such file\nExit code 127", True),
        ("x\nCommand was aborted before completion\n\n<cwd>/srv</cwd>", True),
        ("Exit code 1 is what the docs say\nall well", False),
        ("Exit code 0", False),
    ],
)
def test_a_failed_command_is_told_by_the_end_of_its_output(tmp_path: Path, output: str, failed: bool) -> None:
    result = json.dumps([{"type": "tool_result", "data": {"name": "bash", "content": output}}])
    (_, record) = read(ADAPTER, database(tmp_path / "crush.db", [result], "tool")).records
    assert record.failed is failed


def test_a_foreign_schema_is_a_note(tmp_path: Path) -> None:
    path = tmp_path / "crush.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE x (y)")
    assert read(ADAPTER, path).tally == {"notes": ["the database cannot be read in full (OperationalError)"]}


def test_without_a_private_folder_nothing_is_copied(tmp_path: Path) -> None:
    source = Source.open(str(database(tmp_path / "crush.db", [part("x")])))
    with source.file:
        assert list(ADAPTER.reader(source.path, None).read(source)) == []
    assert source.tally.notes == ["no private folder to copy the database to"]


def test_the_project_is_told_by_the_folder_alone(tmp_path: Path) -> None:
    home = stage(FIXTURES / "crush" / "database", tmp_path)
    path = home / "work/shop/.crush/crush.db"
    assert {record.session.cwd for record in read(ADAPTER, path).records} == {str(home / "work/shop")}
    moved = tmp_path / "kept.db"
    path.rename(moved)
    assert {record.session.cwd for record in read(ADAPTER, moved).records} == {""}


@given(st.integers(1, 99_999_999_999))
def test_seconds_and_milliseconds_say_the_same_moment(seconds: int) -> None:
    assert _moment(seconds) == from_millis(seconds * 1000)
    if seconds >= 100_000_000:
        assert _moment(seconds) == _moment(seconds * 1000)


@pytest.mark.parametrize("value", [None, True, "1790000000", -1, 0, 1 << 80])
def test_what_is_no_time(value: object) -> None:
    assert _moment(value) == ""
