"""The eleven merges that a library meets, by `lib sync` on both machines: eleven of eleven, with git installed and without."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest

from libtool.domain.index_md import build, line_of
from libtool.domain.merge import topic_of
from libtool.storage.git import Git
from libtool.storage.repo import Repository
from tests.compat.test_git_merges import BEFORE, CLEAN, REFUSED, RENAMED, TOKENS, Library
from tests.domain.histories import resolve_tree
from tests.features.sync_lab import Lab, Machine

if TYPE_CHECKING:
    from pathlib import Path

ELEVEN = {**CLEAN, **REFUSED, "remote renames, local edits": RENAMED}
KEPT = f"{TOKENS}: deleted on one side, changed on the other: kept"


def make(machine: Machine, library: Library) -> None:
    """Commit these entries, and no others, as git does without any hook."""
    machine.git.run("rm", "-rqf", "--ignore-unmatch", "entries")
    for path, data in library.items():
        machine.write(topic_of(path), data.decode())
    machine.commit()


def entries_of(machine: Machine) -> Library:
    return {f"entries/{path.name}": path.read_bytes() for path in (machine.top / "entries").iterdir()}


@pytest.mark.parametrize("without_git", [False, True], ids=["git", "no-git"])
@pytest.mark.parametrize("name", ELEVEN)
def test_a_sync_merges_without_a_question(tmp_path: Path, name: str, without_git: bool) -> None:
    lab = Lab(tmp_path)
    here, there = lab.machine("here"), lab.machine("there")
    make(here, BEFORE)
    here.sync()
    there.sync()
    for machine, library in zip((here, there), ELEVEN[name], strict=True):
        make(machine, library)
    there.sync(without_git=without_git)
    merged = here.sync(without_git=without_git)
    there.sync(without_git=without_git)
    expected = resolve_tree(BEFORE, *ELEVEN[name])
    assert entries_of(here) == entries_of(there) == expected
    assert merged.merged
    # What git alone stops at (tests/compat/test_git_merges.py) is told, and is no question.
    assert merged.notes == ((KEPT,) if name in REFUSED or ELEVEN[name] == RENAMED else ())
    assert here.head() == there.head() == lab.remote_head()
    lines = {topic_of(path): line_of(topic_of(path), data) for path, data in expected.items()}
    assert (here.top / "INDEX.md").read_bytes() == build(lines)
    assert (here.status(), there.status()) == ("", "")
    lab.fsck(here, there)


def test_of_commits_of_one_second_only_the_nearest_is_a_base(tmp_path: Path) -> None:
    machine = Lab(tmp_path).machine("one")
    tree = machine.git.line("rev-parse", "HEAD^{tree}")
    environ = {**machine.environ, "GIT_AUTHOR_DATE": "@1790000000 +0000", "GIT_COMMITTER_DATE": "@1790000000 +0000"}
    git = Git(str(machine.top), environ)

    def commit(name: str, *parents: str) -> str:
        return git.line("commit-tree", tree, "-m", name, *(word for parent in parents for word in ("-p", parent)))

    # Two ways lead back from this one: what both meet is looked at once.
    root = commit("root")
    split = commit("joined", commit("left", root), commit("right", root))
    with contextlib.closing(Repository(str(machine.top))) as repository:
        assert repository._behind(split.encode()) == {line.encode() for line in git.line("rev-list", split).split()}
    # Which of them is looked at first depends on their ids.
    for number in range(12):
        base = commit(f"base {number}")
        ours = commit(f"more {number}", commit(f"ours {number}", base))
        theirs = commit(f"merge {number}", commit(f"theirs {number}", base), ours)
        with contextlib.closing(Repository(str(machine.top))) as repository:
            assert repository.merge_bases(ours, [theirs]) == [ours]
            assert repository.merge_bases(theirs, [ours]) == [ours]


def test_there_are_eleven() -> None:
    assert len(ELEVEN) == 11
