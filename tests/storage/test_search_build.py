from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from libtool.domain.chunk import Chunk, Segment
from libtool.storage import purge, search_build
from libtool.storage.database import WrongSchema
from libtool.storage.migrations import SEARCH_VERSION
from libtool.storage.search_build import SearchBuild
from libtool.storage.store import FileRow, Store

if TYPE_CHECKING:
    from pathlib import Path


def say(store: Store, *texts: str) -> int:
    """A session with these chunks; its part."""
    number = len(store.session_rows())
    file = store.save_file(FileRow(0, f"/{number}-{store.newest()}", "codex", 1, 2, 3, "", 4, b"e", None, "", "", 0))
    part, _ = store.part(file, store.session_id("codex", f"s{number}"))
    for order, text in enumerate(texts):
        store.add_chunk(part, order, Chunk((Segment("H", 1, text),), "2026-03-01T09:00:00"), "kiln", f"codex:s{number}")
    return part


def found(search: SearchBuild, word: str) -> list[int]:
    return [row[0] for row in search.db.execute("SELECT rowid FROM fts WHERE fts MATCH ? ORDER BY rowid", (word,))]


@pytest.mark.parametrize("batch", [1, 2, 100])
def test_it_follows_the_store_by_what_is_new_and_what_is_gone(
    store: Store, search: SearchBuild, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_build, "BATCH", batch)
    part = say(store, "celadon one", "celadon two", "celadon three")
    sizes: list[int] = []
    insert = search._insert

    def noted(name: str, rows: list[tuple[int, str, str, str, str]]) -> None:
        sizes.append(len(rows))
        insert(name, rows)

    monkeypatch.setattr(search, "_insert", noted)
    assert search.catch_up(store) == 3
    assert sum(sizes) == 3
    assert max(sizes) <= batch
    assert found(search, "celadon") == [1, 2, 3]
    before = search.db.total_changes, store.db.total_changes
    assert search.catch_up(store) == 0
    assert (search.db.total_changes, store.db.total_changes) == before
    say(store, "celadon four")
    store.drop_part(part)
    # Made and dropped before the index ever saw it.
    store.drop_part(say(store, "celadon five"))
    assert search.catch_up(store) == 4
    assert found(search, "celadon") == [4]
    assert found(search, "kiln") == [4]
    assert store.gone(0, 10) == []
    assert (search.mark("chunk"), search.mark("gone")) == (4, 4)
    search.db.execute("INSERT INTO fts(fts) VALUES ('integrity-check')")


def test_a_removal_is_followed_again_when_only_the_index_knew(store: Store, search: SearchBuild) -> None:
    part = say(store, "celadon one")
    search.catch_up(store)
    store.drop_part(part)
    rows = store.gone(0, 10)
    search.catch_up(store)
    # Killed between the two databases: the store still lists what the index has deleted.
    store.db.execute("INSERT INTO gone SELECT 1, 1, ?, ?, x'00'", (rows[0][2], rows[0][3]))
    assert search.catch_up(store) == 0
    assert store.db.execute("SELECT count(*) FROM gone").fetchone() == (0,)


