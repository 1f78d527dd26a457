from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from libtool.features import sync_by_itself
from libtool.features.sync_by_itself import EVERY_SECONDS
from libtool.storage.events import Events, Outcome

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.features.sync_lab import Lab
    from tests.features.sync_lab import Machine as Clone


class Clock:
    """A time that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def sync(clone: Clone, clock: Clock, *, wait: bool = False) -> bool:
    return sync_by_itself.sync(clone.config, clone.environ, wait=wait, clock=clock, sleep=clock.sleep)


def test_what_one_machine_captured_reaches_another(lab: Lab) -> None:
    one, two = lab.machine("one"), lab.machine("two")
    one.put("kiln", "2026-10-01: slow")
    clock = Clock()
    assert sync(one, clock)
    assert sync(two, clock)
    assert "slow" in two.read("entries/kiln.md")
    assert Events(two.config).outcomes() == {"sync": Outcome(1000.0, ok=True, text="")}


def test_at_most_every_five_minutes(lab: Lab) -> None:
    one = lab.machine("one")
    clock = Clock()
    assert sync(one, clock)
    clock.now += EVERY_SECONDS - 1
    assert not sync(one, clock)
    clock.now += 1
    assert sync(one, clock)
    assert clock.slept == []


def test_the_end_of_a_session_waits_for_its_time(lab: Lab) -> None:
    one = lab.machine("one")
    clock = Clock()
    assert sync(one, clock)
    one.put("kiln", "2026-10-01: slow")
    clock.now += 100
    assert sync(one, clock, wait=True)
    assert clock.slept == [EVERY_SECONDS - 100]
    two = lab.machine("two")
    assert "slow" in two.read("entries/kiln.md")


def test_a_clock_that_was_put_back_does_not_stop_it(lab: Lab) -> None:
    one = lab.machine("one")
    clock = Clock()
    Events(one.config).ended("sync", Outcome(9_000_000.0, ok=True, text=""))
    assert sync(one, clock)


def test_one_process_at_most_waits(lab: Lab) -> None:
    one = lab.machine("one")
    with Events(one.config).syncer() as mine:
        assert mine
        assert not sync(one, Clock(), wait=True)


def test_a_person_who_syncs_by_hand_and_one_without_a_library_are_left_alone(lab: Lab, tmp_path: Path) -> None:
    one = lab.machine("one")
    one.config = one.config.replace(sync="manual")
    assert not sync(one, Clock())
    one.config = one.config.replace(sync="auto", library=str(tmp_path / "none"))
    assert not sync(one, Clock())
    assert Events(one.config).outcomes() == {}


def test_a_failure_is_noted_and_not_raised(lab: Lab) -> None:
    one = lab.machine("one")
    one.git.run("remote", "set-url", "origin", str(lab.folder / "gone.git"))
    one.put("kiln", "2026-10-01: slow")
    assert sync(one, Clock())
    (outcome,) = Events(one.config).outcomes().values()
    assert not outcome.ok
    assert outcome.text
    # A failure counts too: a remote that is down is not asked more often.
    assert not sync(one, Clock())


def test_a_full_disk_is_noted(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    one = lab.machine("one")

    def full(*_: object) -> None:
        raise OSError(28, "no matter what")

    from libtool.features import sync_glance  # noqa: PLC0415 - to be patched

    monkeypatch.setattr(sync_glance, "nothing_to_do", full)
    assert sync(one, Clock())
    assert Events(one.config).outcomes()["sync"] == Outcome(1000.0, ok=False, text="No space left on device")


def test_a_library_without_a_remote_says_so(lab: Lab) -> None:
    one = lab.machine("one")
    one.git.run("remote", "remove", "origin")
    with contextlib.suppress(Exception):
        one.git.run("config", "--unset", "branch.main.remote")
    assert sync(one, Clock())
    assert Events(one.config).outcomes()["sync"] == Outcome(1000.0, ok=True, text="the library has no remote")
