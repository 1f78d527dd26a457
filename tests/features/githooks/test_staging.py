from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.features.githooks.repository import Object, Row, find, rows
from libtool.features.githooks.staging import Reading, Staged, changed_tree
from libtool.storage.git import Git, GitFailed
from tests.compat.lab import Lab, entry, make

if TYPE_CHECKING:
    from pathlib import Path

IDS = st.integers(0, 2**160 - 1).map(lambda number: f"{number:040x}")
TREES = st.dictionaries(st.sampled_from(["a", "a.md", "a-b", "b", "b.md", "c"]), IDS.map(lambda one: Row("100644", one)))


def made(names: dict[str, Row]) -> Object | None:
    return changed_tree(None, {name: (None, row) for name, row in names.items()})


@given(TREES, TREES)
def test_a_changed_tree_is_that_made_from_nothing(before: dict[str, Row], after: dict[str, Row]) -> None:
    changes = {name: (before.get(name), after.get(name)) for name in {*before, *after} if before.get(name) != after.get(name)}
    assert changed_tree(made(before), changes) == made(after)


def test_a_row_that_is_not_as_it_is_said_to_be() -> None:
    one, other = Row("100644", "1" * 40), Row("100644", "2" * 40)
    with pytest.raises(LookupError):
        changed_tree(made({"a": one}), {"a": (other, None)})


@pytest.fixture
def lab(home: Path) -> Lab:
    found = make(home, home / "library")
    shutil.rmtree(found.top / ".git" / "hooks")
    found.begin("alpha", "beta")
    return found


def staged(lab: Lab) -> Staged:
    repository = find(Git(str(lab.top), lab.environ), str(lab.top))
    assert repository is not None
    return Reading(repository).end()


def holds(lab: Lab, found: Staged) -> None:
    """The tree is the one that git would write."""
    tree = lab.git("write-tree")
    done = lab.call("git", "rev-parse", "-q", "--verify", f"{tree}:entries")
    assert (found.entries.id if found.entries else "") == done.stdout.strip()


def test_what_is_added_changed_and_taken_away(lab: Lab) -> None:
    lab.write("alpha", entry("Other"))
    lab.write("aaa", entry("New"))
    lab.git("rm", "-q", "entries/beta.md")
    (lab.top / "notes.txt").write_text("x")
    lab.git("add", "notes.txt", "entries")
    found = staged(lab)
    holds(lab, found)
    assert sorted(found.rows) == ["aaa.md", "alpha.md", "beta.md"]
    assert [path for path, _ in found.others] == ["notes.txt"]
    assert found.entries is not None
    assert list(rows(found.entries)) == [".gitkeep", "aaa.md", "alpha.md"]


def test_what_is_only_announced_is_not_staged(lab: Lab) -> None:
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "-N", "entries/gamma.md")
    assert staged(lab).rows == {}


def test_a_folder_among_the_entries(lab: Lab) -> None:
    (lab.top / "entries" / "old").mkdir()
    (lab.top / "entries" / "old" / "a.md").write_text("x")
    lab.git("add", "entries")
    found = staged(lab)
    holds(lab, found)
    assert found.rows == {"old": (None, Row("40000", ""))}
    lab.commit()
    lab.git("rm", "-rq", "entries")
    found = staged(lab)
    holds(lab, found)
    assert found.entries is None


def test_the_index_of_the_library_changed_and_gone(lab: Lab) -> None:
    (lab.top / "INDEX.md").write_text("mine")
    lab.git("add", "INDEX.md")
    found = staged(lab)
    assert found.index_md is not None
    assert found.index_md.data == b"mine"
    lab.git("rm", "-qf", "INDEX.md")
    assert staged(lab).index_md is None


def test_before_the_first_commit(lab: Lab) -> None:
    lab.git("checkout", "-q", "--orphan", "new")
    found = staged(lab)
    holds(lab, found)
    assert (found.old_entries, sorted(found.rows)) == (None, [".gitkeep", "alpha.md", "beta.md"])


def test_a_tree_that_an_old_git_wrote(lab: Lab) -> None:
    blob = lab.git("rev-parse", "HEAD:entries/alpha.md")
    data = b"100664 alpha.md\0" + bytes.fromhex(blob)
    (lab.top / "tree").write_bytes(data)
    tree = lab.git("hash-object", "--literally", "-w", "-t", "tree", "tree")
    (lab.top / "tree").write_bytes(b"40000 entries\0" + bytes.fromhex(tree))
    root = lab.git("hash-object", "-w", "-t", "tree", "tree")
    lab.git("update-ref", "HEAD", lab.git("commit-tree", "-m", "old", root))
    lab.git("read-tree", "HEAD")
    lab.write("alpha", entry("Other"))
    lab.git("add", "entries/alpha.md")
    holds(lab, staged(lab))


def test_a_repository_that_is_broken(lab: Lab) -> None:
    (lab.top / ".git" / "index").write_bytes(b"no index")
    with pytest.raises(GitFailed):
        staged(lab)
