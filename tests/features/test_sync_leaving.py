"""What must not leave this machine: a login in any commit, an entry that is not right; and what follows a sync."""

from __future__ import annotations

import pytest

from libtool.errors import SyncRefused
from libtool.features import index, sync_after
from libtool.features.sync import UnfitError
from libtool.storage.library_rows import LibraryRows
from libtool.storage.search_build import SearchBuild
from tests.features.sync_lab import Lab, entry

TOKEN = "gh" + "p_" + "9fKq2ZrT7xWv4LmB1cYd" + "8sHn3JpE6uGa"[:16]


def test_a_login_in_any_commit_is_not_sent_but_what_came_is_taken(lab: Lab, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.put("quota")
    desk.sync()
    lap.put("cache", f"2026-10-01: the token is {TOKEN}.")
    lap.put("cache", "2026-10-01: the token is elsewhere.")
    remote = lab.remote_head()
    with pytest.raises(UnfitError, match=r"nothing was sent: entries/cache\.md:9: a login") as caught:
        lap.sync(without_git=without_git)
    assert caught.value.exit_code == SyncRefused.exit_code
    assert TOKEN not in caught.value.message
    assert lab.remote_head() == remote
    assert (lap.top / "entries" / "quota.md").exists()
    assert lap.status() == ""


def test_a_login_in_a_message_is_not_sent(lab: Lab) -> None:
    desk = lab.machine("desk")
    desk.write("cache", entry("Cache"))
    desk.commit(f"token {TOKEN}")
    with pytest.raises(UnfitError, match="message of commit"):
        desk.sync()
    desk.git.run("reset", "-q", "--soft", "origin/main")
    desk.commit("better")
    assert desk.sync().sent


def test_an_entry_that_is_not_right_is_not_sent(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    for number in range(15):
        desk.write(f"wrong-{number}", "# Wrong\n\nno sections\n")
    (desk.top / "entries" / "link.md").symlink_to("wrong-1.md")
    desk.commit()
    with pytest.raises(UnfitError, match=r"entries/wrong-0\.md:\d+: .* and \d+ more") as caught:
        desk.sync(without_git=without_git)
    assert "lib check --fix" in caught.value.hint
    desk.git.run("rm", "-q", "-r", "entries")
    desk.commit()
    assert desk.sync(without_git=without_git).sent


def test_after_a_sync_the_search_db_has_what_came(lab: Lab) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    for machine in (desk, lap):
        index.run(machine.config, {})
    desk.put("cache", "2026-10-01: marmalade.")
    desk.sync()
    lap.sync()
    with SearchBuild(lap.config.search_db) as database:
        assert "entries/cache.md" in LibraryRows(database).known()


def test_what_follows_never_fails(lab: Lab) -> None:
    desk = lab.machine("desk")
    index.run(desk.config, {})
    (desk.top / "logins").mkdir()
    (desk.top / "logins" / "lap.json").write_text("{}")
    (desk.top / "logins" / "folder.json").mkdir()
    with open(desk.config.search_db, "wb") as file:
        file.write(b"no database")
    sync_after.take_in(desk.config)


def test_a_folder_or_a_link_among_the_entries_is_not_sent(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    desk.sync()
    (desk.top / "entries").mkdir(exist_ok=True)
    (desk.top / "entries" / "drafts").mkdir()
    (desk.top / "entries" / "drafts" / "one.md").write_text(entry("One"))
    (desk.top / "entries" / "drafts" / "two.md").write_text(entry("Two"))
    (desk.top / "entries" / "linked.md").symlink_to("/etc/hostname")
    desk.commit()
    remote = lab.remote_head()
    with pytest.raises(UnfitError, match=r"nothing was sent: entries/drafts:1: E102 .*; entries/linked\.md:1: E102 ") as caught:
        desk.sync(without_git=without_git)
    assert caught.value.message.count("drafts:1") == 1
    assert lab.remote_head() == remote
    desk.git.run("rm", "-qr", "entries/drafts", "entries/linked.md")
    desk.put("cache")
    assert desk.sync(without_git=without_git).sent
