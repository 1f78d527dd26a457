"""Two machines of one name: the second is refused before it has sent anything."""

from __future__ import annotations

import json
import os
import stat

import pytest

from libtool.errors import DataDirUnusable, SyncRefused, UsageError
from libtool.features import init, sync_identity
from tests.features.sync_lab import Lab, Machine


def named(machine: Machine, name: str) -> Machine:
    machine.config = machine.config.replace(machine=name)
    return machine


def fresh(lab: Lab, folder: str, name: str) -> Machine:
    """A machine whose library was made by `lib init --remote`: it has seen nothing of the remote."""
    made = named(Machine(lab.folder, folder, lab.environ), name)
    init.run(made.config, made.environ, init.Wanted(path=str(made.top), remote=lab.url, machine=name))
    return made


def test_an_id_is_made_once_and_is_told(lab: Lab) -> None:
    desk = lab.machine("desk")
    assert sync_identity.there(desk.config) == ""
    desk.sync()
    mine = sync_identity.own(desk.config)
    assert len(mine) == 16
    assert sync_identity.own(desk.config) == mine
    assert json.loads(desk.read("machines/desk.json"))["id"] == mine
    assert stat.S_IMODE(os.stat(os.path.join(desk.config.data_dir, sync_identity.NAME)).st_mode) == 0o600


def test_a_library_made_apart_with_a_taken_name_sends_nothing(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    desk.sync()
    other = fresh(lab, "other", "desk")
    before, remote = other.head(), lab.remote_head()
    for _ in "12":
        with pytest.raises(SyncRefused, match="another machine named desk") as caught:
            other.sync(without_git=without_git)
        assert (other.head(), lab.remote_head(), other.status()) == (before, remote, "")
    assert "`lib init --machine NAME`" in caught.value.hint
    # Under another name it goes on, and nothing of the first one's is touched.
    init.run(other.config, other.environ, init.Wanted(path=str(other.top), machine="lap"))
    assert named(other, "lap").sync(without_git=without_git).merged
    assert json.loads(other.read("machines/desk.json"))["id"] == sync_identity.there(desk.config)
    assert desk.sync(without_git=without_git).received
    assert desk.read("machines/lap.json") == other.read("machines/lap.json")


def test_a_machine_that_was_renamed_leaves_no_other_behind(lab: Lab, without_git: bool) -> None:
    desk, lap = lab.machine("desk"), lab.machine("lap")
    desk.sync()
    lap.sync()
    named(desk, "shed").sync(without_git=without_git)
    lap.sync()
    assert sorted(os.listdir(lap.top / "machines")) == ["lap.json", "shed.json"]
    assert desk.status() == ""
    # Another takes the name that is free now: it is theirs, also when the first one is renamed again.
    named(lap, "desk").sync(without_git=without_git)
    desk.sync()
    named(desk, "barn").sync(without_git=without_git)
    assert sorted(os.listdir(desk.top / "machines")) == ["barn.json", "desk.json"]


def test_a_name_that_is_another_machine_s_by_now_is_left_to_it(lab: Lab) -> None:
    desk = lab.machine("desk")
    desk.sync()
    path = desk.top / "machines" / "desk.json"
    path.write_text(path.read_text(encoding="utf-8").replace(sync_identity.there(desk.config), "0123456789abcdef"), encoding="utf-8")
    desk.commit("theirs")
    named(desk, "shed").sync()
    assert sorted(os.listdir(desk.top / "machines")) == ["desk.json", "shed.json"]
    os.unlink(os.path.join(desk.config.data_dir, sync_identity.NAME))
    assert sync_identity.name_told(desk.config) == ""


def test_a_clone_by_hand_with_a_taken_name_sends_nothing(lab: Lab, without_git: bool) -> None:
    desk = lab.machine("desk")
    desk.sync()
    other = named(lab.machine("other"), "desk")
    head = other.head()
    with pytest.raises(SyncRefused, match="another machine named desk"):
        other.sync(without_git=without_git)
    assert other.head() == head == lab.remote_head()


def test_two_that_had_one_name_before_there_were_ids(lab: Lab) -> None:
    desk, other = lab.machine("desk"), named(lab.machine("other"), "desk")
    (desk.top / "machines").mkdir()
    (desk.top / "machines" / "desk.json").write_text('{"machine": "desk"}\n')
    desk.commit()
    desk.git.run("push", "-q")
    other.git.run("pull", "-q")
    desk.sync()
    with pytest.raises(SyncRefused, match="another machine named desk"):
        other.sync()


def test_the_same_machine_with_a_new_data_dir_goes_on(lab: Lab) -> None:
    desk = lab.machine("desk")
    desk.sync()
    mine = sync_identity.there(desk.config)
    os.unlink(os.path.join(desk.config.data_dir, sync_identity.NAME))
    with pytest.raises(SyncRefused, match="another machine") as caught:
        desk.sync()
    assert "`lib init --machine desk --same-machine`" in caught.value.hint
    with pytest.raises(UsageError, match="knows a machine named desk already"):
        init.run(desk.config, desk.environ, init.Wanted(path=str(desk.top), machine="desk"))
    init.run(desk.config, desk.environ, init.Wanted(path=str(desk.top), machine="desk", same_machine=True))
    assert sync_identity.there(desk.config) == mine
    desk.sync()
    assert init.run(desk.config, desk.environ, init.Wanted(path=str(desk.top), machine="desk")).machine == "desk"


@pytest.mark.parametrize("content", [None, b"", b"{", b"[]", b'{"id": 7}', b'{"id": "xyz"}', b'{"id": "' + b"A" * 16 + b'"}'])
def test_a_record_without_an_id_is_anybody_s(lab: Lab, content: bytes | None) -> None:
    desk = lab.machine("desk")
    assert sync_identity.said(content) == ""
    sync_identity.refuse_stranger(desk.config, content)
    sync_identity.adopt(desk.config, content or b"")
    assert sync_identity.there(desk.config) == ""


def test_an_id_that_was_damaged_is_made_anew(lab: Lab) -> None:
    desk = lab.machine("desk")
    os.makedirs(desk.config.data_dir)
    with open(os.path.join(desk.config.data_dir, sync_identity.NAME), "wb") as file:
        file.write(b"\xff" * 16)
    assert len(sync_identity.own(desk.config)) == 16


def test_a_data_dir_that_cannot_be_is_said(lab: Lab) -> None:
    desk = lab.machine("desk")
    with open(desk.config.data_dir, "wb"):
        pass
    with pytest.raises(DataDirUnusable):
        desk.sync()
