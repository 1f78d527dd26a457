"""What lib writes into a repository is of the oldest forms that git knows, whatever newer settings stand there: each git can read it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from tests.compat.lab import make
from tests.features.sync_lab import Lab

if TYPE_CHECKING:
    from pathlib import Path

    from tests.features.sync_lab import Machine

NEWER = [{}, {"feature.manyFiles": "true"}, {"index.skipHash": "true"}, {"index.version": "4"}, {"core.commitGraph": "true"}]


@pytest.mark.parametrize("without_git", [False, True], ids=["git", "no-git"])
@pytest.mark.parametrize("settings", NEWER, ids=[*map(str, NEWER)])
def test_a_sync_writes_what_each_git_reads(tmp_path: Path, settings: dict[str, str], without_git: bool) -> None:
    lab = Lab(tmp_path)
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache")
    desk.sync()
    lap.sync()
    for name, value in settings.items():
        lap.git.run("config", name, value)
    desk.put("quota")
    desk.sync()
    lap.put("mine")
    assert lap.sync(without_git=without_git).merged
    _is_old(lap)
    assert lap.status() == ""
    lab.fsck(lap)


def _is_old(machine: Machine) -> None:
    index = (machine.top / ".git" / "index").read_bytes()
    assert index[:4] == b"DIRC"
    assert int.from_bytes(index[4:8], "big") in (2, 3, 4)
    # git 2.39 takes an index without its checksum for a damaged one; git 2.40 and later may write that.
    assert hashlib.sha1(index[:-20], usedforsecurity=False).digest() == index[-20:]
    for pack in (machine.top / ".git" / "objects" / "pack").glob("*.idx"):
        assert pack.read_bytes()[:8] == b"\xfftOc\0\0\0\2"
    assert machine.git.line("config", "core.repositoryformatversion") == "0"


def test_lib_init_asks_nothing_of_git_that_an_older_one_does_not_know(home: Path) -> None:
    lab = make(home, home / "library")
    keys = lab.git("config", "--local", "--name-only", "--list").lower().split("\n")
    assert not [key for key in keys if key.startswith(("extensions.", "hook.", "feature.", "index."))]
    assert lab.git("config", "core.repositoryformatversion") == "0"
    known = {"text", "eol=lf", "merge=union", "merge=lib-entry", "merge=lib-index"}
    for path in (".gitattributes", ".git/info/attributes"):
        lines = [line.split() for line in lab.read(path).splitlines() if not line.startswith("#")]
        assert {word for line in lines for word in line[1:]} <= known
