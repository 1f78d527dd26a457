from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import pytest

from libtool.errors import NotIndexed
from libtool.features import forget, index, search, verdict
from libtool.features.status import counted, status
from libtool.storage.search_db import Filter
from tests.carried import CACHE

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config

WITHHELD = ("automated", "security-review", "trivial")


def test_what_is_covered_is_counted(indexed: Config, home: Path) -> None:
    (home / "WORKLOG.md").write_text("# Log\n\nDone.\n")
    index.run(indexed, {})
    found = status(indexed, {})
    assert list(found.agents.items()) == [
        ("claude-code", {"work": 2, "sub-agent": 1, "security-review": 1}),
        ("codex", {"work": 1}),
        ("gemini-cli", {"work": 1}),
        ("pi", {"work": 1}),
    ]
    assert (found.notes, found.logins, found.forgotten, found.missing, found.changed) == (1, 1, 0, 0, 0)
    assert (found.told, found.unusable, found.unreadable, found.unknown, found.damaged, found.oversize) == ((), "", (), {}, {}, 0)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.?\d*Z", found.newest)
    assert found.sizes["store.db"] >= os.path.getsize(indexed.store_db)
    assert set(found.sizes) == {"store.db", "search.db"}
    assert counted(indexed) == (found.agents, 1, 1)


def test_the_coverage_is_that_of_a_search(indexed: Config) -> None:
    result = search.search(indexed, "timetable", Filter(classes=WITHHELD), limit=8)
    searched = verdict.coverage(indexed, result.coverage, WITHHELD)
    assert status(indexed, {}).coverage == searched
    assert searched["sessions"] == 6
    assert searched["withheld"] == {"automated": 0, "security-review": 1, "trivial": 0}
    assert searched["machines"] == [
        {"name": "desk", "last_capture": "2026-03-20T11:02:42.194Z", "sessions": 7, "searchable": True},
    ]


def test_what_changed_since_is_counted_and_nothing_is_written(indexed: Config, home: Path) -> None:
    before = {name: os.stat(os.path.join(indexed.data_dir, name)).st_mtime_ns for name in os.listdir(indexed.data_dir)}
    path = next(home.glob(".pi/agent/sessions/*/*.jsonl"))
    path.write_text(path.read_text() + "\n")
    path.with_name("2026-03-21_0c0c0c0c-aaaa.jsonl").write_text(path.read_text().replace("a90c57e2", "0c0c0c0c"))
    assert status(indexed, {}).changed == 2
    after = {name: os.stat(os.path.join(indexed.data_dir, name)).st_mtime_ns for name in before}
    changed = {name for name in before if before[name] != after[name]}
    assert not {name for name in changed if not name.endswith(("-wal", "-shm"))}


def test_without_a_key_it_still_answers(indexed: Config) -> None:
    os.unlink(indexed.key_file)
    assert status(indexed, {}).changed == 0
    assert not os.path.exists(indexed.key_file)


def test_what_could_not_be_understood_is_told(staged: Config, home: Path) -> None:
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    odd = '{"timestamp":"2026-03-05T06:50:00.000Z","type":"weather_report","payload":{}}\n'
    path.write_text(path.read_text() + odd + odd + "{broken\n")
    (home / ".pi/agent/sessions/--x--/2026-01-01_deadbeef.jsonl").mkdir(parents=True)
    index.run(staged, {})
    found = status(staged, {})
    assert found.unknown == {"codex": {"weather_report": 2}}
    assert found.damaged == {"codex": 1}
    assert [reason for _, reason in found.unreadable] == ["a folder where a file should be"]


def test_a_file_that_cannot_be_read_is_named(staged: Config, home: Path) -> None:
    path = home / ".claude/projects/-x/00000000-0000-4000-8000-000000000000.jsonl"
    path.parent.mkdir()
    os.symlink("/proc/self/mem", path)
    index.run(staged, {})
    found = status(staged, {})
    assert [path for path, _ in found.unreadable] == [str(path)] * len(found.unreadable)
    assert found.unreadable


def test_remarks_of_an_adapter_are_told(staged: Config, home: Path) -> None:
    store = home / ".local/share/opencode/opencode.db"
    store.parent.mkdir(parents=True)
    store.write_bytes(b"SQLite format 3\x00" + b"CREATE TABLE session (CREATE TABLE message (CREATE TABLE part (" * 3)
    index.run(staged, {})
    found = status(staged, {})
    assert {path for path, _ in (*found.remarks, *found.unreadable)} == {str(store)}


def test_what_is_gone_and_forgotten_is_counted(indexed: Config, home: Path) -> None:
    forget.forget(indexed, forget.target(indexed, CACHE))
    next(home.glob(".pi/agent/sessions/*/*.jsonl")).unlink()
    index.run(indexed, {})
    found = status(indexed, {})
    assert (found.forgotten, found.missing, found.agents["pi"]) == (2, 1, {"work": 1})


def test_a_walk_that_was_cut_short_is_told(indexed: Config) -> None:
    found = status(indexed.replace(walk_seconds=1e-9), {})
    assert found.told == ("the walk through your projects was cut short by its limit of time: see `walk` in docs/config.md",)


def test_a_search_db_that_cannot_be_used_is_told(indexed: Config) -> None:
    with open(indexed.search_db, "r+b") as file:
        file.write(b"no database at all")
    assert "cannot be used" in status(indexed, {}).unusable
    os.unlink(indexed.search_db)
    assert status(indexed, {}).unusable == "there is no search db"


def test_where_nothing_is_indexed_it_says_so(staged: Config) -> None:
    for ask in (lambda: status(staged, {}), lambda: counted(staged)):
        with pytest.raises(NotIndexed):
            ask()
