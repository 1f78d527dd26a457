from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.errors import LibError
from libtool.features.githooks.index_book import IndexBook
from libtool.features.githooks.repository import Object, Repository, Row, changed, find, rows, tree_of
from libtool.features.githooks.staging import changed_tree
from libtool.storage.git import Git
from libtool.storage.loose import object_id
from tests.compat.lab import environ

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(params=["sha1", "sha256"])
def repository(request: pytest.FixtureRequest, home: Path) -> Repository:
    top = home / "r"
    subprocess.run(["git", "init", "-q", f"--object-format={request.param}", str(top)], check=True, env=environ(home))
    found = find(Git(str(top), environ(home)), str(top))
    assert found is not None
    return found


def tree(repository: Repository, names: dict[str, bytes]) -> Object:
    ids = repository.write(list(names.values()))
    zero = "0" * len(ids[0])
    assert zero
    repository.git.run("read-tree", "--empty")
    repository.stage({name: Row("100644", one) for name, one in zip(names, ids, strict=True)})
    found = repository.read([repository.git.run("write-tree").decode().strip()])[0]
    assert found is not None
    return found


def test_objects_come_back_as_they_were_written(repository: Repository) -> None:
    contents = [b"", b"one\n", b"\0\n\xff" * 50]
    ids = repository.write(contents)
    assert [one.data for one in repository.read([*ids]) if one] == contents
    assert repository.read([ids[0], "HEAD:nothing", ids[1]])[1] is None
    assert repository.read([]) == []
    assert repository.write([]) == []
    assert [name for name in os.listdir(repository.git_dir) if name.startswith("lib-blob")] == []


def test_what_differs_between_two_trees(repository: Repository) -> None:
    before = tree(repository, {"a": b"1", "b": b"2", "\udcffx": b"3"})
    now = tree(repository, {"a": b"1", "b": b"4", "c": b"5"})
    assert sorted(changed(before, now)) == ["b", "c", "\udcffx"]
    assert changed(before, now)["c"] == (None, rows(now)["c"])
    assert changed(before, before) == {}
    assert sorted(changed(None, now)) == ["a", "b", "c"]
    assert changed(now, None)["a"] == (rows(now)["a"], None)


def test_a_changed_tree_as_git_makes_it(repository: Repository) -> None:
    before = tree(repository, {"a": b"1", "b": b"2"})
    now = tree(repository, {"a": b"1", "b": b"4"})
    assert changed_tree(before, {"b": (rows(before)["b"], rows(now)["b"])}, repository.digits) == now
    assert changed_tree(before, {}, repository.digits) is before
    assert changed_tree(None, {}, repository.digits) is None
    assert tree_of(before) is before
    assert tree_of(before._replace(kind="blob")) is None


def test_rows_of_another_index(repository: Repository) -> None:
    tree(repository, {"a": b"1", "b": b"2"})
    repository.stage({})
    assert list(repository.staged(["a", "b", "c"])) == ["a", "b"]
    other = os.path.join(repository.git_dir, "other")
    repository.stage({"c": repository.staged(["b"])["b"]}, other)
    assert list(repository.staged(["b", "c"], other)) == ["c"]


def test_a_folder_that_is_no_repository(home: Path) -> None:
    assert find(Git(str(home), environ(home)), str(home)) is None


def test_an_unmerged_path_has_no_row(repository: Repository) -> None:
    one, two = repository.write([b"1", b"2"])
    repository.git.run("update-index", "--index-info", stdin=f"100644 {one} 2\ta\n100644 {two} 3\ta\n".encode())
    assert repository.staged(["a"]) == {}


def test_the_book_keeps_a_few_pairs_of_this_version(repository: Repository) -> None:
    book = IndexBook(repository)
    assert book.newest is None
    for number in range(20):
        book.remember(Object(f"tree{number}", "tree", b""), "blob")
    book.remember(Object("tree19", "tree", b""), "blob")
    again = IndexBook(repository)
    assert again.newest == ("tree19", "blob")
    path = os.path.join(repository.common_dir, "lib-index")
    with open(path) as file:
        lines = file.read().splitlines()
    assert len(lines) == 16
    with open(path, "w") as file:
        file.write("0.0.0-older tree blob\nodd\n")
    assert IndexBook(repository).newest is None
    assert not book.is_known(None, "blob")
    book.remember(None, "blob")
    assert book.is_known(None, "blob")


def test_a_book_that_cannot_be_written_is_no_failure(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    book = IndexBook(repository)
    monkeypatch.setattr(book, "_path", "/nowhere/lib-index")
    book.remember(Object("tree", "tree", b""), "blob")
    assert book.newest == ("tree", "blob")


def test_many_objects_are_not_kept_and_are_given_by_another_way(repository: Repository) -> None:
    contents = [b"%d" % number for number in range(200)]
    ids = repository.write(contents)
    assert [one.data for one in repository.read(ids) if one] == contents
    repository.stage({f"topic-{number}": Row("100644", one) for number, one in enumerate(ids)})
    assert len(repository.staged(["."])) in (0, 200)
    assert len(repository.staged([f"topic-{number}" for number in range(200)])) == 200


def test_objects_that_cannot_be_written(repository: Repository) -> None:
    os.rename(os.path.join(repository.common_dir, "objects"), os.path.join(repository.common_dir, "gone"))
    with pytest.raises(LibError, match=r"cannot write to .*objects: No such file"):
        repository.write([b"one"])


def test_a_pair_whose_tree_was_never_committed_is_passed_over(repository: Repository) -> None:
    zero = "1" * repository.digits
    book = IndexBook(repository)
    book.remember(Object(zero, "tree", b""), zero)
    found = tree(repository, {"alpha.md": b"# Alpha\n"})
    assert b"(entries/alpha.md)" in book.index_of(found)


def test_an_index_that_lib_made_is_not_set_aside(repository: Repository) -> None:
    book = IndexBook(repository)
    made = b"made"
    book.remember(None, object_id("blob", made, 40))
    assert book.set_aside(made) == []
    assert "lies in" in book.set_aside(b"mine")[0]


@pytest.mark.parametrize("by", ["name", "environment"])
def test_a_lock_that_a_killed_hook_left_on_git_s_own_lock_stops_no_commit(repository: Repository, by: str) -> None:
    # `git commit -a` gives its hooks index.lock as the index; git locks that once more while it writes.
    tree(repository, {"a": b"1"})
    index = os.path.join(repository.git_dir, "index")
    os.rename(index, index + ".lock")
    at = repository
    if by == "environment":
        found = find(Git(repository.git.folder, {**repository.git.environ, "GIT_INDEX_FILE": index + ".lock"}), repository.git.folder)
        assert found is not None
        at = found
    with open(index + ".lock.lock", "wb"):
        pass
    row = Row("100644", at.write([b"2"])[0])
    at.stage({"b": row}, index + ".lock" if by == "name" else "")
    assert at.staged(["b"], index + ".lock") == {"b": row}
    assert not os.path.exists(index + ".lock.lock")
