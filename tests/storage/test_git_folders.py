from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.storage.git_folders import first_line, own, shared

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "tide"
    folder.mkdir()
    git(folder, "init", "-q")
    git(folder, "-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x")
    return folder


def folders(top: Path) -> tuple[str, str]:
    """As git says."""
    told = git(top, "rev-parse", "--absolute-git-dir", "--git-common-dir").split("\n")
    return os.path.realpath(told[0]), os.path.realpath(top / told[1])


def test_a_repository_a_worktree_and_one_that_lies_apart_are_found_as_git_finds_them(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "quay"))
    git(tmp_path, "init", "-q", "--separate-git-dir", "apart.git", "moor")
    found = []
    for top in (repository, tmp_path / "quay", tmp_path / "moor"):
        git_dir = own(str(top))
        assert (os.path.realpath(git_dir), os.path.realpath(shared(git_dir))) == folders(top)
        found.append(git_dir)
    assert len(set(found)) == 3
    assert own(str(tmp_path), "tide/.git") == own(str(tmp_path / "quay"), str(repository / ".git")) == f"{repository}/.git"


@pytest.mark.parametrize("text", [b"", b"gitdir", b"\xff\x00\n", b"ref: refs/heads/main\n"])
def test_a_file_that_points_nowhere_is_no_repository(tmp_path: Path, text: bytes) -> None:
    assert own(str(tmp_path)) == ""
    (tmp_path / ".git").write_bytes(text)
    assert own(str(tmp_path)) == ""


def test_what_cannot_be_read_has_no_first_line(tmp_path: Path) -> None:
    assert first_line(str(tmp_path)) == first_line(str(tmp_path / "none")) == ""
    (tmp_path / "ref").write_bytes(b" ab\xff \nmore")
    assert first_line(str(tmp_path / "ref")) == "ab\udcff"


def test_nobody_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".git")
    assert own(str(tmp_path)) == ""
