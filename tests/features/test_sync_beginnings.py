"""Where a library begins: no remote, an empty one, no commit, another branch, another history."""

from __future__ import annotations

import pytest

from libtool.domain.schema import LIBRARY_MARK
from libtool.errors import SyncRefused
from libtool.features import sync_upstream
from libtool.features.sync_upstream import Upstream
from libtool.storage.git import HINT_NOBODY, Git
from libtool.storage.repo_wire import Heads
from tests.features.sync_lab import Lab, Machine, files_of


def fresh(lab: Lab, name: str, branch: str = "main", remote: str = "") -> Machine:
    """A library of its own, made here, with one entry named after the machine."""
    made = Machine(lab.folder, name, lab.environ)
    made.top.mkdir(parents=True)
    made.git.run("init", "-q", "-b", branch)
    (made.top / LIBRARY_MARK).write_text("1\n")
    made.put(name)
    if remote:
        made.git.run("remote", "add", "origin", remote)
    return made


def test_without_a_remote_there_is_nothing_to_do_but_its_own_file(lab: Lab, without_git: bool) -> None:
    desk = fresh(lab, "desk")
    report = desk.sync(without_git=without_git)
    assert (report.remote, report.sent, report.pending) == ("", 0, 0)
    assert (desk.top / "machines" / "desk.json").exists()
    assert desk.status() == ""


def test_who_git_does_not_know_is_told_so_and_can_sync_after_that(lab: Lab) -> None:
    desk = fresh(lab, "desk", remote=lab.url)
    desk.git.run("config", "user.name", "")
    desk.git.run("config", "user.useConfigOnly", "true")
    with pytest.raises(SyncRefused) as refused:
        desk.sync()
    assert refused.value.hint == HINT_NOBODY
    desk.git.run("config", "user.name", "Ada")
    assert desk.sync().sent > 0


def test_what_git_cannot_do_otherwise_is_a_refusal_too(lab: Lab) -> None:
    desk = fresh(lab, "desk", remote=lab.url)
    (desk.top / ".git" / "refs" / "heads" / "main.lock").touch()
    with pytest.raises(SyncRefused, match="lock") as refused:
        desk.sync()
    assert "status" in refused.value.hint


def test_the_first_push_goes_to_an_empty_remote_and_is_followed_from_then_on(lab: Lab, without_git: bool) -> None:
    desk = fresh(lab, "desk", remote=lab.url)
    report = desk.sync(without_git=without_git)
    assert (report.remote, report.sent > 0) == ("origin/main", True)
    assert lab.remote_head() == desk.head()
    followed = desk.git.line("rev-parse", "--abbrev-ref", "@{u}")
    assert followed == ("" if without_git else "origin/main")
    assert desk.sync(without_git=without_git).sent == 0


def test_a_clone_of_an_empty_remote_begins_it(lab: Lab, without_git: bool) -> None:
    desk = Machine(lab.folder, "desk", lab.environ)
    desk.top.parent.mkdir()
    Git(str(lab.folder), lab.environ).run("clone", "-q", lab.url, str(desk.top))
    assert desk.sync(without_git=without_git).sent == 2
    assert desk.git.line("ls-tree", "-r", "--name-only", "HEAD").split() == ["INDEX.md", "machines/desk.json"]
    assert desk.status() == ""


def test_a_branch_without_a_commit_takes_the_remote_s(lab: Lab, without_git: bool) -> None:
    lap = lab.machine("lap")
    lap.put("cache")
    lap.sync()
    desk = Machine(lab.folder, "desk", lab.environ)
    desk.top.mkdir(parents=True)
    desk.git.run("init", "-q", "-b", "main")
    desk.git.run("remote", "add", "origin", lab.url)
    report = desk.sync(without_git=without_git)
    assert (report.received > 0, report.merged) == (True, False)
    assert "cache.md" in files_of(desk)
    assert desk.status() == ""


def test_two_libraries_made_apart_become_one(lab: Lab, without_git: bool) -> None:
    desk, lap = fresh(lab, "desk", remote=lab.url), fresh(lab, "lap", remote=lab.url)
    desk.put("shared", "2026-10-01: by desk.")
    lap.put("shared", "2026-10-01: by lap.")
    desk.sync(without_git=without_git)
    assert lap.sync(without_git=without_git).merged
    desk.sync(without_git=without_git)
    assert sorted(files_of(desk)) == ["desk.md", "lap.md", "shared.md"]
    assert files_of(desk) == files_of(lap)
    assert "by desk" in desk.read("entries/shared.md")
    assert "by lap" in desk.read("entries/shared.md")


