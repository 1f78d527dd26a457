"""Logins that a commit was kept free of, from the git hook into the ledger."""

from __future__ import annotations

import json
import os
import shutil
import stat
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.features import index, login_ledger
from libtool.features.githooks import reindex, stripped
from libtool.hooks import git
from libtool.storage import key
from tests.compat.lab import LEAK, LOGIN, Lab, entry, make

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config


@pytest.fixture
def lab(home: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    found = make(home, home / "library")
    shutil.rmtree(found.top / ".git" / "hooks")
    monkeypatch.chdir(found.top)
    monkeypatch.setattr(reindex, "ask", lambda *_: False)
    return found


@pytest.fixture
def config(lab: Lab) -> Config:
    return load(lab.environ, str(lab.home))


def commit(lab: Lab, *decided: str) -> int:
    lab.write("alpha", entry("Alpha", decided=decided))
    lab.git("add", "entries")
    return git.main(["pre-commit"], lab.environ)


def waiting(config: Config) -> str:
    return os.path.join(config.data_dir, stripped.NAME)


def ledger(config: Config) -> list[tuple[str, str, bool]]:
    return [(one.kind, one.shape, one.is_open) for one in login_ledger.ledger(config).entries]


def test_a_login_that_a_commit_was_kept_free_of_is_in_the_ledger_after_the_next_index(lab: Lab, config: Config) -> None:
    assert commit(lab, LEAK, f"{LEAK} twice") == 0
    with open(waiting(config), encoding="utf-8") as file:
        text = file.read()
    assert LOGIN not in text
    assert "alpha" not in text
    assert len(text.splitlines()) == 1
    assert stat.S_IMODE(os.stat(waiting(config)).st_mode) == 0o600
    index.run(config, lab.environ)
    ((kind, shape, is_open),) = ledger(config)
    assert (kind, is_open) == ("pw", True)
    assert shape
    assert not os.path.exists(waiting(config))
    assert not os.path.exists(waiting(config) + stripped.TAKING)
    # The same again is the same login.
    assert commit(lab, LEAK) == 0
    index.run(config, lab.environ)
    assert len(ledger(config)) == 1


def test_nothing_is_noted_of_a_commit_without_logins(lab: Lab, config: Config) -> None:
    assert commit(lab, "nothing to hide") == 0
    assert not os.path.exists(waiting(config))


def test_a_commit_that_was_refused_for_something_else_took_the_login_out_all_the_same(lab: Lab, config: Config) -> None:
    assert commit(lab, LEAK, "2026-13-41: no day") == 1
    assert LOGIN not in lab.read("entries/alpha.md")
    index.run(config, lab.environ)
    assert len(ledger(config)) == 1


def test_a_run_that_was_killed_in_it_is_gone_on_with(lab: Lab, config: Config) -> None:
    assert commit(lab, LEAK) == 0
    os.rename(waiting(config), waiting(config) + stripped.TAKING)
    index.run(config, lab.environ)
    assert len(ledger(config)) == 1


def test_what_no_hook_wrote_is_left_out(lab: Lab, config: Config) -> None:
    assert commit(lab, LEAK) == 0
    with open(waiting(config), encoding="utf-8") as file:
        good = json.loads(file.read())
    for changed in ({"key": "0" * 16}, {"spreads": 1}, {"fingerprint": LOGIN}, {"kind": 7}):
        with open(waiting(config), "a", encoding="utf-8") as file:
            file.write(json.dumps({**good, "fingerprint": "0" * 12, **changed}) + "\n")
    with open(waiting(config), "a", encoding="utf-8") as file:
        file.write('[]\n{"key": "')
    index.run(config, lab.environ)
    assert [one.fingerprint for one in login_ledger.ledger(config).entries] == [good["fingerprint"]]


def test_it_does_not_grow_without_end_where_nothing_is_indexed(lab: Lab, config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    assert commit(lab, LEAK) == 0
    size = os.path.getsize(waiting(config))
    monkeypatch.setattr(stripped, "LARGEST", size)
    assert commit(lab, LEAK) == 0
    assert os.path.getsize(waiting(config)) == size


def test_a_note_that_cannot_be_written_stops_no_commit(lab: Lab, config: Config) -> None:
    key.load(config)
    os.mkdir(waiting(config))
    assert commit(lab, LEAK) == 0
    lab.commit()
    assert lab.leaks() == []
