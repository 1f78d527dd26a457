"""Where a repository keeps its things, the lock of syncs and what a killed one leaves."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import pytest

from libtool.errors import LibraryNotFound, SyncRefused
from libtool.storage import repo_place
from libtool.storage.git import Git
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.storage.repo_place import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    Git(str(tmp_path), environment()).run("init", "-q")
    return repo_place.find(str(tmp_path))


def test_the_places_of_a_repository_and_of_its_linked_worktree(place: Place, tmp_path: Path) -> None:
    assert place == (str(tmp_path), str(tmp_path / ".git"), str(tmp_path / ".git"))
    git = Git(str(tmp_path), environment(GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@b", GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@b"))
    git.run("commit", "-q", "--allow-empty", "-m", "begin")
    git.run("worktree", "add", "-q", "linked")
    linked = repo_place.find(str(tmp_path / "linked"))
    assert linked == (str(tmp_path / "linked"), str(tmp_path / ".git" / "worktrees" / "linked"), str(tmp_path / ".git"))


def test_no_repository_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(LibraryNotFound) as caught:
        repo_place.find(str(tmp_path))
    assert "lib init" in caught.value.hint


def test_a_plain_repository_is_of_a_kind_that_can_be_synced(place: Place) -> None:
    repo_place.refuse_unsupported(place, {"core.bare": "false", "remote.origin.promisor": "false", "extensions.objectformat": "sha1"})
    repo_place.refuse_unfinished(place)


def test_the_note_outlives_only_a_sync_that_was_killed(place: Place) -> None:
    with repo_place.one_sync(place, 0) as note:
        assert note.read() is None
        note.write("a" * 40, "b" * 40)
        left = note.read()
        assert left is not None
        assert left[:2] == ("a" * 40, "b" * 40)
    with repo_place.one_sync(place, 0) as note:
        assert note.read() is None
        note.write()
        note.unfinished = True
    with repo_place.one_sync(place, 0) as note:
        left = note.read()
        assert left is not None
        assert left[:2] == (None, "")


def test_a_note_that_was_cut_says_that_nothing_was_under_way(place: Place) -> None:
    with open(os.path.join(place.git_dir, repo_place.NOTE), "w", encoding="utf-8") as file:
        file.write('{"old": "aaa')
    with repo_place.one_sync(place, 0) as note:
        left = note.read()
    assert left is not None
    assert left[:2] == (None, "")


def touch(place: Place, name: str, age: float) -> str:
    path = os.path.join(place.git_dir, *name.split("/"))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8"):
        pass
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_locks_among_the_objects_are_ours_those_on_refs_only_when_they_fit(place: Place) -> None:
    ours = [touch(place, "objects/ab/cd.lock", 900), touch(place, "objects/pack/pack-1.idx.lock", 900), touch(place, "index.lock", 5)]
    ours.append(touch(place, "refs/heads/main.lock", 5))
    others = [
        touch(place, "HEAD.lock", 900),
        touch(place, "refs/heads/side.lock", 5),
        touch(place, "objects/info/commit-graphs/commit-graph-chain.lock", 5),
    ]
    assert sorted(repo_place.sweep(place, ("refs/heads/main",), time.time() - 10)) == sorted(ours)
    assert [path for path in ours if os.path.exists(path)] == []
    assert [path for path in others if not os.path.exists(path)] == []


def test_a_lock_that_goes_away_while_we_watch_was_somebody_else_s(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    path = touch(place, "index.lock", 0)
    monkeypatch.setattr(time, "sleep", lambda _: os.unlink(path))
    assert repo_place.sweep(place, (), time.time() - 10) == []


def test_in_the_middle_of_a_merge(place: Place) -> None:
    touch(place, "MERGE_HEAD", 0)
    with pytest.raises(SyncRefused, match="a merge is under way"):
        repo_place.refuse_unfinished(place)
