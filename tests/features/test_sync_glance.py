"""When a sync has nothing to do, told at a glance; and when that must not be said."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.features import index, sync, sync_glance
from tests.features.sync_lab import Lab
from tests.surroundings import environment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.features.sync_lab import Machine


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    made = Lab(tmp_path).machine("desk")
    made.put("cache")
    made.sync()
    return made


def glance(machine: Machine) -> bool:
    report = sync_glance.nothing_to_do(machine.config, machine.environ)
    if report is not None:
        assert (report.before, report.after, report.remote) == (machine.head(), machine.head(), "origin/main")
        assert report.to_dict()["sent"] == 0
    return report is not None


def test_after_a_sync_there_is_nothing_to_do(desk: Machine) -> None:
    assert glance(desk)
    desk.git.run("pack-refs", "--all")
    assert glance(desk)
    assert glance(desk)


def commit(machine: Machine) -> None:
    machine.put("quota")


def pushed_by_another(machine: Machine) -> None:
    other = Lab(machine.top.parents[1]).machine("lap")
    other.put("quota")
    other.sync()


def indexed(machine: Machine) -> None:
    index.run(machine.config, {})


def renamed(machine: Machine) -> None:
    machine.config = machine.config.replace(machine="other")


def another_branch(machine: Machine) -> None:
    machine.git.run("switch", "-qc", "side")


def detached(machine: Machine) -> None:
    machine.git.run("switch", "-q", "--detach")


def merging(machine: Machine) -> None:
    (machine.top / ".git" / "MERGE_HEAD").write_text(machine.head())


def killed(machine: Machine) -> None:
    (machine.top / ".git" / "lib-sync.json").write_text("{}")


def reconfigured(machine: Machine) -> None:
    machine.git.run("config", "extensions.partialClone", "origin")


def fetched(machine: Machine) -> None:
    machine.git.run("update-ref", "-d", "refs/remotes/origin/main")


def remote_gone(machine: Machine) -> None:
    (machine.top.parents[1] / "remote.git").rename(machine.top.parents[1] / "away")


def no_git(machine: Machine) -> None:
    machine.environ["PATH"] = "/nowhere"


def never_synced(machine: Machine) -> None:
    os.unlink(machine.top / ".git" / sync_glance.SEEN)


@pytest.mark.parametrize(
    "change",
    [
        commit,
        pushed_by_another,
        indexed,
        renamed,
        another_branch,
        detached,
        merging,
        killed,
        reconfigured,
        fetched,
        remote_gone,
        no_git,
        never_synced,
    ],
)
def test_whatever_has_changed_is_for_the_sync_to_judge(desk: Machine, change: Callable[[Machine], None]) -> None:
    change(desk)
    assert not glance(desk)


def test_what_is_not_sent_is_not_forgotten(desk: Machine) -> None:
    desk.put("quota")
    desk.sync(push=False)
    assert not glance(desk)


def test_what_was_indexed_during_a_sync_is_for_the_next_one(desk: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def settle(run: sync._Sync, *given: object) -> object:
        index.run(desk.config, {})
        return whole(run, *given)  # type: ignore[arg-type]

    whole = sync._Sync._settle
    monkeypatch.setattr(sync._Sync, "_settle", settle)
    desk.put("quota")
    assert desk.sync().sent
    assert '"last_index": null' in desk.read("machines/desk.json")
    assert not glance(desk)
    monkeypatch.undo()
    assert desk.sync().sent
    assert '"last_index": null' not in desk.read("machines/desk.json")
    assert glance(desk)


def test_after_a_sync_that_brought_something_there_is_nothing_to_do(desk: Machine) -> None:
    index.run(desk.config, {})
    desk.sync()
    pushed_by_another(desk)
    assert desk.sync().received
    assert glance(desk)


def test_a_linked_worktree_does_without(desk: Machine) -> None:
    desk.git.run("worktree", "add", "-q", "-b", "side", str(desk.top.parent / "linked"))
    desk.config = desk.config.replace(library=str(desk.top.parent / "linked"))
    desk.sync()
    assert not glance(desk)
    desk.sync()


def test_a_folder_of_data_that_cannot_be_read_says_nothing(desk: Machine) -> None:
    desk.config = desk.config.replace(data_dir=str(desk.top / "nowhere"))
    assert not glance(desk)


def test_it_loads_next_to_nothing(desk: Machine) -> None:
    code = "import sys; from libtool.cli.main import main; print(main(['sync', '--quiet']), *sorted(set(sys.argv[1:]) & set(sys.modules)))"
    heavy = ("dulwich", "subprocess", "sqlite3", "typing", "filelock", "libtool.features.sync")
    environ = environment(LIB_LIBRARY=desk.config.library, LIB_DATA_DIR=desk.config.data_dir)
    # The first finds another name for this machine than the fixture gave it, and notes it; the second looks once more.
    ran = [
        subprocess.run([sys.executable, "-c", code, *heavy], env=environ, capture_output=True, text=True, check=True).stdout for _ in "123"
    ]
    assert ran[2] == "0\n"
