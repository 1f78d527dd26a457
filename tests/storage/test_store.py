from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.chunk import Chunk, Segment
from libtool.errors import DataDirUnusable, NotIndexed
from libtool.storage.store import Counts, FileRow, Store, compress, decompress, dump_json, salvage

if TYPE_CHECKING:
    from pathlib import Path

ROW = FileRow(0, "/a", "codex", 1, 2, 3, "", 4, b"e", '{"s":1}', "", "", 0)
LONG = "clay " * 60


def chunk(text: str, turn: int = 1) -> Chunk:
    return Chunk((Segment("H", turn, text),), "2026-03-01T09:00:00")


def filled(store: Store, name: str, *texts: str, file: int = 0) -> tuple[int, int]:
    """(session, part) of a session with these chunks."""
    session = store.session_id("codex", name)
    part, _ = store.part(file or store.save_file(ROW._replace(path=f"/{name}")), session)
    for order, text in enumerate(texts):
        store.add_chunk(part, order, chunk(text), "kiln", f"codex:{name}")
    return session, part


def chunks_of(store: Store) -> list[int]:
    return [row[0] for row in store.chunks_after(0)]


def test_a_transaction_is_whole_or_nothing(store: Store) -> None:
    store.begin()
    store.save_file(ROW)
    store.rollback()
    store.rollback()
    assert store.files() == {}
    store.begin()
    store.save_file(ROW)
    store.commit()
    assert list(store.files()) == ["/a"]


def test_a_file_is_saved_and_found_without_its_state(store: Store) -> None:
    number = store.save_file(ROW)
    assert store.files() == {"/a": ROW._replace(id=number, state=None)}
    assert store.state(number) == '{"s":1}'
    assert store.state(99) is None
    before = store.db.total_changes
    assert store.save_file(ROW._replace(id=number)) == number
    assert store.db.total_changes == before
    store.save_file(ROW._replace(id=number, state=None, size=9))
    assert store.state(number) is None
    assert store.files()["/a"].size == 9
    store.mark_missing([number])
    assert store.files()["/a"].missing == 1


def test_a_session_has_the_facts_and_the_counts_of_its_longest_part(store: Store) -> None:
    session, part = filled(store, "s", "one")
    assert store.session_id("codex", "s") == session
    assert store.session_id("pi", "s") != session
    store.save_part(part, Counts(3, 10, 20, 4))
    other, counts = store.part(store.save_file(ROW), session)
    assert (store.part(1, session), counts) == ((part, Counts(3, 10, 20, 4)), Counts())
    store.save_part(other, Counts(1, 50, 2, 5))
    store.save_session(session, {"title": "A title", "cwd": "/k"})
    row = store.session(session)
    assert [row[name] for name in ("title", "cwd", "branch", "turns", "human", "prose", "calls")] == ["A title", "/k", "", 3, 50, 20, 5]
    store.save_class(session, "trivial")
    assert store.session(session)["class"] == "trivial"
    assert store.session_rows() == [session, session + 1]


def test_long_chunks_are_shared_short_ones_are_not(store: Store) -> None:
    _, first = filled(store, "a", LONG, "go on")
    _, second = filled(store, "b", LONG, "go on")
    assert len(chunks_of(store)) == 3
    store.drop_part(first)
    assert len(chunks_of(store)) == 2
    assert [(row[1], row[4]) for row in store.gone(0, 10)] == [(2, decompress(compress("\x1eH1 go on")))]
    store.drop_part(second)
    assert chunks_of(store) == []
    assert len(store.gone(0, 10)) == 3
    assert len(store.gone(1, 1)) == 1
    assert store.newest() == (3, 3)
    store.clear_gone(2)
    store.clear_gone(2)
    assert len(store.gone(0, 10)) == 1


def test_the_last_chunk_is_taken_off_to_be_continued(store: Store) -> None:
    _, part = filled(store, "a", LONG, "go on")
    assert store.next_order(part) == 2
    assert store.reopen_last(part) == chunk("go on")
    assert store.next_order(part) == 1
    assert store.reopen_last(part) == chunk(LONG)
    assert store.reopen_last(part) is None
    assert store.next_order(part) == 0


@pytest.mark.parametrize(
    ("short", "long", "wanted"),
    [
        (["a", "b"], ["a", "b", "c"], True),
        (["a", "b"], ["a", "b and more"], True),
        (["a"], ["a"], True),
        (["a", "b"], ["a"], False),
        (["a", "x", "c"], ["a", "b", "c"], False),
        (["a", "x"], ["a", "b", "x"], False),
        ([], ["a"], False),
    ],
)
def test_whether_a_part_begins_another(store: Store, short: list[str], long: list[str], *, wanted: bool) -> None:
    session, first = filled(store, "s", *short)
    second, _ = store.part(store.save_file(ROW), session)
    for order, text in enumerate(long):
        store.add_chunk(second, order, chunk(text), "kiln", "codex:s")
    assert store.begins(first, second) is wanted
    assert store.parts(session) == [(first, 1), (second, 2)]


