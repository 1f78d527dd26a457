from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.domain.chunk import Chunk, Segment
from libtool.storage import digests as module
from libtool.storage.digests import Digests, Gathered, Stored
from libtool.storage.store import Counts, Store

if TYPE_CHECKING:
    import pytest

BODY = Stored("2026-03-02T09:00:00", [("T", 0, "Cool the kiln"), ("N", 1, "Answer: Close it.")])


def session(store: Store, sid: str, **facts: object) -> int:
    row = store.session_id("codex", sid)
    change(store, row, **{"class": "work", "ended": "2026-03-02T09:00:00Z", **facts})
    return row


def change(store: Store, row: int, **facts: object) -> None:
    settings = ", ".join(f"{name} = ?" for name in facts)
    store.db.execute(f"UPDATE session SET {settings} WHERE id = ?", (*facts.values(), row))  # noqa: S608


def part(store: Store, row: int, *texts: str, file: int = 1) -> int:
    made, _ = store.part(file, row)
    for order, text in enumerate(texts, store.next_order(made)):
        store.add_chunk(made, order, Chunk((Segment("A", 1, text),), "2026-03-02T09:00:00"), "kiln", f"codex:{row}")
    store.save_part(made, Counts(1, 1, 1 + len(texts), 0))
    return made


def test_what_changed_is_due_the_newest_first(store: Store) -> None:
    digests = Digests(store.db)
    old, new = session(store, "old", ended="2026-03-01"), session(store, "new", ended="2026-03-03")
    session(store, "sub", subagent=1)
    session(store, "review", **{"class": "security-review"})
    assert digests.due() == [new, old]
    assert digests.count_due() == 2
    digests.settle(new)
    assert digests.due() == [old]
    assert not digests.is_due(new)
    change(store, new, title="another")
    assert not digests.is_due(new)
    change(store, new, ended="2026-03-04")
    assert digests.is_due(new)


def test_one_of_another_class_loses_its_digest(store: Store) -> None:
    digests = Digests(store.db)
    row = session(store, "one")
    digests.put(row, BODY, "kiln", searched=True)
    digests.settle(row)
    store.save_class(row, "automated")
    digests.drop_unwanted()
    assert digests.get(row) is None
    assert not digests.is_due(row)
    digests.drop_unwanted()


def test_all_are_due_again_under_other_rules(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    digests = Digests(store.db)
    assert not digests.are_current()
    row = session(store, "one")
    made = part(store, row, "text")
    digests.follow_rules()
    digests.settle(row)
    digests.save_gathered(made, Gathered(0, 0, {}))
    assert digests.are_current()
    digests.follow_rules()
    assert digests.are_current()
    monkeypatch.setattr(module, "RULES", "another")
    assert not digests.are_current()
    digests.follow_rules()
    assert digests.due() == [row]
    assert digests.gathered(made) is None


def test_a_digest_is_kept_once_and_leaves_through_gone(store: Store) -> None:
    digests = Digests(store.db)
    row = session(store, "one")
    assert digests.newest() == 0
    assert digests.put(row, BODY, "kiln", searched=True)
    assert not digests.put(row, BODY, "kiln", searched=True)
    assert digests.get(row) == BODY
    assert [(one, words) for one, _, words, _ in digests.after(0)] == [(1, "kiln")]
    assert digests.put(row, BODY, "kiln main", searched=True)
    assert [(one, words) for one, _, words, _ in digests.after(1)] == [(2, "kiln main")]
    assert [one for _, one, *_ in store.gone(0, 9)] == [(2 << 40) + 1]
    store.drop_session(row)
    assert digests.get(row) is None
    assert [one for _, one, *_ in store.gone(0, 9)] == [(2 << 40) + 1, (2 << 40) + 2]
    assert digests.newest() == 2


def test_one_that_is_not_searched_leaves_silently(store: Store) -> None:
    digests = Digests(store.db)
    row = session(store, "one")
    digests.put(row, BODY, "kiln", searched=False)
    assert list(digests.after(0)) == []
    digests.drop(row)
    assert store.gone(0, 9) == []


def test_a_part_is_read_on_only_while_it_holds_what_was_read(store: Store) -> None:
    digests = Digests(store.db)
    row = session(store, "one")
    assert digests.part(row) == 0
    made = part(store, row, "first", "second")
    assert digests.part(row) == made
    assert digests.chunk_at(made, 7) == 0
    assert digests.gathered(made) is None
    kept = Gathered(1, digests.chunk_at(made, 0), {"pool": {"a": 1}})
    digests.save_gathered(made, kept)
    assert digests.gathered(made) == kept
    assert [segments[0][2] for _, _, segments in digests.chunks(made, 1)] == ["second"]
    digests.save_gathered(made, kept._replace(edge=99))
    assert digests.gathered(made) is None
    digests.save_gathered(made, kept)
    digests.settle(row)
    digests.read_anew([row])
    assert digests.gathered(made) is None
    assert digests.due() == [row]
    digests.save_gathered(made, kept)
    digests.settle(row)
    store.drop_part(made)
    assert store.rows("SELECT * FROM gathered") == []
    assert digests.due() == [row]


def test_a_rewritten_chunk_takes_the_digest_along(store: Store) -> None:
    digests = Digests(store.db)
    row = session(store, "one")
    made = part(store, row, "first")
    digests.put(row, BODY, "kiln", searched=True)
    digests.save_gathered(made, Gathered(0, 0, {}))
    digests.settle(row)
    store.db.execute("UPDATE source SET chunk = chunk + 1")
    assert digests.get(row) is None
    assert digests.gathered(made) is None
    assert digests.due() == [row]


def test_another_name_takes_the_digest_along(store: Store) -> None:
    digests = Digests(store.db)
    row = session(store, "one")
    digests.put(row, BODY, "kiln", searched=True)
    digests.settle(row)
    change(store, row, branch="another")
    assert digests.get(row) is None
    assert digests.due() == [row]


def test_what_was_read_is_remembered_of_the_newest_sessions(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "KEPT", 2)
    digests = Digests(store.db)
    parts = []
    for number in range(5):
        row = session(store, f"s{number}", ended=f"2026-03-0{number + 1}")
        parts.append(part(store, row, "text", file=number))
        digests.save_gathered(parts[-1], Gathered(0, 0, {}))
        digests.keep_newest()
    assert [one for (one,) in store.rows("SELECT part FROM gathered ORDER BY part")] == parts[-2:]


def test_forks_share_chunks_at_the_same_place(store: Store) -> None:
    digests = Digests(store.db)
    text = "a text that is long enough to be shared between sessions " * 5
    one, two = session(store, "one"), session(store, "two")
    first, second = part(store, one, text, "own"), part(store, two, text, "other", file=2)
    assert digests.sharing(second, 4) == [(one, first)]
    assert digests.sharing(first, 4) == [(two, second)]
    assert digests.sharing(second, 0) == []