def test_another_project_s_repository_is_not_merged(lab: Lab, without_git: bool) -> None:
    other = lab.folder / "other"
    other.mkdir()
    git = Git(str(other), lab.environ)
    git.run("init", "-q", "-b", "main")
    (other / "main.c").write_text("int main() {}\n")
    git.run("add", "-A")
    git.run("commit", "-qm", "code")
    git.run("push", "-q", lab.url, "main")
    before = lab.remote_head()
    desk = fresh(lab, "desk", remote=lab.url)
    with pytest.raises(SyncRefused, match="no history in common") as caught:
        desk.sync(without_git=without_git)
    assert "git remote" in caught.value.hint
    assert (lab.remote_head(), (desk.top / "main.c").exists()) == (before, False)


def test_a_remote_whose_default_branch_has_another_name_is_followed(lab: Lab, without_git: bool) -> None:
    Git(str(lab.remote), lab.environ).run("symbolic-ref", "HEAD", "refs/heads/trunk")
    first = fresh(lab, "first", branch="trunk", remote=lab.url)
    first.sync(without_git=without_git)
    desk = fresh(lab, "desk", remote=lab.url)
    report = desk.sync(without_git=without_git)
    assert report.remote == "origin/trunk"
    assert bool(report.notes) != without_git
    first.sync(without_git=without_git)
    assert files_of(first) == files_of(desk)
    assert desk.sync(without_git=without_git).remote == "origin/trunk"


SETTINGS = {
    "remote.origin.url": "https://example.org/a/b.git",
    "remote.origin.fetch": "+refs/heads/*:refs/remotes/origin/*",
    "remote.with.dots.url": "ssh://example.org/c",
    "url.ssh://git@example.org/.insteadof": "https://example.org/",
    "url.ssh://git@example.org/a/.insteadof": "https://example.org/a/",
    "url.https://push.example.org/.pushinsteadof": "ssh://example.org/",
    "branch.main.remote": "with.dots",
    "branch.main.merge": "refs/heads/trunk",
    "branch.here.remote": ".",
    "branch.lost.remote": "gone",
}


def test_the_upstream_is_the_configured_one_or_the_only_one_or_origin() -> None:
    assert sync_upstream.upstream_of("main", SETTINGS) == Upstream("with.dots", "trunk")
    assert sync_upstream.upstream_of("other", SETTINGS) == Upstream("origin", "")
    assert sync_upstream.upstream_of("main", {"remote.only.url": "x"}) == Upstream("only", "")
    assert sync_upstream.upstream_of("main", {}) == Upstream("", "")
    with pytest.raises(SyncRefused, match="follows another branch"):
        sync_upstream.upstream_of("here", SETTINGS)
    with pytest.raises(SyncRefused, match="gone, which is not there"):
        sync_upstream.upstream_of("lost", SETTINGS)
    with pytest.raises(SyncRefused, match=r"which remote\? The library has one, two"):
        sync_upstream.upstream_of("main", {"remote.one.url": "x", "remote.two.url": "y"})


def test_the_branch_is_the_configured_one_or_the_same_name_or_the_default() -> None:
    heads = Heads({"main": "1", "trunk": "2"}, "trunk")
    assert sync_upstream.chosen(Upstream("origin", "side"), "main", heads) == "side"
    assert sync_upstream.chosen(Upstream("origin", ""), "main", heads) == "main"
    assert sync_upstream.chosen(Upstream("origin", ""), "mine", heads) == "trunk"
    assert sync_upstream.chosen(Upstream("origin", ""), "mine", Heads({}, "")) == "mine"


def test_urls_are_rewritten_as_git_does() -> None:
    assert sync_upstream.urls_of("origin", SETTINGS) == ("ssh://git@example.org/a/b.git",) * 2
    assert sync_upstream.urls_of("with.dots", SETTINGS) == ("ssh://example.org/c", "https://push.example.org/c")
    pushed = {**SETTINGS, "remote.origin.pushurl": "https://example.org/p"}
    assert sync_upstream.urls_of("origin", pushed) == ("ssh://git@example.org/a/b.git", "ssh://git@example.org/p")


def test_the_tracking_ref_follows_the_refspec_of_the_usual_form() -> None:
    assert sync_upstream.tracking_ref(Upstream("origin", "x"), "x", SETTINGS) == "refs/remotes/origin/x"
    other = {"remote.origin.fetch": "+refs/heads/*:refs/remotes/elsewhere/*"}
    assert sync_upstream.tracking_ref(Upstream("origin", "x"), "x", other) == "refs/remotes/elsewhere/x"
    odd = {"remote.origin.fetch": "+refs/heads/main:refs/heads/main"}
    assert sync_upstream.tracking_ref(Upstream("origin", "x"), "x", odd) == "refs/remotes/origin/x"
