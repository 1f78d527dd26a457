from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import sys
import tracemalloc
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters import sqlite_copy
from libtool.adapters.base import Source
from libtool.adapters.opencode import OpenCode, _unquoted
from libtool.domain.session import ASSISTANT, HUMAN
from tests.adapters.reading import FIXTURES, SHARED, head, plain, read, stage

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = OpenCode()
SCHEMA = """
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text, version text, model text, time_created integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, data text);
"""


def database(path: Path, parts: list[Any], schema: str = SCHEMA) -> Path:
    """A database of one session with one user message of these parts."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.executescript(schema)
        connection.execute("INSERT INTO session VALUES ('ses_1', NULL, '/srv', 'T', '1', NULL, 1)")
        connection.execute("INSERT INTO message VALUES ('m', 'ses_1', 1, '{\"role\": \"user\"}')")
        connection.executemany("INSERT INTO part VALUES (?, 'm', ?)", [(f"p{n:05}", part) for n, part in enumerate(parts)])
    return path


def test_places_follow_the_environment() -> None:
    assert [place.root for place in ADAPTER.places("/h", {})] == ["/h/.local/share/opencode"]
    assert [place.root for place in ADAPTER.places("/h", {"XDG_DATA_HOME": "/d"})] == ["/d/opencode"]
    assert [place.root for place in ADAPTER.places("/h", {"OPENCODE_DATA_DIR": "/o", "XDG_DATA_HOME": "/d"})] == ["/o"]


def test_known_by_content_under_any_name(tmp_path: Path) -> None:
    path = database(tmp_path / "x.sqlite", [])
    assert ADAPTER.sniff(head(path), str(path))
    other = tmp_path / "other.db"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE session (id)")
    assert not ADAPTER.sniff(head(other), str(other))
    assert ADAPTER.sniff(head(other), "/h/opencode.db"), "the tables may be in the WAL alone"
    assert not ADAPTER.sniff(b'{"info": {"id": "x"}, "messages": []}', "/x.json")
    assert not ADAPTER.sniff(b'{"name": "ses_1", "x": "ses_"}', "/x.json")
    assert not ADAPTER.sniff(b'{"id": "x", "about": "ses_1"}', "/x.json")


def test_files_beside() -> None:
    assert ADAPTER.side_files("/o/opencode.db") == ("/o/opencode.db-wal",)
    assert ADAPTER.side_files("/o/storage/session/p/ses_1.json") == ("/o/storage/message/ses_1",)
    assert ADAPTER.side_files("/srv/export.json") == ()


def test_rows_in_the_wal_are_read(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", [])
    with closing(sqlite3.connect(path, isolation_level=None)) as owner:
        owner.execute("PRAGMA journal_mode=WAL")
        owner.execute("PRAGMA wal_autocheckpoint=0")
        owner.execute('INSERT INTO part VALUES (\'p\', \'m\', \'{"type": "text", "text": "in the wal"}\')')
        before = sorted(os.listdir(tmp_path))
        result = read(ADAPTER, path)
        assert sorted(os.listdir(tmp_path)) == before
    assert [record.text for record in result.records] == ["T", "in the wal"]


@pytest.mark.parametrize(
    "part", [b"\xff\xfe", 7, None, "[]", '{"type": 3}', "{", '{"type": "tool", "state": []}', '{"type": "text", "text": 1}']
)
def test_odd_values_in_columns_are_survived(tmp_path: Path, part: Any) -> None:
    path = database(tmp_path / "opencode.db", [part, '{"type": "text", "text": "still read"}'])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE session SET directory = 5, version = x'ff', model = '{', time_created = 'x'")
    assert [record.text for record in read(ADAPTER, path).records if record.kind == HUMAN] == ["still read"]


def test_an_empty_database_gives_nothing(tmp_path: Path) -> None:
    result = read(ADAPTER, database(tmp_path / "opencode.db", []))
    assert (result.records, result.tally) == ([], {})


def test_a_foreign_schema_is_a_note(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", [], SCHEMA)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DROP TABLE part")
    assert read(ADAPTER, path).tally == {"notes": ["the database cannot be read in full (OperationalError)"]}


def test_a_damaged_page_is_a_note_after_what_could_be_read(tmp_path: Path) -> None:
    path = database(tmp_path / "opencode.db", [json.dumps({"type": "text", "text": "x" * 3000}) for _ in range(40)])
    data = bytearray(path.read_bytes())
    data[-40_000:] = os.urandom(40_000)
    path.write_bytes(data)
    assert "notes" in read(ADAPTER, path).tally


def test_without_a_private_folder_nothing_is_copied(tmp_path: Path) -> None:
    source = Source.open(str(database(tmp_path / "opencode.db", [])))
    with source.file:
        assert list(ADAPTER.reader(source.path, None).read(source)) == []
    assert source.tally.notes == ["no private folder to copy the database to"]


def test_a_database_that_always_moves_is_a_note(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = database(tmp_path / "opencode.db", [])
    copy_file = sqlite_copy._copy_file

    def moving(file: Any, target: str) -> None:
        copy_file(file, target)
        os.utime(path, ns=(1, os.stat(path).st_mtime_ns + 1))

    monkeypatch.setattr(sqlite_copy, "_copy_file", moving)
    assert read(ADAPTER, path).tally["notes"] == ["the database changed while it was copied; the next run tries again"]


@pytest.mark.skipif(sys.gettrace() is not None, reason="a tracer holds memory of its own")
def test_memory_does_not_follow_the_size(tmp_path: Path) -> None:
    part = json.dumps({"type": "tool", "tool": "bash", "state": {"status": "completed", "input": {}, "output": "x" * 100_000}})
    path = database(tmp_path / "opencode.db", [part] * 300)
    source = Source.open(str(path), scratch=str(tmp_path))
    with source.file:
        tracemalloc.start()
        count = sum(1 for _ in ADAPTER.reader(str(path), None).read(source))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert count == 601
    assert peak < path.stat().st_size / 5


def test_an_export_gives_what_the_database_gives(tmp_path: Path) -> None:
    home = stage(FIXTURES / "opencode" / "database", tmp_path)
    path = home / ".local/share/opencode/opencode.db"
    whole = read(ADAPTER, path).records
    wanted = next(session for session in plain(whole) if session["id"] == "ses_a1b2c3d4e5f6g7h8")
    with closing(sqlite3.connect(path)) as connection:
        messages = [
            {"info": json.loads(data), "parts": [json.loads(part) for (part,) in connection.execute(PARTS, (key,))]}
            for key, data in connection.execute("SELECT id, data FROM message WHERE session_id = ? ORDER BY id", (wanted["id"],))
        ]
    info = {"id": wanted["id"], "slug": "x", "directory": "/home/dev/shop", "title": wanted["title"], "version": "1.18.33"}
    export = tmp_path / "export.json"
    export.write_text(json.dumps({"info": info | {"time": {"created": 1_790_000_000_000}}, "messages": messages}, indent=2))
    assert ADAPTER.sniff(head(export), str(export))
    assert plain(read(ADAPTER, export).records) == [wanted]


PARTS = "SELECT data FROM part WHERE message_id = ? ORDER BY id"


def test_a_document_of_another_kind_gives_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"id": 5}')
    assert read(ADAPTER, path).records == []
    path.write_text('{"info": [], "messages": [{"parts": [{"type": "reasoning"}, {"type": "text", "text": "kept"}]}, 3]}')
    assert [(record.session.id, record.kind) for record in read(ADAPTER, path).records] == [("unknown", ASSISTANT)]


def test_a_part_that_cannot_be_opened_is_counted(tmp_path: Path) -> None:
    home = stage(FIXTURES / "opencode" / "storage", tmp_path)
    storage = home / ".local/share/opencode/storage"
    (storage / "part/msg_1/prt_9.json").mkdir()
    result = read(ADAPTER, storage / "session/p1/ses_a1b2c3d4e5f6g7h8.json")
    assert result.tally == {"damaged": 2}
    assert len(result.records) == 5


@given(words=st.lists(st.text(), min_size=1, max_size=5))
def test_quotes_that_run_adds_are_taken_off(words: list[str]) -> None:
    prompt = " ".join(words)
    escaped = prompt.replace('"', '\\"')
    if not prompt.endswith("\\"):
        assert _unquoted(f'"{escaped}"').replace("\\", "") == prompt.replace("\\", "")


@pytest.mark.parametrize("prompt", ["plain", '"', '"a" and "b"', "'a'", 'a "b"', ""])
def test_other_quotes_stay(prompt: str) -> None:
    assert _unquoted(prompt) == prompt


@pytest.mark.shared
def test_the_sample_database(tmp_path: Path) -> None:
    script = SHARED / "samples" / "clients" / "opencode" / "opencode.sql"
    if not script.is_file():
        pytest.skip("no sample data beside the repository")
    path = tmp_path / "opencode.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script.read_text(encoding="utf-8"))
    result = read(ADAPTER, path)
    said = [record.text for record in result.records if record.kind == HUMAN]
    assert result.tally == {}
    assert (len(said), hashlib.sha256("\x1e".join(said).encode()).hexdigest()[:16]) == (13, "3b80dd3ff48f5bdd")
    assert len({record.session.id for record in result.records}) == 11
