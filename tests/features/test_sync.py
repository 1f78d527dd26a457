"""`lib sync` between real repositories on one machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.errors import RemoteFailed
from libtool.features import sync
from libtool.storage.work_tree import GitWorkTree
from tests.features.sync_lab import Lab, entry, files_of

if TYPE_CHECKING:
    from libtool.storage.work_tree import Version


def test_entries_travel(lab: Lab, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache", "2026-10-01: fifteen minutes.")
    sent = desk.sync(without_git=without_git)
    assert (sent.received, sent.merged, sent.pending) == (0, False, 0)
    assert sent.sent >= 2
    got = lap.sync(without_git=without_git)
    assert got.topics == ("cache",)
    assert files_of(desk) == files_of(lap)
    assert desk.sync(without_git=without_git).after == lap.head() == lab.remote_head()
    assert (desk.status(), lap.status()) == ("", "")
    assert "[cache](entries/cache.md)" in lap.read("INDEX.md")
    lab.fsck(desk, lap)


def test_edits_of_one_entry_on_both_sides_are_merged(lab: Lab, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache", "2026-10-01: fifteen minutes.")
    desk.sync(without_git=without_git)
    lap.sync(without_git=without_git)
    desk.put("cache", "2026-10-01: fifteen minutes.", "2026-10-02: no cookies.")
    lap.put("cache", "2026-10-01: fifteen minutes.", "2026-10-03: keyed by user.")
    desk.sync(without_git=without_git)
    merged = lap.sync(without_git=without_git)
    assert merged.merged
    desk.sync(without_git=without_git)
    assert files_of(desk) == files_of(lap)
    text = desk.read("entries/cache.md")
    assert [word in text for word in ("fifteen", "no cookies", "keyed by user")] == [True] * 3
    assert (desk.status(), lap.status()) == ("", "")
    lab.fsck(desk, lap)


def test_nothing_to_do_changes_nothing(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    desk.sync()
    before = lab.remote_head()
    report = desk.sync(without_git=without_git)
    assert (report.received, report.sent, report.pending, report.before) == (0, 0, 0, report.after)
    assert report.remote == "origin/main"
    assert lab.remote_head() == before


def test_each_machine_writes_its_own_file_and_takes_no_work_along(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    desk.write("staged", entry("Staged"))
    desk.git.run("add", "entries/staged.md")
    desk.write("untracked", entry("Untracked"))
    desk.sync(without_git=without_git)
    assert desk.git.run("show", "HEAD:machines/desk.json") == (desk.top / "machines" / "desk.json").read_bytes()
    assert desk.git.line("ls-tree", "-r", "--name-only", "HEAD").split() == [".lib-library", "INDEX.md", "machines/desk.json"]
    assert desk.status() == "A  entries/staged.md\n?? entries/untracked.md\n"


def test_without_a_push_the_remote_stays(lab: Lab, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache")
    desk.sync()
    lap.put("quota")
    before = lab.remote_head()
    report = lap.sync(push=False, without_git=without_git)
    assert lab.remote_head() == before
    assert (report.sent, report.merged) == (0, True)
    assert report.pending >= 2
    assert sorted(files_of(lap)) == ["cache.md", "quota.md"]
    assert lap.sync(without_git=without_git).sent == report.pending
    assert lab.remote_head() == lap.head()


def test_an_edit_survives_the_deletion_of_its_entry(lab: Lab, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache")
    desk.put("quota")
    desk.sync()
    lap.sync()
    desk.git.run("rm", "-q", "entries/cache.md", "entries/quota.md")
    desk.commit()
    lap.put("cache", "2026-10-05: kept.")
    desk.sync(without_git=without_git)
    report = lap.sync(without_git=without_git)
    desk.sync(without_git=without_git)
    assert sorted(files_of(desk)) == sorted(files_of(lap)) == ["cache.md"]
    assert report.notes == ("entries/cache.md: deleted on one side, changed on the other: kept",)
    assert "quota" not in desk.read("INDEX.md")


def test_unrelated_work_in_progress_stays_as_it_was(lab: Lab, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache")
    desk.put("quota")
    desk.sync()
    lap.sync()
    desk.put("cache", "2026-10-05: new.")
    desk.sync()
    lap.put("local", "2026-10-05: mine.")
    lap.write("quota", entry("Quota", "2026-10-06: unfinished."))
    lap.write("staged", entry("Staged"))
    lap.git.run("add", "entries/staged.md")
    lap.write("draft", entry("Draft"))
    before = lap.status()
    assert lap.sync(without_git=without_git).merged
    assert lap.status() == before == " M entries/quota.md\nA  entries/staged.md\n?? entries/draft.md\n"
    assert "2026-10-05: new." in lap.read("entries/cache.md")


def test_versions_that_crossed_are_merged_over_all_their_bases(lab: Lab) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("cache", "2026-10-01: base.")
    desk.sync()
    lap.sync()
    desk.put("cache", "2026-10-01: base.", "2026-10-02: desk.")
    lap.put("cache", "2026-10-01: base.", "2026-10-03: lap.")
    first, second = desk.head(), lap.head()
    # Both merge the other's commit by hand: two bases from then on.
    for machine, other, theirs in ((desk, lap, second), (lap, desk, first)):
        machine.git.run("fetch", "-q", str(other.top), theirs)
        machine.git.run("merge", "-q", "-s", "ours", "--no-edit", theirs)
        machine.put("cache", "2026-10-01: base.", "2026-10-02: desk.", "2026-10-03: lap.")
    desk.put("cache", "2026-10-02: desk.", "2026-10-03: lap.")
    desk.sync()
    lap.git.run("fetch", "-q")
    assert len(lap.git.line("merge-base", "--all", "HEAD", desk.head()).split()) == 2
    lap.sync()
    desk.sync()
    assert files_of(desk) == files_of(lap)
    text = desk.read("entries/cache.md")
    assert ("desk." in text, "lap." in text, "base." in text) == (True, True, False)


def test_a_stale_index_is_put_right_before_it_leaves(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    desk.put("cache")
    desk.sync()
    desk.put("quota")
    assert "quota" not in desk.read("INDEX.md")
    desk.sync(without_git=without_git)
    assert "[quota](entries/quota.md)" in desk.read("INDEX.md")
    assert desk.git.line("log", "-1", "--format=%s") == "Rebuild INDEX.md"


def test_other_files_keep_what_both_sides_wrote(lab: Lab, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    (desk.top / "README.md").write_text("one\ntwo\nthree\n")
    (desk.top / "picture").write_bytes(b"\0old")
    desk.commit()
    desk.sync()
    lap.sync()
    (desk.top / "README.md").write_text("one\ndesk\nthree\n")
    (desk.top / "picture").write_bytes(b"\0desk")
    desk.commit()
    (lap.top / "README.md").write_text("one\nlap\nthree\nfour\n")
    (lap.top / "picture").write_bytes(b"\0lap")
    lap.commit()
    desk.sync()
    notes = lap.sync(without_git=without_git).notes
    desk.sync(without_git=without_git)
    assert desk.read("README.md") == lap.read("README.md") == "one\ndesk\nlap\nthree\nfour\n"
    pictures = sorted(path.read_bytes() for path in desk.top.glob("picture*"))
    assert pictures == [b"\0desk", b"\0lap"]
    assert [note.partition(":")[0] for note in notes] == ["README.md", "picture"]


def test_a_race_that_is_always_lost_is_given_up(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = lab.machine("desk")
    desk.put("cache")
    (lab.remote / "refs" / "heads" / "main.lock").touch()
    monkeypatch.setattr(sync, "ATTEMPTS", 2)
    with pytest.raises(RemoteFailed, match="others pushed to origin all the while"):
        desk.sync()
    assert desk.status() == ""


@pytest.mark.parametrize("lock", ["HEAD.lock", "refs/heads/main.lock"])
def test_a_lock_that_a_killed_git_left_on_the_remote_is_told(lab: Lab, monkeypatch: pytest.MonkeyPatch, lock: str) -> None:
    desk = lab.machine("desk")
    desk.put("cache")
    (lab.remote / lock).touch()
    monkeypatch.setattr(sync, "STUCK", 2)
    with pytest.raises(RemoteFailed, match=r"nobody else pushed: .*\.lock': File exists") as caught:
        desk.sync()
    assert "HEAD.lock" in caught.value.hint
    (lab.remote / lock).unlink()
    assert desk.sync().sent


def test_a_commit_made_during_the_sync_is_taken_along(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.sync()
    lap.sync()
    desk.sync()
    lap.put("quota")
    lap.sync()
    real = GitWorkTree.move

    def meanwhile(tree: GitWorkTree, old: Version, new: Version, why: str) -> None:
        monkeypatch.setattr(GitWorkTree, "move", real)
        desk.put("cache")
        real(tree, old, new, why)

    monkeypatch.setattr(GitWorkTree, "move", meanwhile)
    assert desk.sync().merged
    assert sorted(files_of(desk)) == ["cache.md", "quota.md"]
    assert lab.remote_head() == desk.head()


def test_an_edit_on_a_forge_gets_its_index(lab: Lab, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.sync()
    lap.put("quota")
    lap.git.run("pull", "-q", "--no-edit", "--no-rebase")
    lap.git.run("push", "-q")
    assert desk.sync(push=False, without_git=without_git).pending == 0
    assert "quota" not in desk.read("INDEX.md")
    lap.put("cache")
    lap.git.run("push", "-q")
    assert desk.sync(without_git=without_git).sent == 1
    assert "[quota](entries/quota.md)" in desk.read("INDEX.md")
    assert lab.remote_head() == desk.head()
