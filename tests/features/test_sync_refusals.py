"""When `lib sync` will not: it says why and what to do, and has changed nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.errors import LibraryNotFound, Locked, RemoteFailed, SyncRefused
from libtool.storage import repo_place
from libtool.storage.work_tree import GitWorkTree

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from libtool.storage.repo_merge import File
    from tests.features.sync_lab import Lab, Machine


@pytest.fixture
def behind(lab: Lab) -> Machine:
    """A machine for which changes of cache, a new quota and a deleted old wait; it has a commit of its own."""
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache")
    desk.put("old")
    desk.sync()
    lap.sync()
    desk.put("cache", "2026-10-02: changed.")
    desk.put("quota")
    desk.git.run("rm", "-q", "entries/old.md")
    desk.commit()
    desk.sync()
    lap.put("local")
    return lap


def dirty(machine: Machine) -> list[str]:
    machine.write("cache", "mine\n")
    return ["entries/cache.md"]


def untracked(machine: Machine) -> list[str]:
    machine.write("quota", "mine\n")
    return ["entries/quota.md"]


def staged(machine: Machine) -> list[str]:
    machine.write("cache", "mine\n")
    machine.write("quota", "mine\n")
    machine.git.run("add", "-A")
    return ["entries/cache.md", "entries/quota.md"]


def staged_and_put_back(machine: Machine) -> list[str]:
    before = machine.read("entries/cache.md")
    machine.write("cache", "mine\n")
    machine.git.run("add", "-A")
    machine.write("cache", before)
    return ["entries/cache.md"]


def dirty_where_deleted(machine: Machine) -> list[str]:
    machine.write("old", "mine\n")
    return ["entries/old.md"]


def folder_in_place_of_a_file(machine: Machine) -> list[str]:
    (machine.top / "entries" / "quota.md").mkdir()
    (machine.top / "entries" / "quota.md" / "note").write_text("mine")
    return ["entries/quota.md"]


def ignored(machine: Machine) -> list[str]:
    (machine.top / ".git" / "info" / "exclude").write_text("quota.md\n")
    return untracked(machine)


@pytest.mark.parametrize(
    "disturb", [dirty, untracked, staged, staged_and_put_back, dirty_where_deleted, folder_in_place_of_a_file, ignored]
)
def test_work_in_the_way_is_named_and_nothing_changes(
    lab: Lab, behind: Machine, disturb: Callable[[Machine], list[str]], without_git: bool
) -> None:
    names = disturb(behind)
    behind.git.run("status")
    head, status, remote = behind.head(), behind.status(), lab.remote_head()
    with pytest.raises(SyncRefused) as caught:
        behind.sync(without_git=without_git)
    for name in names:
        assert name in caught.value.message
    assert (behind.head(), behind.status(), lab.remote_head()) == (head, status, remote)
    assert caught.value.hint
    # Out of the way, and the sync goes on.
    behind.git.run("reset", "-q", "--hard")
    behind.git.run("clean", "-qfdx")
    assert behind.sync(without_git=without_git).merged


def test_a_link_in_place_of_the_folder_is_not_written_through(lab: Lab, tmp_path: Path, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache")
    desk.sync()
    outside = tmp_path / "outside"
    outside.mkdir()
    (lap.top / "entries").symlink_to(outside)
    with pytest.raises(SyncRefused, match="in the way"):
        lap.sync(without_git=without_git)
    assert list(outside.iterdir()) == []


def test_a_detached_head_is_refused(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    desk.git.run("checkout", "-q", "--detach")
    with pytest.raises(SyncRefused, match="HEAD is detached") as caught:
        desk.sync(without_git=without_git)
    assert "git switch" in caught.value.hint


@pytest.mark.parametrize("what", ["merge", "rebase", "cherry-pick", "revert"])
def test_in_the_middle_of_something_it_is_refused(lab: Lab, what: str) -> None:
    desk = lab.machine("desk")
    desk.put("cache", "2026-10-01: one.")
    desk.git.run("switch", "-qc", "side")
    desk.put("cache", "2026-10-01: two.")
    desk.git.run("switch", "-q", "main")
    desk.put("cache", "2026-10-01: three.")
    desk.git.call(what, "HEAD~1" if what == "revert" else "side")
    with pytest.raises(SyncRefused, match=f"a {what} is under way") as caught:
        desk.sync()
    assert f"git {what} --abort" in caught.value.hint


def test_a_repository_that_is_no_library_is_left_alone(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    desk.git.run("rm", "-q", ".lib-library")
    head = desk.commit()
    with pytest.raises(LibraryNotFound, match="but no library"):
        desk.sync(without_git=without_git)
    assert desk.head() == head


def test_no_repository(lab: Lab, tmp_path: Path) -> None:
    desk = lab.machine("desk")
    desk.config = desk.config.replace(library=str(tmp_path / "nothing"))
    with pytest.raises(LibraryNotFound):
        desk.sync()


@pytest.mark.parametrize(
    ("name", "value", "what"),
    [
        ("extensions.refStorage", "reftable", "reftable"),
        ("extensions.objectFormat", "sha256", "SHA-256"),
        ("extensions.partialClone", "origin", "partial clone"),
        ("remote.origin.promisor", "true", "partial clone"),
        ("core.bare", "true", "bare"),
    ],
)
def test_repositories_of_other_kinds_are_refused_before_anything_is_touched(name: str, value: str, what: str, tmp_path: Path) -> None:
    place = repo_place.Place(str(tmp_path), str(tmp_path), str(tmp_path))
    with pytest.raises(SyncRefused, match=what) as caught:
        repo_place.refuse_unsupported(place, {name.rpartition(".")[0].lower() + "." + name.rpartition(".")[2].lower(): value})
    assert caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_two_syncs_at_once_wait_for_each_other(lab: Lab) -> None:
    desk = lab.machine("desk")
    place = repo_place.find(desk.config.library)
    with repo_place.one_sync(place, 1.0), pytest.raises(Locked, match="another `lib sync`"), repo_place.one_sync(place, 0.1):
        pass
    desk.sync()


def test_an_unreachable_remote_leaves_what_is_here_whole(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    desk.put("cache")
    gone = lab.remote.rename(lab.folder / "away.git")
    with pytest.raises(RemoteFailed) as caught:
        desk.sync(without_git=without_git)
    assert "remote.git" in caught.value.message
    assert "whole" in caught.value.hint
    assert desk.status() == ""
    gone.rename(lab.remote)
    assert desk.sync(without_git=without_git).sent
    assert lab.remote_head() == desk.head()


def test_what_the_server_s_hook_says_is_told_and_what_came_is_kept(lab: Lab, behind: Machine) -> None:
    hook = lab.remote / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\necho 'no pushes on Sunday' >&2\nexit 1\n")
    hook.chmod(0o755)
    remote = lab.remote_head()
    with pytest.raises(RemoteFailed, match="refused the push: pre-receive hook declined; no pushes on Sunday"):
        behind.sync()
    assert lab.remote_head() == remote == behind.git.line("rev-parse", "origin/main")
    assert "changed" in behind.read("entries/cache.md")
    assert behind.status() == ""
    hook.unlink()
    behind.sync()
    assert lab.remote_head() == behind.head()


def test_a_library_that_cannot_be_written_is_refused(behind: Machine, without_git: bool) -> None:
    # For root, under whom CI runs too, nothing is read-only: so a folder stands where the note is to be written.
    (behind.top / ".git" / repo_place.LOCK).unlink()
    (behind.top / ".git" / repo_place.LOCK).mkdir()
    with pytest.raises(SyncRefused, match=r"lib-sync\.lock: Is a directory") as caught:
        behind.sync(without_git=without_git)
    assert "rights" in caught.value.hint
    assert behind.status() == ""


def test_what_fails_elsewhere_is_not_taken_for_the_library(behind: Machine, tmp_path: Path) -> None:
    git = tmp_path / "bin" / "git"
    git.parent.mkdir()
    git.write_bytes(b"\x7fELF, but no program")
    git.chmod(0o755)
    behind.environ["PATH"] = str(git.parent)
    with pytest.raises(OSError, match="Exec format error"):
        behind.sync()
    assert behind.status() == ""


def test_another_git_at_work_is_waited_for_by_the_user(lab: Lab, behind: Machine, without_git: bool) -> None:
    lock = behind.top / ".git" / "index.lock"
    lock.touch()
    head, remote = behind.head(), lab.remote_head()
    with pytest.raises(SyncRefused, match="another git process is at work"):
        behind.sync(without_git=without_git)
    assert (behind.head(), lab.remote_head(), lock.exists()) == (head, remote, True)
    lock.unlink()
    behind.sync(without_git=without_git)


def test_no_login_of_a_url_is_told(lab: Lab) -> None:
    desk = lab.machine("desk")
    word = "pass" + "word" * 2
    for url in (f"http://ada:{word}@127.0.0.1:1/x.git", f"odd://ada:{word}@example.org/x"):
        desk.git.run("remote", "set-url", "origin", url)
        with pytest.raises(RemoteFailed) as caught:
            desk.sync()
        assert word not in caught.value.message + caught.value.hint


@pytest.mark.parametrize("is_staged", [False, True])
def test_an_index_that_is_not_as_committed_is_nobodys_work(lab: Lab, behind: Machine, is_staged: bool, without_git: bool) -> None:
    before = behind.read("INDEX.md")
    (behind.top / "INDEX.md").write_text("by hand\n")
    if is_staged:
        behind.git.run("add", "INDEX.md")
    report = behind.sync(without_git=without_git)
    assert behind.status() == ""
    assert behind.read("INDEX.md") != before
    kept = behind.top / ".git" / "lib-kept" / "INDEX.md"
    assert kept.read_text() == "by hand\n"
    assert report.notes == (f"INDEX.md is generated: your version of it was replaced, and lies in {kept}",)
    lab.fsck(behind)


def test_a_refusal_after_the_index_was_put_back_says_so(behind: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    (behind.top / "INDEX.md").write_text("by hand\n")

    def put_back(tree: GitWorkTree, path: bytes, file: File) -> None:
        whole(tree, path, file)
        behind.write("cache", "mine\n")

    whole = GitWorkTree.put_back
    monkeypatch.setattr(GitWorkTree, "put_back", put_back)
    with pytest.raises(SyncRefused, match=r"in the way; only INDEX\.md was put back: entries/cache\.md") as caught:
        behind.sync()
    assert "nothing was changed" not in caught.value.message
    assert f"lies in {behind.top / '.git' / 'lib-kept' / 'INDEX.md'}" in caught.value.hint


def test_an_older_index_is_replaced_without_a_word(behind: Machine, without_git: bool) -> None:
    behind.sync(push=False, without_git=without_git)
    older = behind.read("INDEX.md")
    behind.put("later")
    behind.sync(push=False, without_git=without_git)
    assert behind.read("INDEX.md") != older
    (behind.top / "INDEX.md").write_text(older)
    behind.put("last")
    assert behind.sync(push=False, without_git=without_git).notes == ()
    assert "[last]" in behind.read("INDEX.md")
    assert not (behind.top / ".git" / "lib-kept").exists()


def test_a_folder_in_place_of_the_index_is_in_the_way(behind: Machine, without_git: bool) -> None:
    (behind.top / "INDEX.md").unlink()
    (behind.top / "INDEX.md").mkdir()
    (behind.top / "INDEX.md" / "note").write_text("mine")
    with pytest.raises(SyncRefused, match=r"INDEX\.md"):
        behind.sync(without_git=without_git)
    assert (behind.top / "INDEX.md" / "note").read_text() == "mine"


def test_what_git_itself_refuses_is_told(lab: Lab, behind: Machine) -> None:
    for name in ("user.name", "user.email"):
        behind.git.run("config", "--global", "--unset", name)
    behind.git.run("config", "user.useConfigOnly", "true")
    head, remote = behind.head(), lab.remote_head()
    with pytest.raises(SyncRefused, match=r"tell me who you are|no email was given") as caught:
        behind.sync()
    assert caught.value.hint
    assert (behind.head(), lab.remote_head(), behind.status()) == (head, remote, "")