def test_whether_it_was_made_from_a_store(store: Store, search: SearchBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert search.follows(store)
    say(store, "celadon")
    search.catch_up(store)
    assert search.follows(store)
    other = Store(str(tmp_path / "other.db"))
    assert not search.follows(other)
    other.close()
    with monkeypatch.context() as patch:
        patch.setattr("libtool.domain.fts.MONTHS", ["Ocak"] * 12)
        assert not search.follows(store)
    assert search.follows(store)
    store.db.execute("UPDATE sqlite_sequence SET seq = 0 WHERE name = 'chunk'")
    assert not search.follows(store)


def test_a_rebuild_is_one_transaction(store: Store, search: SearchBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_build, "BATCH", 1)
    part = say(store, "celadon one", "celadon two")
    search.catch_up(store)
    store.drop_part(part)
    say(store, "celadon three", "celadon four")
    reader = sqlite3.connect(tmp_path / "search.db")
    seen: list[int] = []

    def look() -> int:
        seen.append(reader.execute("SELECT count(*) FROM fts WHERE fts MATCH 'celadon'").fetchone()[0])
        return 0

    def fail() -> int:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search.rebuild(store, fail)
    assert found(search, "celadon") == [1, 2]
    assert search.rebuild(store, look) == 2
    assert seen == [2]
    assert found(search, "celadon") == [3, 4]
    assert search.rebuild(store) == 2
    assert search.follows(store)
    assert store.gone(0, 9) == []
    assert search.catch_up(store) == 0
    reader.close()


def test_it_is_tidied_when_much_is_new(store: Store, search: SearchBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_build, "_TIDY_LEAST", 3)
    monkeypatch.setattr(search_build, "_MOST_PIECES", 0)
    assert not search.tidy()
    say(store, *(f"celadon {number}" for number in range(20)))
    search.catch_up(store)
    assert search.tidy()
    assert not search.tidy()
    say(store, *(f"tenmoku {number}" for number in range(4)))
    search.catch_up(store)
    assert not search.tidy()
    say(store, *(f"shino {number}" for number in range(4)))
    search.catch_up(store)
    assert search.tidy()
    assert len(found(search, "celadon OR tenmoku OR shino")) == 28


def test_it_is_settled_when_much_is_new_or_all_traces_must_go(
    store: Store, search: SearchBuild, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def deleted() -> None:
        store.begin()
        store.drop_session(store.session_rows()[-1])
        store.commit()
        search.catch_up(store)

    def is_there(word: bytes) -> bool:
        return any(word in (tmp_path / name).read_bytes() for name in ("search.db", "search.db-wal"))

    assert not search.is_unsettled()
    say(store, *(f"celadon {number} celadon" for number in range(20)))
    search.catch_up(store)
    assert search.is_unsettled()
    assert search.settle()
    assert not search.is_unsettled()
    monkeypatch.setattr(search_build, "_TIDY_LEAST", 3)
    assert search.is_unsettled()
    assert search.settle()
    assert not search.is_unsettled()
    say(store, "tenmoku tenmoku")
    search.catch_up(store)
    deleted()
    assert search.settle()
    assert is_there(b"tenmoku")
    assert search.settle(wipe=True)
    assert not is_there(b"tenmoku")
    monkeypatch.setattr(purge, "WAIT_SECONDS", 0.1)
    reader = sqlite3.connect(search.path)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM mark").fetchone()
    assert not search.settle(wipe=True)
    reader.close()
    assert search.settle(wipe=True)


def test_it_is_fed_what_the_store_holds_whether_that_is_still_in_memory_or_not(store: Store, search: SearchBuild) -> None:
    store.begin()
    part = say(store, "celadon one", "celadon two", "celadon three")
    store.reopen_last(part)
    store.commit()
    assert search.feed(store) == 2
    store.begin()
    say(store, "celadon four")
    store.commit()
    store.begin()
    say(store, "celadon five")
    store.commit()
    assert search.feed(store) == 2
    store.begin()
    say(store, "celadon never")
    store.rollback()
    store.begin()
    say(store, "celadon six")
    store.commit()
    assert search.catch_up(store) == 1
    assert found(search, "celadon") == [1, 2, 4, 5, 6]
    assert (found(search, "six"), found(search, "never")) == ([6], [])
    rows = search.db.execute("SELECT * FROM vocabulary").fetchall()
    search.rebuild(store)
    assert search.db.execute("SELECT * FROM vocabulary").fetchall() == rows


def test_feeding_in_steps_gives_what_one_catch_up_gives(store: Store, search: SearchBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_build, "BATCH", 3)
    for number in range(5):
        say(store, f"celadon {number}")
        assert search.feed(store) == 1
    assert search.db.in_transaction
    reader = sqlite3.connect(search.path)
    assert reader.execute("SELECT count(*) FROM fts_docsize").fetchone()[0] == 3
    assert search.catch_up(store) == 0
    assert reader.execute("SELECT count(*) FROM fts_docsize").fetchone()[0] == 5
    reader.close()
    assert found(search, "celadon") == [1, 2, 3, 4, 5]
    assert search.catch_up(store) == 0


def test_a_large_catch_up_is_not_merged_on_the_way(store: Store, search: SearchBuild, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_build, "_BULK", 3)
    monkeypatch.setattr(search_build, "BATCH", 1)
    say(store, *(f"celadon {number}" for number in range(6)))
    assert search.catch_up(store) == 6
    assert search.db.execute("SELECT count(DISTINCT segid) FROM fts_idx").fetchone()[0] == 6
    assert search.db.execute("SELECT v FROM fts_config WHERE k = 'automerge'").fetchone()[0] == 4
    assert len(found(search, "celadon")) == 6
    monkeypatch.setattr(search_build, "_TIDY_LEAST", 3)
    assert search.tidy()
    assert search.db.execute("SELECT count(DISTINCT segid) FROM fts_idx").fetchone()[0] == 6
    # What a kill in the middle of one leaves.
    search._merge_at(0)
    say(store, "tenmoku")
    search.catch_up(store)
    assert search.db.execute("SELECT v FROM fts_config WHERE k = 'automerge'").fetchone()[0] == 4


def test_known_words_are_listed_when_enough_is_new(store: Store, search: SearchBuild) -> None:
    def words() -> set[str]:
        return {row[0] for row in search.db.execute("SELECT term FROM spelling")}

    assert not search.respell()
    say(store, "celadon celadon once cup cup 1280x720 a2b3 " + "x" * 30, *(f"filler {number}" for number in range(99)))
    search.catch_up(store)
    assert search.respell()
    assert words() >= {"celadon", "kiln", "filler"}
    assert not words() & {"once", "cup", "1280x720", "a2b3", "x" * 30}
    assert not search.respell()
    say(store, "tenmoku tenmoku")
    search.catch_up(store)
    assert not search.respell()
    assert search.respell(force=True)
    assert "tenmoku" in words()


def test_another_version_or_other_tables_are_refused(search: SearchBuild, tmp_path: Path) -> None:
    search.close()
    path = str(tmp_path / "search.db")
    SearchBuild(path).close()
    for sql, said in (
        ("PRAGMA user_version = 7", "schema 7"),
        (f"PRAGMA user_version = {SEARCH_VERSION}; DROP TABLE mark", "other tables"),
    ):
        connection = sqlite3.connect(path)
        connection.executescript(sql)
        connection.close()
        with pytest.raises(WrongSchema, match=said):
            SearchBuild(path)
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 0")
    connection.close()
    with pytest.raises(WrongSchema, match="schema 0"):
        SearchBuild(path)
