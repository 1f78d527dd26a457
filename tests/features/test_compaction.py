from __future__ import annotations

import datetime as dt
import json
import os
import time
from typing import TYPE_CHECKING

import pytest

from libtool.domain.agent_event import COMPACTED, END, TURN, AgentEvent
from libtool.errors import Locked
from libtool.features import capture, compaction
from libtool.features.capture import Job
from libtool.storage.events import Events, Mark
from tests.features.machine import OTHER, SID, Machine, rows
from tests.features.sync_lab import Lab
from tests.features.sync_lab import Machine as Clone

if TYPE_CHECKING:
    from pathlib import Path

TODAY = dt.date(2026, 10, 3)
TURNS = [("How hot shall the celadon kiln be?", "Slow: 60 degrees an hour.")]
BLOCK = """# kiln-ramp

## Answer

The kiln is fired at 60 degrees an hour.

## Decided

- We fire slowly, because the celadon cracks else.
"""
SUMMARY = f"<analysis>much thought</analysis>\n<summary>\n1. Primary Request: the kiln.\n\n{BLOCK}</summary>"


@pytest.fixture
def clone(tmp_path: Path, machine: Machine) -> Clone:
    """A library, which the machine's configuration names."""
    made = Lab(tmp_path).machine("one")
    machine.config = machine.config.replace(library=str(made.top))
    machine.environ = {**machine.environ, **made.environ}
    return made


def happened(machine: Machine, kind: str = COMPACTED, summary: str = "", session: str = SID) -> None:
    path = str(machine.projects / f"{session}.jsonl")
    capture.happened(
        Job(machine.config, machine.environ, time.time), AgentEvent("claude-code", kind, session, path=path, summary=summary), ""
    )


def with_summary(machine: Machine, *texts: str, session: str = SID) -> None:
    """A transcript that was compacted, as the agent writes it."""
    path = machine.write(session, TURNS)
    summaries = [
        {
            "type": "user",
            "uuid": f"s{number}",
            "isCompactSummary": True,
            "sessionId": session,
            "timestamp": f"2026-03-01T1{number}:00:00.000Z",
            "message": {"role": "user", "content": text},
        }
        for number, text in enumerate(texts)
    ]
    for number, row in enumerate(summaries, 1):
        machine.append(path, json.dumps(row) + "\n" + rows(session, [(f"And then, {number}?", "We wait.")], first=number))


def entry(clone: Clone) -> str:
    (name,) = os.listdir(clone.top / "entries")
    return clone.read(f"entries/{name}")


def test_a_summary_with_what_was_asked_for_becomes_an_entry(machine: Machine, clone: Clone) -> None:
    machine.write(SID, TURNS)
    happened(machine, summary=SUMMARY)
    assert "celadon cracks else" in entry(clone)
    assert f"- claude-code:{SID} bench " in entry(clone)
    assert clone.status() == ""
    head = clone.head()
    # The same again adds nothing.
    happened(machine, summary=SUMMARY)
    assert clone.head() == head
    assert Events(machine.config).outcomes()["capture"].ok


def test_where_the_agent_does_not_hand_it_over_it_is_read_from_the_transcript(machine: Machine, clone: Clone) -> None:
    with_summary(machine, "An older summary.", "x " * 2000 + "\n\n" + SUMMARY)
    happened(machine)
    assert "celadon cracks else" in entry(clone)


def test_a_summary_that_was_not_asked_is_left_to_the_digest(machine: Machine, clone: Clone) -> None:
    with_summary(machine, "The user asked about kilns; 60 degrees an hour it is.")
    happened(machine)
    happened(machine, summary="<summary>1. Primary Request: kilns</summary>")
    assert not (clone.top / "entries").exists()
    assert not os.path.exists(os.path.join(machine.config.logs, "reviews"))


def test_no_summary_at_all(machine: Machine) -> None:
    mark = Mark("claude-code", COMPACTED, SID)
    assert compaction.take_in(machine.config, machine.environ, mark, TODAY) == 0
    machine.write(OTHER, TURNS)
    machine.index()
    assert compaction.take_in(machine.config, machine.environ, mark, TODAY) == 0
    assert compaction.take_in(machine.config, machine.environ, mark._replace(session=OTHER), TODAY) == 0
    # A part of an id is not an id.
    assert compaction.take_in(machine.config, machine.environ, mark._replace(session=OTHER[:8]), TODAY) == 0


def test_a_review_that_waits_is_tried_again_at_the_next_event(machine: Machine, clone: Clone) -> None:
    machine.write(SID, TURNS)
    clone.put("kiln-ramp", "2026-10-01: fast")
    clone.write("kiln-ramp", clone.read("entries/kiln-ramp.md") + "\nA person's words, not yet committed.\n")
    happened(machine, summary=SUMMARY)
    assert "celadon cracks else" not in clone.read("entries/kiln-ramp.md")
    clone.git.run("checkout", "-q", "--", "entries/kiln-ramp.md")
    happened(machine, TURN)
    assert "celadon cracks else" in clone.read("entries/kiln-ramp.md")


def test_a_review_that_fails_stops_nothing_else(machine: Machine, clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    assert clone.top
    machine.write(SID, TURNS)
    Events(machine.config).opened(Mark("claude-code", TURN, SID))

    def broken(*_: object) -> None:
        raise ValueError("a text that nobody may see")

    with monkeypatch.context() as patched:
        patched.setattr(compaction, "take_in", broken)
        with Events(machine.config).worker():
            happened(machine, summary=SUMMARY)
        happened(machine, END)
    assert Events(machine.config).still_open() == []
    assert Events(machine.config).take(time.time()) == []
    with open(os.path.join(machine.config.logs, "hooks.log"), encoding="utf-8") as file:
        assert "review: unexpected ValueError in broken" in file.read()


def test_a_review_that_found_the_library_locked_is_not_lost(machine: Machine, clone: Clone, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, TURNS)

    def locked(*_: object) -> None:
        raise Locked("another lib process holds it")

    with monkeypatch.context() as patched:
        patched.setattr(compaction, "take_in", locked)
        happened(machine, summary=SUMMARY)
    assert not Events(machine.config).outcomes()["capture"].ok
    happened(machine, TURN)
    assert "celadon cracks else" in entry(clone)


OWN = """1. Primary Request and Intent:
   The kiln.

## Decisions
- Fire it slowly.

## Next steps
- Fire the celadon.
"""


@pytest.mark.parametrize("summary", [OWN, f"## Summary\nAll of it.\n\n{OWN}", f"# Session summary\n{OWN}"])
def test_what_a_compaction_makes_of_itself_is_no_entry(machine: Machine, clone: Clone, summary: str) -> None:
    machine.write(SID, TURNS)
    head = clone.head()
    happened(machine, summary=summary)
    assert clone.head() == head


def test_of_a_summary_only_what_names_a_topic_is_taken(machine: Machine, clone: Clone) -> None:
    machine.write(SID, TURNS)
    happened(machine, summary=f"<summary>\n{OWN}\n{BLOCK}</summary>")
    assert "celadon cracks else" in entry(clone)
    assert "Fire it slowly" not in entry(clone)
