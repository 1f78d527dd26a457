from __future__ import annotations

import contextlib
import os
import sqlite3
import zlib
from typing import TYPE_CHECKING

import pytest

from libtool.errors import LibError, Locked, NotIndexed
from libtool.features import forget, index, search
from libtool.storage import current, purge
from libtool.storage.lock import writer_lock
from libtool.storage.search_db import Filter, SearchDb
from libtool.storage.session_db import SessionDb
from libtool.storage.store import Store, compress
from tests.carried import CACHE, ETAG, EXPLORE, QUOTA

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from libtool.config import Config

WORD = "Raspberry"
"""Said in CACHE alone."""
TITLE = "Cache the timetable of the departure board"


MAGIC = compress("")[:2]
"""How every compressed body begins."""


def bytes_of(config: Config) -> Iterator[bytes]:
    """Everything in the data folder, as it is, and every run of zlib in it decompressed."""
    for folder, _, names in os.walk(config.data_dir):
        for name in names:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read()
            yield data
            at = data.find(MAGIC)
            while at >= 0:
                with contextlib.suppress(zlib.error):
                    yield zlib.decompressobj().decompress(data[at:])
                at = data.find(MAGIC, at + 1)


def traces(config: Config, word: str) -> int:
    return sum(piece.lower().count(word.lower().encode()) for piece in bytes_of(config))


def sessions(config: Config) -> set[str]:
    with SessionDb(config.store_db) as database:
        return {f"{agent}:{sid}" for agent, sid in database.rows("SELECT agent, sid FROM session")}


def test_the_target_is_told_with_its_family_and_files(indexed: Config, home: Path) -> None:
    doomed = forget.target(indexed, "claude-code:9c31f7a2#2")
    assert (doomed.ref, doomed.agent, doomed.title) == ("claude-code:9c31f7a2", "claude-code", TITLE)
    assert (doomed.project, doomed.started[:10], doomed.turns) == ("ferry-board", "2026-03-02", 3)
    assert doomed.sids == (CACHE.partition(":")[2], EXPLORE.partition(":")[2])
    assert sorted(doomed.paths) == sorted(map(str, home.glob(".claude/projects/*/**/[ab][g1]*.jsonl")))
    assert doomed.copies == ()


def test_who_is_in_it_now_is_not_told_any_more(indexed: Config) -> None:
    agent, _, sid = CACHE.partition(":")
    process = f"{os.getpid()} 1"
    current.put(indexed, process, agent, sid)
    assert current.of(indexed, process) == (agent, sid)
    forget.forget(indexed, forget.target(indexed, CACHE))
    assert current.of(indexed, process) == ("", "")


def test_nothing_of_it_is_left(indexed: Config) -> None:
    index.run(indexed, {}, rebuild=True)
    for word in (WORD, TITLE, "nightly.py"):
        assert traces(indexed, word)
    done = forget.forget(indexed, forget.target(indexed, CACHE))
    assert done == forget.Forgotten(2, purged=True, aside=())
    assert [traces(indexed, word) for word in (WORD, TITLE, "selectolax", "nightly.py")][:2] == [0, 0]
    assert traces(indexed, "selectolax")
    assert {CACHE, EXPLORE} & sessions(indexed) == set()
    database = SearchDb(indexed.search_db, indexed.store_db)
    assert database.db.execute("SELECT count(*) FROM vocabulary WHERE term LIKE 'raspb%'").fetchone() == (0,)
    assert database.similar("raspberri") == [] or not any(term.startswith("raspb") for term in database.similar("raspberri"))
    database.close()
    assert search.search(indexed, WORD, Filter(), limit=8).hits == []
    assert search.search(indexed, "selectolax", Filter(), limit=8).has_strong


def test_it_is_never_indexed_again(indexed: Config, home: Path) -> None:
    forget.forget(indexed, forget.target(indexed, CACHE))
    path = next(home.glob(".claude/projects/*/b1f6c2a4*.jsonl"))
    text = path.read_text()
    path.write_text(text + text.splitlines()[0].replace("departure board", "departure board once more") + "\n")
    agent = next(home.glob(".claude/projects/*/*/subagents/*.jsonl"))
    agent.with_name("agent-a3f09c12.jsonl").write_text(agent.read_text().replace("a3f09c11", "a3f09c12"))
    for rebuild in (False, True):
        index.run(indexed, {}, rebuild=rebuild)
        assert not any(name in sessions(indexed) for name in (CACHE, EXPLORE, CACHE + "/a3f09c12"))
        assert traces(indexed, WORD) == traces(indexed, TITLE) == 0


