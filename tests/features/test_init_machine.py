from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.errors import Locked
from libtool.features import init, init_machine, machines, raw
from libtool.features.init import Wanted
from libtool.storage.lock import writer_lock
from tests.carried import CACHE
from tests.compat.lab import environ

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config


def reloaded(home: Path) -> Config:
    return load(environ(home), str(home))


def names(config: Config) -> list[str]:
    return [machine["name"] for machine in machines.covered(config)]


def test_what_was_indexed_before_a_machine_had_its_name_stays_its_own(home: Path, indexed: Config) -> None:
    assert names(indexed) == ["desk"]
    done = init.run(indexed, environ(home), Wanted(machine="sofa"))
    assert "sessions indexed until now: of sofa" in done.changes
    assert names(reloaded(home)) == ["sofa"]
    assert raw.records(reloaded(home), {}, CACHE, turns=None)
    assert init.run(reloaded(home), environ(home), Wanted()).changes == ()
    init.run(reloaded(home), environ(home), Wanted(machine="barn"))
    assert names(reloaded(home)) == ["barn"]
    assert "sessions indexed until now: of desk" in init.uninstall(reloaded(home), environ(home)).changes
    assert names(reloaded(home)) == ["desk"]


def test_a_name_written_into_the_configuration_by_hand_is_taken_over(home: Path, indexed: Config) -> None:
    init.run(indexed, environ(home), Wanted(machine="barn"))
    with open(indexed.config_file, "w", encoding="utf-8") as file:
        file.write('machine = "sofa"\n')
    assert "sessions indexed until now: of sofa" in init.run(reloaded(home), environ(home), Wanted()).changes
    assert names(reloaded(home)) == ["sofa"]


def test_sessions_of_another_machine_keep_its_name(indexed: Config) -> None:
    assert init_machine.rename(indexed, {"attic"}, "barn") == []
    assert names(indexed) == ["desk"]


def test_a_rename_waits_for_who_writes_and_leaves_the_store_as_it_is(home: Path, indexed: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(init_machine, "LOCK_SECONDS", 0.1)
    with writer_lock(indexed, 1.0, task="lib index"), pytest.raises(Locked):
        init.run(indexed, environ(home), Wanted(machine="barn"))
    assert names(indexed) == ["desk"]
    init.run(indexed, environ(home), Wanted(machine="barn"))
    assert names(reloaded(home)) == ["barn"]


def test_a_store_that_is_damaged_is_set_aside_and_named(home: Path, indexed: Config) -> None:
    os.truncate(indexed.store_db, 8192)
    with open(indexed.store_db, "r+b") as file:
        file.write(b"no database")
    done = init.run(indexed, environ(home), Wanted(machine="barn"))
    assert any("damaged" in change for change in done.changes)
