"""What a killed sync leaves, put there by hand: the next one finishes it, and takes nothing of a person's for its own."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING, NoReturn

import pytest

from libtool.errors import SyncRefused
from libtool.features import sync_repair
from libtool.storage import repo_place
from libtool.storage.repo import Repository
from libtool.storage.repo_wire import Remote
from libtool.storage.work_tree import Version
from tests.features.sync_lab import Lab, entry

if TYPE_CHECKING:
    from pathlib import Path

    from tests.features.sync_lab import Machine


@pytest.fixture
def lap(tmp_path: Path) -> Machine:
    """A machine whose sync was killed on its way from its HEAD to the remote's, before it wrote anything."""
    lab = Lab(tmp_path)
    desk, made = lab.machine("desk"), lab.machine("lap")
    desk.put("cache", "2026-10-01: one.")
    desk.put("old")
    desk.sync()
    made.sync()
    desk.sync()
    desk.put("cache", "2026-10-01: one.", "2026-10-02: two.")
    desk.git.run("rm", "-q", "entries/old.md")
    desk.put("quota")
    desk.sync()
    made.git.run("fetch", "-q")
    note(made, made.head(), made.git.line("rev-parse", "origin/main"))
    return made


def note(machine: Machine, old: str, new: str) -> None:
    place = repo_place.find(machine.config.library)
    with repo_place.one_sync(place, 1) as held:
        held.write(old, new)
        held.unfinished = True


def test_before_it_wrote(lap: Machine, without_git: bool) -> None:
    lap.sync(without_git=without_git)
    assert lap.status() == ""
    assert "two" in lap.read("entries/cache.md")


def test_half_way_through_the_files(lap: Machine, without_git: bool) -> None:
    new = lap.git.run("show", "origin/main:entries/cache.md").decode()
    lap.write("cache", new[:80])
    lap.write("quota", "")
    (lap.top / "entries" / ".quota.md.999999999.abcdef01.lib-tmp").write_text("x")
    (lap.top / ".git" / "index.lock").touch()
    lap.sync(without_git=without_git)
    assert lap.status() == ""
    assert lap.read("entries/cache.md") == new


def test_after_the_index_and_before_head(lap: Machine, without_git: bool) -> None:
    lap.git.run("read-tree", "-m", "-u", "HEAD", "origin/main")
    assert lap.status() != ""
    lap.sync(without_git=without_git)
    assert lap.status() == ""


def test_after_it_was_done(lap: Machine, without_git: bool) -> None:
    lap.git.run("merge", "-q", "--ff-only", "origin/main")
    lap.sync(without_git=without_git)
    assert lap.status() == ""


def test_a_person_s_edit_since_then_is_refused_until_it_is_out_of_the_way(lap: Machine, without_git: bool) -> None:
    lap.write("cache", "mine\n")
    for _ in range(2):
        with pytest.raises(SyncRefused, match=r"entries/cache\.md"):
            lap.sync(without_git=without_git)
        assert lap.read("entries/cache.md") == "mine\n"
    lap.git.run("checkout", "-q", "entries/cache.md")
    lap.sync(without_git=without_git)
    assert lap.status() == ""


def test_a_commit_since_then_is_merged(lap: Machine, without_git: bool) -> None:
    lap.put("local")
    assert lap.sync(without_git=without_git).merged
    assert lap.status() == ""


def test_a_note_of_a_commit_that_never_came_to_be(lap: Machine, without_git: bool) -> None:
    note(lap, lap.head(), "b" * 40)
    lap.sync(without_git=without_git)
    assert lap.status() == ""


def test_only_beginnings_of_the_new_version_are_removed(lap: Machine) -> None:
    old, new = lap.head(), lap.git.line("rev-parse", "origin/main")
    repository = Repository(lap.config.library)
    was, will = Version(old, repository.files(old)), Version(new, repository.files(new))
    assert sync_repair.drop_half_written(lap.config.library, repository, was, will) == []
    lap.write("quota", entry("Quota")[:-5] + "mine")
    assert sync_repair.drop_half_written(lap.config.library, repository, was, will) == []
    (lap.top / "entries" / "quota.md").unlink()
    (lap.top / "entries" / "quota.md").symlink_to("cache.md")
    assert sync_repair.drop_half_written(lap.config.library, repository, was, will) == []
    repository.close()


def test_in_the_fetch(lap: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    lap.sync()
    lap.git.run("update-ref", "-d", "refs/remotes/origin/main")
    stale = lap.top / ".git" / "objects" / "pack" / "pack-x.idx.lock"

    def killed(_: Remote, wanted: object) -> NoReturn:
        del wanted
        stale.touch()
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError

    child = os.fork()
    if not child:
        monkeypatch.setattr(Remote, "fetch", killed)
        lap.sync()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    assert stale.exists()
    lap.sync()
    assert not stale.exists()


@pytest.mark.parametrize("is_staged", [False, True])
def test_an_index_written_since_then_is_nobodys_work(lap: Machine, is_staged: bool, without_git: bool) -> None:
    (lap.top / "INDEX.md").write_text("by hand\n")
    if is_staged:
        lap.git.run("add", "INDEX.md")
    report = lap.sync(without_git=without_git)
    assert lap.status() == ""
    kept = lap.top / ".git" / "lib-kept" / "INDEX.md"
    assert kept.read_text() == "by hand\n"
    assert report.notes == (f"INDEX.md is generated: your version of it was replaced, and lies in {kept}",)
    assert "[quota]" in lap.read("INDEX.md")


def test_an_index_and_a_person_s_edit_since_then(lap: Machine, without_git: bool) -> None:
    (lap.top / "INDEX.md").write_text("by hand\n")
    lap.write("cache", "mine\n")
    with pytest.raises(SyncRefused, match=r"entries/cache\.md"):
        lap.sync(without_git=without_git)
    assert (lap.read("INDEX.md"), lap.read("entries/cache.md")) == ("by hand\n", "mine\n")
