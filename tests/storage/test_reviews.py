from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.storage.reviews import Reviews, Waiting, Work, anything_waits, digest
from libtool.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ROW = Waiting(0, "codex", "0199a8f2", "kiln", "{}", "not tried yet", "2026-10-03T00:00:00Z")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    made = Store(str(tmp_path / "store.db"))
    made.begin()
    yield made
    made.rollback()
    made.close()


def test_what_waits_waits_once_and_says_why(store: Store) -> None:
    reviews = Reviews(store.db)
    reviews.wait(ROW, "a")
    reviews.wait(ROW._replace(topic="other"), "b")
    reviews.wait(ROW._replace(reason="dirty"), "a")
    assert [(row.topic, row.reason) for row in reviews.waiting()] == [("kiln", "dirty"), ("other", "not tried yet")]
    reviews.renew(reviews.waiting()[1].id, "detached")
    reviews.done(reviews.waiting()[0].id)
    assert [row.reason for row in reviews.waiting()] == ["detached"]


def test_a_review_that_landed_is_known_and_counts_what_was_done(store: Store) -> None:
    reviews = Reviews(store.db)
    row = store.session_id("codex", "0199a8f2")
    store.db.execute("UPDATE session SET turns = 7, calls = 8, human = 4, prose = 5 WHERE id = ?", (row,))
    assert (reviews.work("codex", "0199a8f2"), reviews.work("pi", "x")) == (Work(7, 8, 9), None)
    reviews.land("codex", "0199a8f2", ["h"], "2026-10-03T00:00:00Z")
    assert reviews.landed("codex", "0199a8f2") == Work(7, 8, 9)
    assert reviews.has_landed("h")
    assert store.fact("captured") == "2026-10-03T00:00:00Z"
    reviews.land("pi", "unknown", [], "2026-10-04T00:00:00Z")
    assert reviews.landed("pi", "unknown") == Work(0, 0, 0)


def test_forgetting_takes_all_of_it_along(store: Store) -> None:
    reviews = Reviews(store.db)
    reviews.wait(ROW, "a")
    reviews.land("codex", "0199a8f2", ["h"], "2026-10-03T00:00:00Z")
    assert not reviews.is_forgotten("codex", "0199a8f2")
    store.forget("codex", "0199a8f2")
    assert reviews.is_forgotten("codex", "0199a8f2")
    assert reviews.waiting() == []
    assert not reviews.has_landed("h")


def test_whether_anything_waits(tmp_path: Path) -> None:
    config = load({"LIB_DATA_DIR": str(tmp_path)}, str(tmp_path))
    assert not anything_waits(config)
    connection = sqlite3.connect(config.store_db)
    connection.execute("CREATE TABLE other (x)")
    connection.commit()
    assert not anything_waits(config)
    connection.execute("CREATE TABLE waiting (x)")
    connection.execute("INSERT INTO waiting VALUES (1)")
    connection.commit()
    connection.close()
    assert anything_waits(config)


def test_texts_are_told_apart() -> None:
    assert digest("a", "b") != digest("ab")
    assert digest("\ud800") == digest("\ud800")
