"""The store for one change of the ledger: locked, and undone when it was not committed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.errors import DataDirUnusable, Locked
from libtool.features import login_store
from libtool.storage import logins, tombstones

if TYPE_CHECKING:
    from tests.features.machine import Machine


def test_what_is_not_committed_is_undone(machine: Machine) -> None:
    with login_store.locked(machine.config, "a test") as store:
        store.begin()
        logins.judge(store, "0" * 12)
    with login_store.locked(machine.config, "a test") as store:
        assert store.db.execute("SELECT count(*) FROM judged").fetchone() == (0,)


def test_one_at_a_time(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_store, "LOCK_SECONDS", 0.1)
    with login_store.locked(machine.config, "a test"), pytest.raises(Locked), login_store.locked(machine.config, "another"):
        raise AssertionError


def test_what_was_forgotten_stays_so(machine: Machine) -> None:
    os.makedirs(machine.data)
    (machine.data / tombstones.NAME).write_text('["codex", "12345678"]\n')
    with login_store.locked(machine.config, "a test") as store:
        assert store.forgotten() == {("codex", "12345678")}


def test_a_data_dir_that_cannot_be_is_said(machine: Machine) -> None:
    (machine.home / "file").write_text("")
    elsewhere = machine.config.replace(data_dir=str(machine.home / "file" / "data"))
    with pytest.raises(DataDirUnusable), login_store.locked(elsewhere, "a test"):
        raise AssertionError
