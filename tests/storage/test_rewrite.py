from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.domain.chunk import Chunk, Segment
from libtool.storage import rewrite

if TYPE_CHECKING:
    import pytest

    from libtool.storage.store import Store


def replace(text: str) -> str:
    return text.replace("hunter", "[X]")


def fill(store: Store, *texts: str) -> list[int]:
    """A part with a chunk for each text; the ids of the chunks."""
    part, _ = store.part(1, store.session_id("codex", "s"))
    for order, text in enumerate(texts):
        store.add_chunk(part, order, Chunk((Segment("H", 1, text),), "2026-03-01"), "kiln hunter", "codex:s")
    return [row[0] for row in store.rows("SELECT chunk FROM source ORDER BY ord")]


def bodies(store: Store) -> list[tuple[int, str, str, str]]:
    return [row for rows in rewrite.bodies(store) for row in rows]


def test_a_chunk_is_replaced_in_its_place_and_the_old_one_is_left_for_the_search_db(store: Store) -> None:
    one, two = fill(store, "the hunter came", "the hunter went")
    rewrite.rewrite_chunk(store, two, replace)
    assert [(words, body) for _, _, words, body in bodies(store)] == [
        ("kiln hunter", "\x1eH1 the hunter came"),
        ("kiln [X]", "\x1eH1 the [X] went"),
    ]
    assert store.rows("SELECT chunk > 2 FROM source ORDER BY ord") == [(0,), (1,)]
    assert [row[1] for row in store.gone(0, 9)] == [two] != [one]


def test_a_chunk_that_would_be_the_same_again_is_still_replaced_for_its_words(store: Store) -> None:
    (one,) = fill(store, "nobody came")
    rewrite.rewrite_chunk(store, one, replace)
    assert [(number > one, words) for number, _, words, _ in bodies(store)] == [(True, "kiln [X]")]


def test_what_is_added_meanwhile_is_not_looked_at(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rewrite, "_BATCH", 1)
    fill(store, "one", "two", "three")
    seen = []
    for [(one, *_)] in rewrite.bodies(store):
        seen.append(one)
        rewrite.rewrite_chunk(store, one, lambda text: text + "!")
    assert seen == [1, 2, 3]


def test_a_chunk_nobody_owns_any_more_does_no_harm(store: Store) -> None:
    (one,) = fill(store, "the hunter came")
    store.db.execute("DELETE FROM source")
    assert rewrite.places(store, one) == []
    rewrite.rewrite_chunk(store, one, replace)
    assert [body for *_, body in bodies(store)] == ["\x1eH1 the [X] came"]


def test_two_sessions_that_come_to_one_name_are_one(store: Store) -> None:
    old, new = store.session_id("codex", "hunter"), store.session_id("codex", "[X]")
    assert rewrite.rewrite_sessions(store, replace, replace) == [old]
    assert store.rows("SELECT id, sid, turns FROM session") == [(new, "[X]", 0)]


def test_sessions_files_and_tombstones_change_where_they_must(store: Store) -> None:
    one, two = store.session_id("codex", "hunter-1"), store.session_id("codex", "other")
    store.db.execute("UPDATE session SET title = 'a kiln', parent = 'hunter-1' WHERE id = ?", (two,))
    assert rewrite.rewrite_sessions(store, replace, replace) == [one, two]
    assert store.rows("SELECT sid, title, parent FROM session ORDER BY id") == [("[X]-1", "", ""), ("other", "a kiln", "[X]-1")]
    assert rewrite.rewrite_sessions(store, replace, replace) == []
    store.forget("codex", "the hunter")
    assert (rewrite.rewrite_tombstones(store, replace), rewrite.rewrite_tombstones(store, replace)) == (1, 0)
    assert store.forgotten() == {("codex", "the [X]")}
