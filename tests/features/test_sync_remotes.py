"""Which remote a sync goes to when git is told to push elsewhere, and repositories of a kind that it leaves alone, as git makes them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.domain.schema import LIBRARY_MARK
from libtool.errors import SyncRefused
from tests.features.sync_lab import Lab, Machine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    return Lab(tmp_path).machine("desk")


@pytest.mark.parametrize(
    ("key", "scope"), [("branch.main.pushRemote", "--local"), ("remote.pushDefault", "--local"), ("remote.pushDefault", "--global")]
)
def test_a_push_to_another_remote_than_the_fetch_is_refused(desk: Machine, key: str, scope: str, without_git: bool) -> None:
    desk.put("cache")
    desk.git.run("config", scope, key, "mirror")
    head = desk.head()
    with pytest.raises(SyncRefused, match=r"main.* from origin .*to mirror") as caught:
        desk.sync(without_git=without_git)
    assert desk.head() == head
    # What arrives may be taken all the same.
    assert desk.sync(push=False, without_git=without_git).pending
    command = caught.value.hint.split("`")[1]
    subprocess.run(command.split(), cwd=desk.top, env=desk.environ, check=True)
    assert desk.sync(without_git=without_git).sent


def test_a_push_to_the_same_remote_is_no_matter(desk: Machine) -> None:
    desk.put("cache")
    desk.git.run("config", "remote.pushDefault", "origin")
    desk.git.run("config", "branch.main.pushRemote", "origin")
    assert desk.sync().sent


def test_git_prefers_the_branch_s_own_push_remote(desk: Machine) -> None:
    desk.put("cache")
    desk.git.run("config", "remote.pushDefault", "mirror")
    desk.git.run("config", "branch.main.pushRemote", "origin")
    assert desk.sync().sent


def test_a_real_sha256_repository_is_refused_with_a_way_on(tmp_path: Path, without_git: bool) -> None:
    lab = Lab(tmp_path)
    made = Machine(tmp_path, "desk", lab.environ)
    made.top.mkdir(parents=True)
    made.git.run("init", "-q", "-b", "main", "--object-format=sha256")
    (made.top / LIBRARY_MARK).write_text("1\n")
    made.put("cache")
    with pytest.raises(SyncRefused, match=r"SHA-256 objects .*; nothing was changed") as caught:
        made.sync(without_git=without_git)
    assert "`git pull` and `git push`" in caught.value.hint
    assert made.status() == ""
