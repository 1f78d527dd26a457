from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool import config
from libtool.storage import logins
from libtool.storage.store import FileRow, Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def settings(tmp_path: Path) -> config.Config:
    (tmp_path / "data").mkdir()
    return config.load({"LIB_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))


def test_without_a_store_nothing_is_known(settings: config.Config) -> None:
    assert logins.known(settings) == {}


def test_logins_that_spread_are_known(settings: config.Config) -> None:
    store = Store(settings.store_db)
    store.begin()
    store.save_logins([("0123456789ab", "pw", 1, ""), ("ba9876543210", "pw", 0, "")])
    store.commit()
    store.close()
    assert set(logins.known(settings)) == {"0123456789ab"}


FILE = FileRow(0, "/a", "codex", 1, 9, 2, "", 9, b"", "{}", "", "", 0)
FINGERPRINT = "0123456789ab"


@pytest.fixture
def store(settings: config.Config) -> Iterator[Store]:
    store = Store(settings.store_db)
    store.save_logins([(FINGERPRINT, "pw", 1, "short")])
    yield store
    store.close()


def test_sightings_widen_and_are_counted_anew_or_added(store: Store) -> None:
    file, session = store.save_file(FILE), store.session_id("codex", "s")

    def note(first: str, last: str, count: int, *, more: bool) -> tuple[object, ...]:
        logins.save_sightings(store, file, session, {(session, FINGERPRINT): (first, last, count)}, more=more)
        (row,) = store.rows("SELECT first, last, count, there FROM sighting")
        return row

    assert note("", "", 0, more=False) == ("", "", 0, 1)
    assert note("2026-03-02", "2026-03-03", 2, more=True) == ("2026-03-02", "2026-03-03", 2, 1)
    assert note("2026-03-01", "2026-03-01", 1, more=True) == ("2026-03-01", "2026-03-03", 3, 1)
    logins.loosen(store, file)
    assert store.rows("SELECT there FROM sighting") == [(0,)]
    assert note("", "", 1, more=False) == ("2026-03-01", "2026-03-03", 1, 1)
    (seen,) = logins.sightings(store.rows)
    assert seen == (FINGERPRINT, file, "/a", 0, 1, 9, 2, "codex", "codex", "s", "", "", "2026-03-01", "2026-03-03", 1, 1)


def test_another_key_and_the_one_before(store: Store) -> None:
    store.save_file(FILE)
    logins.mark_swept(store, [FINGERPRINT])
    assert logins.unswept(store) == set()
    assert logins.change_key(store, "one", "two") == 1
    assert (set(store.logins()), store.files()["/a"].size, store.state(1)) == (set(), -1, None)
    assert logins.change_key(store, "two", "one") == 0
    assert logins.unswept(store) == set(store.logins()) == {FINGERPRINT}


def test_only_the_files_of_one_login_are_read_again(store: Store) -> None:
    session = store.session_id("codex", "s")
    file = store.save_file(FILE)
    store.save_file(FILE._replace(path="/b"))
    logins.save_sightings(store, file, session, {(session, FINGERPRINT): ("", "", 1)})
    logins.read_again(store, FINGERPRINT)
    assert {path: row.size for path, row in store.files().items()} == {"/a": -1, "/b": 9}


def test_what_other_machines_say_is_written_once_and_the_latest_rotation_counts(store: Store) -> None:
    row = (FINGERPRINT, "pw", "2026-03-01", "2026-03-02", "2026-03-05")
    assert logins.take_elsewhere(store, "desk", "tag", [row])
    assert not logins.take_elsewhere(store, "desk", "tag", [row, row])
    assert logins.take_elsewhere(store, "attic", "tag", [(*row[:4], "2026-03-07")])
    assert logins.follow_elsewhere(store, "other") == 0
    assert logins.follow_elsewhere(store, "tag") == 1
    assert logins.all_rows(store.rows) == [(FINGERPRINT, "pw", "short", "2026-03-07", "", 1)]
    logins.rotate(store, FINGERPRINT, "2026-04-01")
    assert logins.follow_elsewhere(store, "tag") == 0
    assert logins.take_elsewhere(store, "desk", "tag", [])
    assert not logins.take_elsewhere(store, "desk", "tag", [])
    assert logins.elsewhere(store.rows) == [("attic", "tag", FINGERPRINT, "2026-03-07"), ("desk", "tag", "", "")]


def test_what_was_judged_is_kept_once(store: Store) -> None:
    for _ in range(2):
        logins.judge(store, "f" * 12)
    assert logins.judged(store.rows) == {"f" * 12}
    assert logins.kinds(store) == {FINGERPRINT: "pw"}


def test_a_store_of_another_shape_stops_nothing(settings: config.Config) -> None:
    store = Store(settings.store_db)
    store.db.execute("DROP TABLE login")
    store.close()
    assert logins.known(settings) == {}


def test_a_damaged_store_stops_nothing(settings: config.Config) -> None:
    with open(settings.store_db, "wb") as file:
        file.write(b"no database" * 1000)
    assert logins.known(settings) == {}
