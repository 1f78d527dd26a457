from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from libtool.domain.body import decode
from libtool.errors import NotIndexed
from libtool.storage.search_db import Filter, SearchDb
from libtool.storage.session_db import SessionDb
from tests.features.machine import OTHER, SID, Machine, sid

LONG = "The glaze shrinks more than the clay body. " * 20


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """Two sessions, the second a fork of the first; a sub-agent's; a trivial one; a note."""
    made = Machine(tmp_path)
    made.write(SID, [("Why does the celadon crack?", LONG), ("Next?", "More silica.")])
    made.write(OTHER, [("Why does the celadon crack?", LONG), ("Another way?", "Less heat.")], cwd="/home/ada/work/stove", gitBranch="fix")
    made.write(SID, [("Count the shelves.", "Nine celadon shelves.")], name=f"{SID}/subagents/agent-a77", agentId="a77", isSidechain=True)
    made.write(sid(9), [("hi", "hello celadon")])
    notes = made.home / "work" / "kiln"
    notes.mkdir(parents=True)
    (notes / "HANDOFF.md").write_text("# Kiln\n\nThe celadon is done.\n")
    made.index()
    return made


@pytest.fixture
def database(machine: Machine) -> SearchDb:
    return SearchDb(machine.config.search_db, machine.config.store_db)


def sessions(database: SearchDb, **limits: object) -> set[str]:
    chosen = Filter(**limits)  # type: ignore[arg-type]
    found = [chunk for chunk, _ in database.best("celadon", 50, chosen)]
    assert set(database.owners([chunk for chunk, _ in database.best("celadon", 50, None)], chosen)) == set(found)
    return {row[2] for row in database.owners(found, chosen).values()} if found else set()


def test_filters_limit_what_is_found(database: SearchDb, machine: Machine) -> None:
    ((note,),) = machine.rows("SELECT sid FROM session WHERE agent = 'note'")
    # What a fork copied is its original's.
    everything = {SID, f"{SID}/a77", sid(9), note}
    assert sessions(database) == everything
    assert sessions(database, agent="claude-code", classes=("trivial",)) == {SID, f"{SID}/a77"}
    assert sessions(database, project="STOV") == {OTHER}
    assert sessions(database, project="folder:stove") == {OTHER}
    assert sessions(database, machine="bench") == everything
    assert sessions(database, machine="other") == set()
    assert sessions(database, kinds=("note",)) == {note}
    assert sessions(database, kinds=("session",)) == everything - {note}
    assert sessions(database, kinds=("entry",)) == set()
    assert sessions(database, kinds=("entry", "note", "session")) == everything
    assert sessions(database, since="2026-03-02") == set()
    assert sessions(database, since="2026-03-01", before="2026-03-02") == everything - {note}
    assert sessions(database, exclude=SID) == {OTHER, sid(9), note}
    assert not Filter(classes=("trivial",), exclude=SID).is_narrow()
    assert Filter(kinds=("note",)).is_narrow()


def test_a_shared_chunk_belongs_to_the_session_that_had_it_first(database: SearchDb) -> None:
    (shared,) = [chunk for chunk, _ in database.best("shrinks", 9, None)]
    assert database.owners([shared], Filter())[shared][2] == SID
    assert database.owners([shared], Filter(exclude=SID))[shared][2] == OTHER
    assert decode(database.bodies([shared])[shared])[0] == ("H", 1, "Why does the celadon crack?")


def test_counts_paths_words_and_tails(database: SearchDb, machine: Machine) -> None:
    assert database.count("celadon", 100) == 4
    assert database.count("celadon", 2) == 2
    assert database.about("celadon", 100) == 4
    second = sorted(row for row, _ in database.best("celadon", 9, None))[1]
    assert database.about("celadon", 2) == 2 * database.rows("SELECT max(id) FROM fts_docsize")[0][0] // second
    assert database.about("xyzzyx", 2) == 0
    assert database.size() == database.rows("SELECT (SELECT count(*) FROM fts_docsize), (SELECT sum(cnt) FROM vocabulary)")[0]
    (note,) = [row[0] for row in machine.rows("SELECT id FROM session WHERE agent = 'note'")]
    assert database.note_paths([note]) == {note: str(machine.home / "work" / "kiln" / "HANDOFF.md")}
    assert "celadon" in database.similar("celedon")
    assert database.similar("ce") == []
    assert database.similar("xyzzyx") == []
    claude = "claude-code"
    tails = database.tails([(claude, SID), (claude, OTHER), (claude, "gone")])
    assert tails == {(claude, SID): SID[-32:], (claude, OTHER): OTHER[-8:], (claude, "gone"): ""}


def test_in_a_large_vocabulary_the_likest_words_are_offered(machine: Machine) -> None:
    letters = "abcdefghijklmno"
    words = " ".join(f"{one}{two}{three}nonium" for one in letters for two in letters for three in letters)
    machine.write(SID, [("Which ones?", f"{words} {words} zirconium zirconium")])
    machine.index()
    database = SearchDb(machine.config.search_db, machine.config.store_db)
    assert database.count("abcnonium", 9) >= 2
    assert database.similar("zircomium")[0] == "zirconium"


def test_a_tail_is_as_long_as_it_must_be(machine: Machine) -> None:
    for first in "12":
        machine.write(f"{first}{SID[1:]}", [("Again celadon?", "Yes.")])
    machine.index()
    database = SearchDb(machine.config.search_db, machine.config.store_db)
    names = [f"{first}{SID[1:]}" for first in "512"]
    assert list(database.tails([("claude-code", name) for name in names]).values()) == names


def test_coverage(database: SearchDb) -> None:
    covered = database.coverage()
    assert covered.classes == {"work": 2, "sub-agent": 1, "trivial": 1}
    assert covered.notes == 1
    assert covered.machines == [("bench", 4, "2026-03-01T09:01:30.000Z")]
    database.close()


def test_what_cannot_be_used_is_not_indexed(machine: Machine, tmp_path: Path) -> None:
    config = machine.config
    with pytest.raises(NotIndexed, match="nothing is indexed"):
        SearchDb(str(tmp_path / "none"), config.store_db)
    with pytest.raises(NotIndexed, match="cannot be used"):
        SearchDb(config.search_db, str(tmp_path / "none"))
    for name, version, said in (
        ("store.db", 9, "the store was made"),
        ("search.db", 9, "the search db was made"),
        ("search.db", 0, "nothing"),
    ):
        connection = sqlite3.connect(machine.data / name)
        before = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute(f"PRAGMA user_version = {version}")
        with pytest.raises(NotIndexed, match=said):
            SearchDb(config.search_db, config.store_db)
        connection.execute(f"PRAGMA user_version = {before}")
        connection.close()
    with pytest.raises(NotIndexed):
        SessionDb(config.search_db + "x")
    Path(config.store_db).write_bytes(b"garbage" * 999)
    with pytest.raises(NotIndexed, match="cannot be used"):
        SearchDb(config.search_db, config.store_db)
    with pytest.raises(NotIndexed, match="cannot be used"):
        SessionDb(config.store_db)


def test_a_fault_in_a_query_is_ours_and_damage_is_not(database: SearchDb) -> None:
    with pytest.raises(sqlite3.OperationalError, match="syntax"):
        database.rows("SELEC 1")
    with pytest.raises(NotIndexed, match="no such table"):
        database.rows("SELECT 1 FROM nowhere")
