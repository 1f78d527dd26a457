"""What forges do to a library: begin its repository with a README, edit and merge where no lib runs."""

from __future__ import annotations

import pytest

from libtool.errors import SyncRefused
from libtool.features import init, sync_mend, sync_upstream
from libtool.storage.git import Git
from tests.features.sync_lab import Lab, Machine, entry

SIDES = "<<<<<<< main\n- 2026-10-01: ours.\n=======\n- 2026-10-01: theirs.\n>>>>>>> side\n"


def forge(lab: Lab) -> Git:
    """A clone in which no hook of ours runs."""
    where = lab.folder / "forge"
    if not where.exists():
        Git(str(lab.folder), lab.environ).run("clone", "-q", lab.url, str(where))
    return Git(str(where), lab.environ)


def begun(lab: Lab, branch: str, files: dict[str, str]) -> None:
    """The remote as a forge makes it: one commit with some files, on its default branch."""
    Git(str(lab.remote), lab.environ).run("symbolic-ref", "HEAD", f"refs/heads/{branch}")
    git = forge(lab)
    git.run("checkout", "-q", "-B", branch)
    for name, text in files.items():
        (lab.folder / "forge" / name).write_text(text)
    git.run("add", "-A")
    git.run("commit", "-qm", "Initial commit")
    git.run("push", "-q", "origin", branch)


def made(lab: Lab, name: str) -> Machine:
    machine = Machine(lab.folder, name, lab.environ)
    init.run(machine.config, machine.environ, init.Wanted(path=str(machine.top), remote=lab.url, machine=name))
    return machine


def cloned(lab: Lab, name: str) -> Machine:
    machine = Machine(lab.folder, name, lab.environ)
    init.run(machine.config, machine.environ, init.Wanted(path=str(machine.top), clone=lab.url, machine=name))
    return machine


@pytest.mark.parametrize("branch", ["main", "master"])
def test_a_remote_that_a_forge_began(lab: Lab, branch: str, without_git: bool) -> None:
    begun(lab, branch, {"README.md": "# sessions\n\nMine.\n", "LICENSE": "MIT\n", ".gitignore": "*.log\n"})
    desk = made(lab, "desk")
    desk.write("cache", entry("Cache"))
    desk.commit()
    assert desk.sync(without_git=without_git).sent
    assert desk.status() == ""
    if branch == "main":
        assert "Mine." in desk.read("README.md")
        assert "session library" in desk.read("README.md")
        assert {"*.log", "*.lib-tmp"} <= set(desk.read(".gitignore").splitlines())
    lap = cloned(lab, "lap")
    assert lap.git.line("symbolic-ref", "--short", "HEAD") == "main"
    lap.put("quota")
    assert lap.sync(without_git=without_git).sent
    assert desk.sync(without_git=without_git).received
    assert desk.read("INDEX.md") == lap.read("INDEX.md")
    assert "[quota]" in desk.read("INDEX.md")
    lab.fsck(desk, lap)


def test_a_branch_that_holds_no_library_is_passed_over(lab: Lab) -> None:
    begun(lab, "trunk", {"README.md": "# sessions\n"})
    git = forge(lab)
    git.run("push", "-q", "origin", "trunk:a-side")
    desk = made(lab, "desk")
    desk.git.run("push", "-q", "origin", "main:sessions")
    lap = cloned(lab, "lap")
    assert lap.git.line("rev-parse", "--abbrev-ref", "@{u}") == "origin/sessions"


def test_a_project_is_still_not_joined(lab: Lab) -> None:
    begun(lab, "main", {"README.md": "# code\n", "main.c": "int main() {}\n"})
    desk = made(lab, "desk")
    with pytest.raises(SyncRefused, match="no history in common"):
        desk.sync()
    assert not sync_upstream.may_join([b"readme/main.c"])
    assert sync_upstream.may_join([b"entries/a.md", b"main.c"])


def merged_by_button(lab: Lab) -> None:
    """A merge commit with markers in an entry, an INDEX.md of neither side, and an entry that was only run together."""
    git = forge(lab)
    git.run("pull", "-q", "origin", "main")
    git.run("checkout", "-q", "-b", "side")
    folder = lab.folder / "forge"
    (folder / "entries" / "new.md").write_text(entry("New"))
    git.run("add", "-A")
    git.run("commit", "-qm", "side")
    git.run("checkout", "-q", "main")
    git.run("merge", "-q", "--no-ff", "--no-commit", "side")
    text = entry("Cache", "2026-10-01: one.")
    (folder / "entries" / "cache.md").write_text(text.replace("- 2026-10-01: one.\n", SIDES))
    (folder / "entries" / "old.md").write_text(entry("Old").replace("## Open\n\nNone.\n\n", ""))
    (folder / "INDEX.md").write_text(f"<<<<<<< main\n{(folder / 'INDEX.md').read_text()}=======\n>>>>>>> side\n")
    git.run("add", "-A")
    git.run("commit", "-qm", "Merge pull request")
    git.run("push", "-q", "origin", "main")


@pytest.mark.parametrize("is_behind", [True, False])
def test_a_merge_on_the_forge_is_repaired_by_the_next_sync(lab: Lab, without_git: bool, is_behind: bool) -> None:
    desk = made(lab, "desk")
    for topic in ("cache", "old"):
        desk.write(topic, entry(topic.title(), "2026-10-01: one."))
    desk.commit()
    desk.sync()
    merged_by_button(lab)
    if not is_behind:
        desk.put("own")
    report = desk.sync(without_git=without_git)
    assert report.sent
    assert [note for note in report.notes if "INDEX" not in note] == [
        "entries/cache.md: it came with conflict markers: both sides are kept, please read it over"
    ]
    assert "- 2026-10-01: ours.\n- 2026-10-01: theirs.\n" in desk.read("entries/cache.md")
    assert desk.read("entries/old.md") == entry("Old")
    assert "<<<" not in desk.read("INDEX.md")
    assert "[new]" in desk.read("INDEX.md")
    assert desk.status() == ""
    assert lab.remote_head() == desk.head()
    # Another machine finds nothing left to mend.
    lap = cloned(lab, "lap")
    lap.sync(without_git=without_git)
    assert lap.read("entries/cache.md") == desk.read("entries/cache.md")
    assert not desk.sync(without_git=without_git).merged


def test_without_a_push_what_came_stays_as_it_came(lab: Lab) -> None:
    desk = made(lab, "desk")
    desk.write("cache", entry("Cache", "2026-10-01: one."))
    desk.commit()
    desk.sync()
    merged_by_button(lab)
    desk.sync(push=False)
    assert "<<<<<<<" in desk.read("entries/cache.md")


def test_of_very_many_only_those_with_markers_are_put_in_order(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_mend, "MANY", 1)
    desk = made(lab, "desk")
    for topic in ("cache", "old"):
        desk.write(topic, entry(topic.title(), "2026-10-01: one."))
    desk.commit()
    desk.sync()
    merged_by_button(lab)
    desk.sync()
    assert "<<<<<<<" not in desk.read("entries/cache.md")
    assert "## Open" not in desk.read("entries/old.md")
