from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest

from libtool.domain.redact.rule import expand
from libtool.errors import UsageError
from libtool.features import login_key, login_ledger, status
from libtool.storage import key
from libtool.storage.store import Store
from tests.features.machine import SID, Machine

if TYPE_CHECKING:
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
