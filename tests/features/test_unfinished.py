from __future__ import annotations

import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from libtool.features import index, unfinished
from libtool.features.transcripts_of import Places
from libtool.features.unfinished import LONG_QUIET_SECONDS, QUIET_SECONDS, Swept
from libtool.storage import processes
from libtool.storage.events import Events, Mark
from tests.features.machine import OTHER, SID

if TYPE_CHECKING:
    from tests.features.machine import Machine

TURNS = [("How hot shall the celadon kiln be?", "Slow: 60 degrees an hour.")]
GONE = "999999999 1"
LATER = time.time() + 600 * QUIET_SECONDS
"""Taken when the tests are collected, hours before the last of them may run on a slow machine; less than LONG_QUIET_SECONDS."""


def mark(session: str = SID, process: str = GONE) -> Mark:
    return Mark("claude-code", "turn", session, process=process, time=100.0)


def is_over(machine: Machine, one: Mark, now: float = LATER) -> bool:
    return unfinished.is_over(one, Places(machine.config, machine.environ), now)


def written(machine: Machine, age: float = 0.0) -> None:
    path = machine.write(SID, TURNS)
    os.utime(path, (time.time() - age, time.time() - age))


def test_a_session_whose_agent_is_gone_is_over_once_its_transcript_is_quiet(machine: Machine) -> None:
    written(machine)
    assert not is_over(machine, mark(), time.time())
    assert is_over(machine, mark())


def test_a_session_whose_agent_runs_is_not_over_for_a_day(machine: Machine) -> None:
    written(machine)
    mine = mark(process=processes.agent())
    assert not is_over(machine, mine)
    assert is_over(machine, mine, time.time() + LONG_QUIET_SECONDS + 60)


def test_an_agent_that_says_so_has_a_session_open(machine: Machine) -> None:
    written(machine)
    registry = machine.home / ".claude" / "sessions" / "1.json"
    registry.parent.mkdir()
    registry.write_text(json.dumps({"pid": os.getpid(), "sessionId": SID}), encoding="utf-8")
    assert not is_over(machine, mark())
    registry.write_text(json.dumps({"pid": 999_999_999, "sessionId": SID}), encoding="utf-8")
    assert is_over(machine, mark())


def test_a_session_without_a_file_is_judged_by_its_event(machine: Machine) -> None:
    assert is_over(machine, mark())
    assert not is_over(machine, mark()._replace(time=LATER))


def test_a_file_that_goes_meanwhile_is_no_longer_looked_at() -> None:
    assert unfinished._changed("/nowhere/at/all") == 0.0


def test_a_sweep_reads_what_was_left_and_closes(machine: Machine) -> None:
    written(machine)
    events = Events(machine.config)
    events.opened(mark())
    events.opened(mark(OTHER, processes.agent())._replace(time=LATER))
    # Nothing was ever indexed here: only what hooks told of is read.
    machine.write("aaaaaaaa-11aa-4b6c-9d01-0a1b2c3d4e5f", TURNS)
    assert unfinished.sweep(machine.config, machine.environ, LATER) == Swept(1, 1, 1)
    assert [one.session for one in events.still_open()] == [OTHER]
    assert [sid for sid, _ in machine.hits("celadon")] == [SID]


def test_a_later_sweep_reads_all_that_has_grown(machine: Machine) -> None:
    written(machine)
    machine.index()
    other = machine.write(OTHER, [("And the other celadon kiln?", "As slow.")])
    assert unfinished.sweep(machine.config, machine.environ, LATER, everything=False) == Swept(0, 0, 0)
    assert unfinished.sweep(machine.config, machine.environ, LATER) == Swept(0, 0, 1)
    assert {sid for sid, _ in machine.hits("celadon")} == {SID, OTHER}
    os.unlink(other)
    assert unfinished.sweep(machine.config, machine.environ, LATER) == Swept(0, 0, 0)


def test_a_sweep_that_cannot_read_closes_nothing(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    written(machine)
    events = Events(machine.config)
    events.opened(mark())

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(index, "run", full)
    with pytest.raises(OSError, match="No space"):
        unfinished.sweep(machine.config, machine.environ, LATER)
    assert len(events.still_open()) == 1
