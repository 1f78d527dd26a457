"""What `lib hook`'s events leave to the commands that a person runs."""

from __future__ import annotations

import argparse
import os
import time
from typing import TYPE_CHECKING

import pytest

from libtool.cli.commands import hook
from libtool.cli.context import Context
from libtool.cli.output import standard
from libtool.errors import Locked
from libtool.features import unfinished
from libtool.storage.events import Events, Mark
from tests import carried
from tests.features.sync_lab import Lab
from tests.features.sync_lab import Machine as Clone

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config

SID = carried.CACHE.partition(":")[2]
GONE = Mark("claude-code", "turn", SID, process="999999999 1", time=1000.0)


@pytest.fixture
def clone(tmp_path: Path, staged: Config, monkeypatch: pytest.MonkeyPatch) -> Clone:
    """The library of the home with the carried sessions."""
    made = Lab(tmp_path).machine("one")
    monkeypatch.setenv("LIB_LIBRARY", str(made.top))
    quiet(staged)
    return made


def quiet(config: Config) -> None:
    """Let all transcripts be old."""
    for folder, _, names in os.walk(config.home):
        for name in names:
            if name.endswith(".jsonl"):
                os.utime(os.path.join(folder, name), (1000, 1000))


def test_a_sync_closes_what_ended_without_saying_so_before_it_sends(clone: Clone, staged: Config, lib: carried.Program) -> None:
    assert lib("sync")[0] == 0
    assert not os.path.exists(staged.store_db)
    Events(staged).opened(GONE)
    assert lib("sync")[0] == 0
    assert Events(staged).still_open() == []
    assert os.path.exists(staged.store_db)
    assert '"work": 1' in clone.read("machines/desk.json")


def test_a_sync_goes_on_without_a_sweep(clone: Clone, staged: Config, lib: carried.Program, monkeypatch: pytest.MonkeyPatch) -> None:
    Events(staged).opened(GONE)

    def locked(*_: object, **__: object) -> None:
        raise Locked("`lib index` (process 1) holds the lock")

    monkeypatch.setattr(unfinished, "sweep", locked)
    code, out, err = lib("sync")
    assert code == 0
    assert out.startswith("origin/main: ")
    assert "lib: `lib index` (process 1) holds the lock; synced without what sessions left since" in err
    assert clone.head()


def test_a_sweep_says_what_it_did(staged: Config, lib: carried.Program) -> None:
    Events(staged).opened(GONE)
    Events(staged).opened(GONE._replace(session="other-session", time=time.time()))
    quiet(staged)
    code, out, err = lib("capture", "--sweep", "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("closed: 1 session that ended without saying so; still open: 1; read: ")
    assert lib("search", "cache")[0] == 0


def test_a_call_that_argparse_has_seen_is_taken_too(staged: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LIB_HOOK", "1")
    context = Context({}, staged.home, standard({}))
    assert hook.run(argparse.Namespace(agent="claude-code", event="Stop", payload="{}"), context) == 0
