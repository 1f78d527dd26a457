from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from libtool.errors import NotIndexed
from libtool.features.show import show
from libtool.features.status import status
from libtool.storage.session_db import SessionDb
from tests.features.machine import OTHER, SID, Machine, sid
from tests.features.test_index_damage import broken_leaves, broken_page, full

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TURNS = [("Why does the celadon crack?", "The glaze shrinks."), ("Next?", "More silica.")]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.write(SID, TURNS)
    made.write(OTHER, TURNS[:1])
    made.write(SID, [("Count.", "Nine.")], name=f"{SID}/subagents/agent-a77", agentId="a77", isSidechain=True)
    made.index()
    return made


def names(found: list[dict[str, object]]) -> list[object]:
    return [row["sid"] for row in found]


def test_sessions_are_found_by_whole_id_then_tail_then_part(machine: Machine) -> None:
    database = SessionDb(machine.config.store_db)
    assert names(database.matching("claude-code", SID)) == [SID]
    assert names(database.matching("", OTHER[-8:])) == [OTHER]
    assert names(database.matching("", SID[:12].upper())) == [SID]
    assert names(database.matching("", "/a7")) == [f"{SID}/a77"]
    assert set(names(database.matching("claude-code", "-"))) == {SID, OTHER}
    assert len(database.matching("", "-", 1)) == 1
    assert database.matching("codex", SID) == []
    assert names(database.children("claude-code", SID)) == [f"{SID}/a77"]
    database.close()


def test_the_longest_part_and_its_chunks(machine: Machine) -> None:
    path = machine.projects / f"{SID}.jsonl"
    database = SessionDb(machine.config.store_db)
    (session,) = database.matching("", SID)
    part, shown, here = database.longest_part(session["id"])
    assert (shown, here) == (str(path), True)
    assert [segment for chunk in database.chunks(part) for segment in chunk][:2] == [("H", 1, TURNS[0][0]), ("A", 1, TURNS[0][1])]
    assert database.longest_part(999) == (0, "", False)
    assert database.rows("SELECT count(*) FROM session WHERE sid = ?", (SID,)) == [(1,)]
    database.close()
    # The same content elsewhere, the first file gone: what is still there is shown.
    copy = machine.projects.parent / "-moved" / path.name
    copy.parent.mkdir()
    path.rename(copy)
    machine.index()
    database = SessionDb(machine.config.store_db)
    assert database.longest_part(session["id"])[1:] == (str(copy), True)
    database.close()
    copy.unlink()
    machine.index()
    database = SessionDb(machine.config.store_db)
    assert database.longest_part(session["id"])[2] is False
    database.close()


def test_a_store_of_another_schema_is_not_read(machine: Machine) -> None:
    connection = sqlite3.connect(machine.config.store_db)
    connection.execute("PRAGMA user_version = 9")
    connection.close()
    with pytest.raises(NotIndexed, match="another version"):
        SessionDb(machine.config.store_db)


@pytest.mark.parametrize("harm", [broken_page, broken_leaves])
def test_damage_inside_is_told_by_every_read(machine: Machine, harm: Callable[[Path], None]) -> None:
    full(machine)
    database = SessionDb(machine.config.store_db)
    (session,) = database.matching("", sid(3))
    part = database.longest_part(session["id"])[0]
    database.close()
    harm(machine.data / "store.db")
    database = SessionDb(machine.config.store_db)
    with pytest.raises(NotIndexed, match="is damaged") as raised:
        list(database.chunks(part))
    assert "run `lib build-index`" in raised.value.hint
    with pytest.raises(NotIndexed, match="is damaged"):
        database.rows("SELECT count(*), sum(length(body)) FROM chunk")
    with pytest.raises(sqlite3.OperationalError, match="syntax"):
        database.rows("SELECT FROM")
    database.close()
    for ask in (lambda: status(machine.config, machine.environ), lambda: show(machine.config, sid(3), turns=None)):
        with pytest.raises(NotIndexed):
            ask()


def test_a_damaged_text_is_told(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    connection = sqlite3.connect(machine.config.store_db)
    with connection:
        connection.execute("UPDATE chunk SET body = zeroblob(9)")
    connection.close()
    with pytest.raises(NotIndexed, match="damaged: error"):
        show(machine.config, SID, turns=None)
