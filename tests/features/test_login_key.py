from __future__ import annotations

import os
import sqlite3
import stat
from typing import TYPE_CHECKING

import pytest

from libtool.domain.redact.rule import expand
from libtool.errors import NotIndexed, UsageError
from libtool.features import login_enrol, login_key, login_ledger, login_review, status
from libtool.features.scrub import plan
from libtool.features.scrub.live import Watch
from libtool.storage import key
from libtool.storage.store import Store
from tests.features.machine import SID, Machine

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOKEN = expand("ghp_{a36}")
OLD, NEW = bytes(range(32)), bytes(range(1, 33))


@pytest.fixture
def keyed(machine: Machine) -> Machine:
    key.replace(machine.config, OLD)
    machine.write(SID, [("how?", f"with {TOKEN}")])
    machine.index()
    return machine


def state(machine: Machine) -> list[tuple[bool, bool]]:
    """(known by the key in use, in a file) of each login."""
    return sorted((one.current, bool(one.files)) for one in login_ledger.ledger(machine.config).entries)


def test_a_key_that_is_gone_is_said_before_and_by_the_next_run(keyed: Machine) -> None:
    assert login_ledger.ledger(keyed.config).alerts == ()
    os.unlink(keyed.config.key_file)
    (alert,) = status.status(keyed.config, keyed.environ).alerts
    assert "is gone: 1 known logins" in alert
    assert "`lib logins key import`" in alert
    (told,) = keyed.index().told
    assert "another one than before" in told
    assert state(keyed) == [(False, False), (True, True)]
    assert keyed.index().told == ()


def test_a_look_makes_no_key_in_the_place_of_a_lost_one(keyed: Machine) -> None:
    (entry,) = login_ledger.ledger(keyed.config).entries
    os.unlink(keyed.config.key_file)
    looks: list[Callable[[], object]] = [
        lambda: login_review.review(keyed.config),
        lambda: login_review.value_of(keyed.config, entry.fingerprint),
        lambda: login_ledger.ignore(keyed.config, entry.fingerprint, "why"),
        lambda: plan.plan(keyed.config, keyed.environ, Watch(60)),
    ]
    for look in looks:
        with pytest.raises(UsageError, match="is gone"):
            look()
    assert not os.path.exists(keyed.config.key_file)
    assert "is gone" in login_ledger.ledger(keyed.config).alerts[0]


def test_enrolling_tells_of_a_lost_key(keyed: Machine) -> None:
    os.unlink(keyed.config.key_file)
    (told,) = login_enrol.enrol(keyed.config, expand("{w3}{n3}{w4}-Q{u9}")).told
    assert "another one than before" in told


def test_a_key_file_that_cannot_be_written_whole_does_not_stay(keyed: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(UsageError, match="cannot write"):
        login_key.exported(keyed.config, str(tmp_path / "key.txt"))
    assert not (tmp_path / "key.txt").exists()


def test_a_change_leaves_a_damaged_store_to_the_index(keyed: Machine) -> None:
    """That sets it aside, and says so; a note of a login must not do it in passing."""
    (entry,) = login_ledger.ledger(keyed.config).entries
    with sqlite3.connect(keyed.config.store_db) as connection:
        connection.execute("CREATE TABLE foreign_one (x)")
    connection.close()
    changes: list[Callable[[], object]] = [
        lambda: login_ledger.rotated(keyed.config, [entry.fingerprint], "2026-04-01"),
        lambda: login_ledger.ignore(keyed.config, entry.fingerprint, "why"),
        lambda: login_review.dismiss(keyed.config, entry.fingerprint),
        lambda: login_enrol.enrol(keyed.config, expand("{w3}{n3}{w4}-Q{u9}")),
        lambda: login_key.change(keyed.config, NEW),
    ]
    for change in changes:
        with pytest.raises(NotIndexed):
            change()
    assert [name for name in os.listdir(keyed.data) if "damaged" in name] == []
    assert key.there(keyed.config) == OLD


def test_the_old_key_brings_everything_back(keyed: Machine) -> None:
    (entry,) = login_ledger.ledger(keyed.config).entries
    login_ledger.rotated(keyed.config, [entry.fingerprint], "2026-04-01")
    changed = login_key.change(keyed.config, NEW)
    assert changed == login_key.Changed(key.tag(NEW), 1)
    assert keyed.index().told == ()
    assert state(keyed) == [(False, False), (True, True)]
    assert login_key.change(keyed.config, OLD).behind == 1
    keyed.index()
    assert [one.rotated for one in login_ledger.ledger(keyed.config).entries if one.current] == ["2026-04-01"]
    assert keyed.texts(SID)[-1] == f"with [REDACTED:github-{entry.fingerprint}]"


def test_a_key_that_somebody_replaced_is_said(keyed: Machine) -> None:
    key.replace(keyed.config, NEW)
    (alert,) = login_ledger.ledger(keyed.config).alerts
    assert "was replaced" in alert
    assert "another one than before" in keyed.index().told[0]
    assert login_ledger.ledger(keyed.config).alerts == ()


def test_a_key_that_was_lost_before_lib_noted_which_it_was(keyed: Machine) -> None:
    keyed_rows = keyed.rows("SELECT value FROM fact WHERE name = 'key'")
    assert keyed_rows == [(key.tag(OLD),)]

    store = Store(keyed.config.store_db)
    store.save_fact("key", "")
    store.close()
    os.unlink(keyed.config.key_file)
    assert "is gone" in login_ledger.ledger(keyed.config).alerts[0]
    assert "another one than before" in keyed.index().told[0]


def test_a_key_is_changed_before_anything_is_indexed(machine: Machine) -> None:
    machine.data.mkdir()
    assert login_key.change(machine.config, NEW) == login_key.Changed(key.tag(NEW), 0)
    assert not os.path.exists(machine.config.store_db)
    assert login_key.is_in_use(machine.config, NEW)
    machine.write(SID, [("how?", f"with {TOKEN}")])
    machine.index()
    assert state(machine) == [(True, True)]


def test_a_key_is_changed_also_where_the_file_is_gone(keyed: Machine) -> None:

    store = Store(keyed.config.store_db)
    store.save_fact("key", "")
    store.close()
    os.unlink(keyed.config.key_file)
    assert login_key.change(keyed.config, login_key.made()).behind == 1


def test_a_key_is_exported_into_a_new_file_only(keyed: Machine, tmp_path: Path) -> None:
    target = tmp_path / "key.txt"
    assert login_key.exported(keyed.config, str(target)) == ""
    assert stat.S_IMODE(target.stat().st_mode) == 0o600
    assert key.parsed(target.read_text()) == OLD == key.parsed(login_key.exported(keyed.config))
    for path in (target, tmp_path / "nowhere" / "key.txt"):
        with pytest.raises(UsageError, match="cannot make"):
            login_key.exported(keyed.config, str(path))
    os.unlink(keyed.config.key_file)
    with pytest.raises(UsageError, match="no key"):
        login_key.exported(keyed.config)