def test_what_was_interrupted_is_ended_by_the_same_command(indexed: Config) -> None:
    doomed = forget.target(indexed, QUOTA)
    store = Store(indexed.store_db)
    store.begin()
    store.forget(doomed.agent, doomed.sids[0])
    store.commit()
    store.close()
    assert traces(indexed, "full jitter")
    again = forget.target(indexed, "codex:3be1f08d6a55")
    assert (again.ref, again.again, again.sids) == (QUOTA, True, doomed.sids)
    assert forget.forget(indexed, again).purged
    assert traces(indexed, "full jitter") == 0
    assert forget.target(indexed, QUOTA).again
    assert forget.target(indexed, QUOTA.partition(":")[2]).again


def test_a_tombstone_must_be_named_unambiguously(indexed: Config) -> None:
    forget.forget(indexed, forget.target(indexed, CACHE))
    for ref in (CACHE, "claude-code:9c31f7a2"):
        assert forget.target(indexed, ref).sids == (CACHE.partition(":")[2],)
    with pytest.raises(LibError, match="nothing indexed here is named"):
        forget.target(indexed, "claude-code:93d1-4c5e")


def test_a_sub_agent_may_go_alone(indexed: Config) -> None:
    assert forget.forget(indexed, forget.target(indexed, EXPLORE)).sessions == 1
    assert EXPLORE not in sessions(indexed)
    assert CACHE in sessions(indexed)


def test_a_fork_keeps_what_it_copied_and_is_named(staged: Config, home: Path) -> None:
    path = next(home.glob(".claude/projects/*/7c40e9d8*.jsonl"))
    fork = ETAG.partition(":")[2].replace("7c40e9d8", "0f0f0f0f")
    path.with_name(f"{fork}.jsonl").write_text(path.read_text().replace(ETAG.partition(":")[2], fork))
    index.run(staged, {})
    doomed = forget.target(staged, f"claude-code:{fork}")
    assert doomed.copies == ("claude-code:" + ETAG[-len("e9d8-1b5a-4f0e-9e63-2a8b6d74c105") :],)
    forget.forget(staged, doomed)
    assert search.search(staged, "cancellation", Filter(), limit=8).hits


def test_a_circle_of_sub_agents_ends(indexed: Config) -> None:
    connection = sqlite3.connect(indexed.store_db)
    connection.execute("UPDATE session SET parent = ? WHERE sid = ?", (EXPLORE.partition(":")[2], CACHE.partition(":")[2]))
    connection.commit()
    connection.close()
    assert len(forget.target(indexed, CACHE).sids) == 2


def test_a_damaged_search_db_is_made_anew_and_not_kept(indexed: Config) -> None:
    with open(indexed.search_db, "r+b") as file:
        file.write(b"no database at all")
    forget.forget(indexed, forget.target(indexed, CACHE))
    assert traces(indexed, WORD) == 0
    assert search.search(indexed, "selectolax", Filter(), limit=8).hits


def test_what_was_set_aside_is_named(indexed: Config) -> None:
    aside = indexed.store_db + ".damaged-1"
    os.link(indexed.store_db, aside)
    assert forget.forget(indexed, forget.target(indexed, QUOTA)).aside == (aside,)


def test_a_reader_in_the_way_is_said(indexed: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(purge, "WAIT_SECONDS", 0.1)
    doomed = forget.target(indexed, CACHE)
    reader = sqlite3.connect(indexed.store_db, isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM session").fetchone()
    assert not forget.forget(indexed, doomed).purged
    reader.close()


def test_a_writer_in_the_way_is_named(indexed: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forget, "LOCK_SECONDS", 0.1)
    doomed = forget.target(indexed, QUOTA)
    with writer_lock(indexed, 1, task="lib index"), pytest.raises(Locked):
        forget.forget(indexed, doomed)
    assert QUOTA in sessions(indexed)


def test_nothing_can_be_forgotten_before_something_is_indexed(staged: Config) -> None:
    with pytest.raises(NotIndexed):
        forget.target(staged, QUOTA)


def test_a_search_db_that_cannot_be_opened_for_another_reason_stays(indexed: Config, home: Path) -> None:
    doomed = forget.target(indexed, QUOTA)
    os.rename(indexed.search_db, home / "search.db")
    os.mkdir(indexed.search_db)
    with pytest.raises(Exception, match="data dir"):
        forget.forget(indexed, doomed)
    assert os.path.isdir(indexed.search_db)
