from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.storage import watermark

if TYPE_CHECKING:
    from pathlib import Path


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "library"
    (folder / "entries").mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    for text in ("one", "two"):
        (folder / "entries" / "kiln.md").write_text(text)
        git(folder, "add", "-A")
        git(folder, "commit", "-qm", text)
    return folder


def moves(folder: Path, *words: str) -> bool:
    before = watermark.of(str(folder))
    assert watermark.of(str(folder)) == before
    git(folder, *words)
    return watermark.of(str(folder)) != before


@pytest.mark.parametrize("packed", [False, True])
def test_whatever_git_does_to_the_work_tree_moves_it(repository: Path, *, packed: bool) -> None:
    if packed:
        git(repository, "pack-refs", "--all")
        assert not (repository / ".git" / "refs" / "heads" / "main").exists()
    assert moves(repository, "commit", "-qm", "empty", "--allow-empty")
    assert moves(repository, "reset", "-q", "--hard", "HEAD~2")
    assert moves(repository, "switch", "-q", "-c", "side")
    assert moves(repository, "rm", "-q", "entries/kiln.md")


def test_packing_refs_moves_it_once_and_a_look_does_not(repository: Path) -> None:
    assert not moves(repository, "log", "-1")
    assert moves(repository, "pack-refs", "--all")
    assert not moves(repository, "log", "-1")


def test_a_detached_head_and_a_linked_worktree_have_their_own(repository: Path) -> None:
    git(repository, "switch", "-q", "--detach")
    tree = repository.parent / "tree"
    git(repository, "worktree", "add", "-q", "-b", "side", str(tree))
    assert moves(repository, "commit", "-qm", "empty", "--allow-empty")
    here = watermark.of(str(repository))
    assert moves(tree, "commit", "-qm", "empty", "--allow-empty")
    assert watermark.of(str(repository)) == here
    git(tree, "pack-refs", "--all")
    assert moves(tree, "commit", "-qm", "empty", "--allow-empty")


def test_without_git_the_set_of_entries_is_told(tmp_path: Path) -> None:
    assert watermark.of(str(tmp_path)) == ""
    (tmp_path / "entries").mkdir()
    before = watermark.of(str(tmp_path))
    assert before
    (tmp_path / "entries" / "kiln.md").write_text("x")
    assert watermark.of(str(tmp_path)) != before
    # What is no repository, and what cannot be read, is as if it were not there.
    (tmp_path / ".git").write_text("no place\n")
    without = watermark.of(str(tmp_path))
    (tmp_path / ".git").write_text("gitdir: nowhere\n")
    assert watermark.of(str(tmp_path)).split()[-1] == without.split()[-1]
    (tmp_path / ".git").unlink()
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").mkdir()
    assert watermark.of(str(tmp_path)).split()[-1] == without.split()[-1]


def test_the_head_alone_does_not_move_with_the_index(repository: Path) -> None:
    folder = str(repository / ".git")
    before = watermark.head(folder)
    (repository / "entries" / "new.md").write_text("x")
    git(repository, "add", "-A")
    assert watermark.head(folder) == before
    git(repository, "commit", "-qm", "new")
    assert watermark.head(folder) != before
    assert watermark.head(str(repository / "nowhere")) == " "


def test_a_repository_of_the_reftable_format_is_told_by_its_list_of_tables(tmp_path: Path) -> None:
    (tmp_path / "HEAD").write_text("ref: refs/heads/.invalid\n")
    (tmp_path / "reftable").mkdir()
    (tmp_path / "reftable" / "tables.list").write_text("one\n")
    before = watermark.head(str(tmp_path))
    (tmp_path / "reftable" / "tables.list").write_text("one\ntwo\n")
    assert watermark.head(str(tmp_path)) != before