def test_a_part_replaced_by_a_better_one(store: Store) -> None:
    session, part = filled(store, "s", "a")
    better, _ = store.part(2, session)
    store.save_file(ROW)
    store.detach_parts(2)
    store.replace_part(part, 1, better)
    assert store.parts(session) == [(better, 1)]
    assert store.state(1) is None
    last, _ = store.part(2, session)
    store.replace_part(last, 2, better)
    assert store.parts(session) == [(better, 1)]
    assert store.state(2) is None


def test_parts_are_detached_and_said_what_they_held(store: Store) -> None:
    session, part = filled(store, "s", "a")
    store.save_part(part, Counts(1, 2, 3, 4))
    assert store.detach_parts(1) == {session: (part, Counts(1, 2, 3, 4))}
    assert store.detach_parts(1) == {}
    assert store.parts(session) == [(part, None)]


def test_what_is_forgotten_leaves_a_tombstone(store: Store) -> None:
    filled(store, "a", "said in a")
    child, _ = filled(store, "b", "said in b")
    grandchild, _ = filled(store, "c", "said in c")
    other, _ = filled(store, "d", "said in d")
    store.save_session(child, {"parent": "a"})
    store.save_session(grandchild, {"parent": "b"})
    assert store.with_id("a") == [(1, "codex"), (child, "codex")]
    store.forget("codex", "a")
    store.forget("codex", "a")
    assert store.forgotten() == {("codex", "a"), ("codex", "b"), ("codex", "c")}
    assert store.session_rows() == [other]
    assert chunks_of(store) == [4]
    store.drop_session(other)
    assert store.session_rows() == []
    assert store.db.execute("SELECT count(*) FROM part").fetchone() == (0,)


def test_facts_and_logins(store: Store) -> None:
    assert store.fact("x") == ""
    store.save_fact("x", "1")
    before = store.db.total_changes
    store.save_fact("x", "1")
    assert (store.fact("x"), store.db.total_changes) == ("1", before)
    store.save_logins([("f1", "token", 1, ""), ("f2", "pin", 0, "short"), ("f1", "other", 0, "long")])
    assert set(store.logins()) == {"f1"}
    assert store.db.execute("SELECT fingerprint, kind, shape FROM login").fetchall() == [("f1", "token", "long"), ("f2", "pin", "short")]
    before = store.db.total_changes
    store.save_logins([("f1", "token", 1, "other"), ("f2", "pin", 0, "")])
    assert store.db.total_changes == before
    store.save_logins([("f2", "pw", 1, "")])
    assert set(store.logins()) == {"f1", "f2"}
    store.db.execute("UPDATE login SET key = 'another' WHERE fingerprint = 'f1'")
    assert set(store.logins()) == {"f2"}


def test_a_store_keeps_its_identity(store: Store) -> None:
    identity = store.identity
    again = Store(store.path)
    assert again.identity == identity > 0
    again.close()
    other = Store(store.path + "2")
    assert other.identity != identity
    other.close()


def test_a_store_for_reading(store: Store, tmp_path: Path) -> None:
    store.save_file(ROW)
    reader = Store.for_reading(store.path)
    assert list(reader.files()) == ["/a"]
    with pytest.raises(sqlite3.OperationalError):
        reader.save_file(ROW._replace(path="/b"))
    reader.close()
    with pytest.raises(NotIndexed):
        Store.for_reading(str(tmp_path / "none"))
    store.db.execute("PRAGMA user_version = 9")
    with pytest.raises(NotIndexed, match="another version"):
        Store.for_reading(store.path)
    with pytest.raises(DataDirUnusable):
        Store(store.path)


def test_what_is_left_of_a_damaged_store_is_saved(store: Store, tmp_path: Path) -> None:
    for number in range(3000):
        store.save_logins([(f"{number:012x}", "token", 1, "long")])
    store.forget("codex", "s")
    store.close()
    whole = salvage(store.path)
    assert (whole[0], len(whole[1])) == ([("codex", "s")], 3000)
    with open(store.path, "r+b") as file:
        file.truncate(os.path.getsize(store.path) - 16_384 * 2)
    tombstones, logins = salvage(store.path)
    assert len(logins) < 3000
    target = Store(str(tmp_path / "new.db"))
    target.restore(*whole)
    assert (target.forgotten(), len(target.logins())) == ({("codex", "s")}, 3000)
    target.close()
    (tmp_path / "garbage").write_bytes(b"garbage" * 999)
    assert salvage(str(tmp_path / "garbage")) == ([], [])
    assert tombstones in ([], [("codex", "s")])


@given(st.text())
def test_a_body_comes_back(text: str) -> None:
    assert decompress(compress(text)) == text.encode("utf-8", "replace").decode()


def test_equal_states_are_equal_texts() -> None:
    assert dump_json({"b": 1, "a": [2]}) == dump_json({"a": [2], "b": 1}) == '{"a":[2],"b":1}'
