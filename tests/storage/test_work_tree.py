"""The work tree by C git's plumbing and without git: the corners that a whole sync does not come to."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.errors import LibraryNotFound, SyncRefused
from libtool.storage import repo_place
from libtool.storage.git import Git, GitFailed
from libtool.storage.repo import Repository
from libtool.storage.repo_checkout import PlainWorkTree
from libtool.storage.work_tree import GitWorkTree, HeadMovedError, Version, WorkTree, in_the_way
from tests.surroundings import environment

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

WHO = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "a@b"}


@pytest.fixture
def git(tmp_path: Path) -> Git:
    made = Git(str(tmp_path), environment(**WHO))
    made.run("init", "-q", "-b", "main")
    return made


@pytest.fixture
def repository(git: Git) -> Iterator[Repository]:
    made = Repository(git.folder)
    yield made
    made.close()


@pytest.fixture(params=["git", "plain"])
def tree(request: pytest.FixtureRequest, git: Git, repository: Repository) -> WorkTree:
    place = repo_place.find(git.folder)
    if request.param == "plain":
        return PlainWorkTree(place, repository)
    return GitWorkTree(place, git.environ, os.open(os.devnull, os.O_RDONLY))


def version(git: Git, repository: Repository, **files: str | None) -> Version:
    """A commit upon HEAD with these files (None takes one away), without touching index or work tree."""
    head = git.line("rev-parse", "-q", "--verify", "HEAD")
    tree = dict(repository.files(head or None))
    for name, content in files.items():
        path = name.replace("__", "/").encode()
        if content is None:
            del tree[path]
        elif content.startswith("-> "):
            tree[path] = (0o120000, repository.write(content[3:].encode()))
        else:
            tree[path] = (0o100755 if content.startswith("#!") else 0o100644, repository.write(content.encode()))
    parents = ["-p", head] if head else []
    commit = git.run("commit-tree", repository.write_tree(tree), *parents, "-m", "x").decode().strip()
    return Version(commit, tree)


NOTHING = Version(None, {})


def test_files_come_change_kind_and_go(git: Git, repository: Repository, tree: WorkTree, tmp_path: Path) -> None:
    first = version(git, repository, a="one", folder__b="two", run="#!x", link="-> a", deep__er__c="three")
    tree.check(NOTHING, first)
    tree.move(NOTHING, first, "begin")
    assert git.run("status", "--porcelain") == b""
    assert (os.readlink(tmp_path / "link"), os.access(tmp_path / "run", os.X_OK)) == ("a", True)
    second = version(git, repository, a="-> run", link="plain", folder__b=None, folder="file", deep__er__c=None, run="no longer")
    tree.move(first, second, "change")
    assert git.run("status", "--porcelain") == b""
    assert ((tmp_path / "folder").read_text(), (tmp_path / "deep").exists()) == ("file", False)
    third = version(git, repository, folder=None, folder__b="back", a=None)
    tree.move(second, third, "and back")
    assert git.run("status", "--porcelain") == b""
    assert tree.content(b"folder/b") == b"back"
    assert tree.content(b"nothing") is None
    assert git.line("reflog", "-1", "--format=%gs", "main") == "and back"


def test_empty_folders_are_no_work(git: Git, repository: Repository, tree: WorkTree, tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    tree.move(NOTHING, version(git, repository, a="one"), "begin")
    assert (tmp_path / "a").read_text() == "one"


def test_a_file_where_a_folder_must_be_is_in_the_way(git: Git, repository: Repository, tree: WorkTree, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("mine")
    new = version(git, repository, a__b="one")
    with pytest.raises(SyncRefused, match=r"in the way.*a/b"):
        tree.check(NOTHING, new)
    with pytest.raises(SyncRefused, match=r"in the way.*a/b"):
        tree.move(NOTHING, new, "begin")
    assert (tmp_path / "a").read_text() == "mine"


def test_nothing_is_written_through_a_link(git: Git, repository: Repository, tree: WorkTree, tmp_path: Path) -> None:
    first = version(git, repository, a__b="one")
    tree.move(NOTHING, first, "begin")
    (tmp_path / "a").rename(tmp_path / "elsewhere")
    (tmp_path / "a").symlink_to("elsewhere")
    with pytest.raises(SyncRefused):
        tree.move(first, version(git, repository, a__b="two"), "change")
    assert (tmp_path / "elsewhere" / "b").read_text() == "one"


def test_what_became_executable_or_a_link_is_work(git: Git, repository: Repository, tree: WorkTree, tmp_path: Path) -> None:
    first = version(git, repository, a="one", b="one")
    tree.move(NOTHING, first, "begin")
    (tmp_path / "a").chmod(0o755)
    (tmp_path / "b").unlink()
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(SyncRefused, match="a, b"):
        tree.move(first, version(git, repository, a="two", b="two"), "change")


def test_unmerged_files_are_in_the_way(git: Git, repository: Repository, tree: WorkTree) -> None:
    first = version(git, repository, a="one")
    tree.move(NOTHING, first, "begin")
    blob = git.line("rev-parse", "HEAD:a")
    git.run("update-index", "--index-info", stdin=f"0 {'0' * 40}\ta\n100644 {blob} 1\ta\n100644 {blob} 2\ta\n100644 {blob} 3\ta\n".encode())
    with pytest.raises(SyncRefused, match=": a"):
        tree.check(first, version(git, repository, a="two"))


def test_what_the_index_has_already_is_not_in_the_way(git: Git, repository: Repository, tree: WorkTree, tmp_path: Path) -> None:
    first = version(git, repository, a="one", b="one", c="one")
    tree.move(NOTHING, first, "begin")
    new = version(git, repository, a="two", b="two", c=None)
    (tmp_path / "a").write_text("two")
    git.run("add", "a")
    git.run("rm", "-q", "c")
    (tmp_path / "b").write_text("mine")
    with pytest.raises(SyncRefused, match=r"nothing was changed: b$"):
        tree.check(first, new)
    (tmp_path / "b").write_text("one")
    tree.move(first, new, "change")
    assert git.run("status", "--porcelain") == b""


def test_a_head_that_has_moved_is_noticed(git: Git, repository: Repository, tree: WorkTree) -> None:
    first = version(git, repository, a="one")
    tree.move(NOTHING, first, "begin")
    with pytest.raises(HeadMovedError):
        tree.move(NOTHING, version(git, repository, a="two"), "late")
    assert git.line("rev-parse", "HEAD") == first.commit


def test_a_branch_that_moves_while_we_write_is_noticed(
    git: Git, repository: Repository, tree: WorkTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = version(git, repository, a="one")
    tree.move(NOTHING, first, "begin")
    new, other = version(git, repository, b="new"), version(git, repository, c="other")
    name = "_write" if isinstance(tree, PlainWorkTree) else "_read_tree"
    real = getattr(tree, name)

    def meanwhile(*words: object) -> object:
        git.run("update-ref", "HEAD", str(other.commit))
        return real(*words)

    monkeypatch.setattr(tree, name, meanwhile)
    with pytest.raises(HeadMovedError):
        tree.move(first, new, "late")
    assert git.line("rev-parse", "HEAD") == other.commit


def test_git_s_own_failure_is_told(git: Git, repository: Repository) -> None:
    tree = GitWorkTree(repo_place.find(git.folder), git.environ, os.open(os.devnull, os.O_RDONLY))
    first = version(git, repository, a="one")
    tree.move(NOTHING, first, "begin")
    with open(os.path.join(git.folder, ".git", "refs", "heads", "main.lock"), "w", encoding="utf-8"):
        pass
    with pytest.raises(GitFailed, match="update-ref"):
        tree.move(first, version(git, repository, b="two"), "locked")


def test_what_git_does_not_want_for_another_reason_is_told_in_its_words(git: Git, repository: Repository) -> None:
    tree = GitWorkTree(repo_place.find(git.folder), git.environ, os.open(os.devnull, os.O_RDONLY))
    first = version(git, repository, a="one")
    tree.move(NOTHING, first, "begin")
    blob = git.line("rev-parse", "HEAD:a")
    git.run("update-index", "--index-info", stdin=f"0 {'0' * 40}\ta\n100644 {blob} 1\ta\n100644 {blob} 2\ta\n".encode())
    with pytest.raises(SyncRefused, match="git cannot update the work tree; nothing was changed: fatal: You need to"):
        tree.check(first, version(git, repository, b="two"))


@pytest.mark.parametrize("name", [".git/hooks/x", "../x", "a/.git/x"])
def test_paths_that_lead_elsewhere_are_refused_without_git(git: Git, repository: Repository, name: str) -> None:
    tree = PlainWorkTree(repo_place.find(git.folder), repository)
    bad = Version("b" * 40, {name.encode(): (0o100644, repository.write(b"x"))})
    with pytest.raises(SyncRefused, match="in the way"):
        tree.check(NOTHING, bad)


def test_an_index_that_only_git_can_read_is_refused_without_git(git: Git, repository: Repository, tmp_path: Path) -> None:
    tree = PlainWorkTree(repo_place.find(git.folder), repository)
    first = version(git, repository, folder__a="one", b="two")
    tree.move(NOTHING, first, "begin")
    git.run("update-index", "--split-index")
    with pytest.raises(SyncRefused, match="only git can read"):
        tree.check(first, first)
    git.run("update-index", "--no-split-index")
    git.run("sparse-checkout", "set", "--sparse-index", "nothing")
    before = (tmp_path / ".git" / "index").read_bytes()
    with pytest.raises(SyncRefused, match="only git can"):
        tree.check(first, first)
    assert (tmp_path / ".git" / "index").read_bytes() == before
    assert not (tmp_path / ".git" / "index.lock").exists()


def test_commits_are_signed_where_the_user_signs(git: Git, repository: Repository, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "key")], check=True)
    for name, value in (("gpg.format", "ssh"), ("user.signingkey", str(tmp_path / "key.pub")), ("commit.gpgsign", "true")):
        git.run("config", name, value)
    tree = GitWorkTree(repo_place.find(git.folder), git.environ, os.open(os.devnull, os.O_RDONLY))
    made = tree.commit(repository.write_tree({}), [], "signed\n")
    assert b"gpgsig -----BEGIN SSH SIGNATURE-----" in git.run("cat-file", "commit", made)


def test_the_refusal_names_twenty_files_and_counts_the_rest() -> None:
    refusal = in_the_way(f"{number:02}".encode() for number in range(23))
    assert refusal.message.endswith("18, 19 and 3 more")


def test_no_repository_is_no_library(tmp_path: Path) -> None:
    with pytest.raises(LibraryNotFound):
        Repository(str(tmp_path))


def test_objects_that_are_not_here(repository: Repository) -> None:
    assert (repository.raw("-"), repository.raw("b" * 40), repository.has("b" * 40)) == (None, None, False)
