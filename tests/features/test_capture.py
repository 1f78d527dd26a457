from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from libtool.domain.agent_event import AGAIN, COMPACTED, END, START, TURN, AgentEvent
from libtool.features import capture, hook_log, index, sync_by_itself
from libtool.features.capture import Job
from libtool.storage import processes
from libtool.storage.events import Events, Mark
from tests.features.machine import OTHER, SID, Machine, rows
from tests.features.sync_lab import Lab

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "samples", "clients")
TURNS = [("How hot shall the celadon kiln be?", "Slow: 60 degrees an hour.")]
LOGIN = "kX9f2" + "Lq7Wz4Rt8Pm3Vb6Nc1Yd5Hs0Jg"


def job(machine: Machine) -> Job:
    return Job(machine.config, machine.environ, time.time)


def event(machine: Machine, kind: str = TURN, session: str = SID, **texts: str) -> AgentEvent:
    return AgentEvent("claude-code", kind, session, **{"path": str(machine.projects / f"{session}.jsonl"), **texts})


def happened(machine: Machine, kind: str = TURN, session: str = SID, process: str = "", **texts: str) -> None:
    capture.happened(job(machine), event(machine, kind, session, **texts), process)


def test_a_turn_is_searched_as_soon_as_it_has_ended(machine: Machine) -> None:
    path = machine.write(SID, TURNS)
    happened(machine)
    assert machine.hits("celadon") == [(SID, 1)]
    machine.append(path, rows(SID, [("And the glaze?", "Feldspar.")], first=1))
    happened(machine)
    assert (SID, 2) in machine.hits("feldspar")
    events = Events(machine.config)
    assert events.take(time.time()) == []
    assert [mark.session for mark in events.still_open()] == [SID]
    assert events.outcomes()["capture"].ok
    assert machine.hook_log() == ""


def test_one_turn_does_not_claim_that_all_was_looked_at(machine: Machine) -> None:
    machine.write(SID, TURNS)
    happened(machine)
    assert not (machine.data / index.STAMP).exists()


def test_an_end_closes_what_was_open(machine: Machine) -> None:
    machine.write(SID, TURNS)
    happened(machine)
    happened(machine, END)
    assert Events(machine.config).still_open() == []
    assert machine.hits("celadon") == [(SID, 1)]


def test_a_start_takes_in_what_was_left_elsewhere(machine: Machine) -> None:
    machine.write(SID, TURNS)
    happened(machine, process="999999999 1")
    gone = machine.projects / f"{SID}.jsonl"
    os.utime(gone, (1000, 1000))
    events = Events(machine.config)
    events.opened(events.still_open()[0]._replace(time=1000.0))
    machine.write(OTHER, [("And the celadon bowl?", "Thin.")])
    happened(machine, START, "aaaaaaaa-11aa-4b6c-9d01-0a1b2c3d4e5f", processes.agent())
    assert {session for session, _ in machine.hits("celadon")} == {SID, OTHER}
    assert [mark.session for mark in events.still_open()] == ["aaaaaaaa-11aa-4b6c-9d01-0a1b2c3d4e5f"]


def test_what_follows_a_compaction_is_no_start(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.write(OTHER, [("And the celadon bowl?", "Thin.")])
    happened(machine, START, detail=AGAIN)
    assert [session for session, _ in machine.hits("celadon")] == [SID]
    assert Events(machine.config).still_open()[0].kind == COMPACTED


def test_what_the_agent_wrote_down_to_remember_is_taken_along(machine: Machine) -> None:
    machine.write(SID, TURNS)
    memory = machine.projects / "memory" / "glaze.md"
    memory.parent.mkdir()
    memory.write_text("---\nname: glaze\n---\nThe tenmoku glaze wants iron.\n", encoding="utf-8")
    happened(machine)
    assert machine.rows("SELECT count(*) FROM session WHERE agent = 'note'") == [(1,)]


def test_a_killed_worker_leaves_its_marks_to_the_next_event(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.write(OTHER, [("And the celadon bowl?", "Thin.")])
    events = Events(machine.config)
    events.put(Mark("claude-code", TURN, SID, time=time.time()))
    events.take(time.time())
    left = machine.data / "events" / ".x.mark.999999999.abcd.lib-tmp"
    left.write_bytes(b"half")
    happened(machine, session=OTHER)
    assert not left.exists()
    assert {session for session, _ in machine.hits("celadon")} == {SID, OTHER}
    assert events.take(time.time()) == []


def test_events_that_come_while_one_works_are_done_by_it(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, TURNS)
    machine.write(OTHER, [("And the celadon bowl?", "Thin.")])
    run, runs = index.run, []

    def slowly(*given: Any, **limits: Any) -> Any:
        runs.append(limits["paths"])
        if len(runs) == 1:
            # Another process, as far as the lock is concerned: it leaves its mark and goes.
            other = threading.Thread(target=happened, args=(machine, TURN, OTHER))
            other.start()
            other.join()
        return run(*given, **limits)

    monkeypatch.setattr(index, "run", slowly)
    happened(machine)
    assert len(runs) == 2
    assert {session for session, _ in machine.hits("celadon")} == {SID, OTHER}


def test_a_mark_that_came_when_the_work_was_over_but_the_lock_held_is_seen(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, TURNS)
    machine.write(OTHER, [("And the celadon bowl?", "Thin.")])
    take = Events.take
    rounds = []

    def then_another(self: Events, now: float) -> list[tuple[str, Mark]]:
        found = take(self, now)
        rounds.append(len(found))
        if not found and len(rounds) == 2:
            self.put(Mark("claude-code", TURN, OTHER, time=now))
        return found

    monkeypatch.setattr(Events, "take", then_another)
    happened(machine)
    assert rounds == [1, 0, 1, 0]
    assert {session for session, _ in machine.hits("celadon")} == {SID, OTHER}


def test_work_that_fails_is_told_and_done_with_the_next_event(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, TURNS)
    with monkeypatch.context() as broken:
        broken.setattr(index, "run", quoting)
        happened(machine, END)
    events = Events(machine.config)
    outcome = events.outcomes()["capture"]
    assert not outcome.ok
    assert outcome.text.startswith("unexpected KeyError in ")
    assert "transcript" not in machine.hook_log()
    assert len(events.still_open()) == 0
    happened(machine)
    assert events.outcomes()["capture"].ok
    assert machine.hits("celadon") == [(SID, 1)]
    assert events.take(time.time()) == []


def quoting(*_: object, **__: object) -> None:
    raise KeyError("a text of the transcript")


def test_nothing_of_a_login_is_written_down(machine: Machine) -> None:
    path = machine.home / f"password={LOGIN}" / f"{SID}.jsonl"
    path.parent.mkdir()
    path.write_text(rows(SID, TURNS), encoding="utf-8")
    machine.write(SID, TURNS)
    events = Events(machine.config)
    with events.worker() as mine:
        assert mine
        happened(machine, COMPACTED, path=str(path), summary=f"We set the password: {LOGIN} for the kiln.")
    left = b"".join(one.read_bytes() for one in (machine.data / "events").iterdir())
    assert LOGIN.encode() not in left
    ((_, mark),) = events.take(time.time())
    assert mark.path == ""
    assert mark.session == SID
    assert mark.summary.startswith("We set the password: [REDACTED:")
    happened(machine)
    assert machine.hits("celadon") == [(SID, 1)]
    assert LOGIN.encode() not in machine.bytes_of_all_files()


def test_a_summary_is_cut(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(capture, "LONGEST_SUMMARY", 10)
    events = Events(machine.config)
    with events.worker():
        happened(machine, COMPACTED, summary="word " * 100)
    assert events.take(time.time())[0][1].summary == "word word "


def test_a_data_dir_that_cannot_be_written_is_borne(machine: Machine) -> None:
    machine.data.write_bytes(b"a file where the folder should be")
    happened(machine)
    assert machine.data.read_bytes() == b"a file where the folder should be"


def test_a_lock_that_cannot_be_had_is_told(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_: Events) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Events, "worker", refused)
    happened(machine)
    assert machine.hook_log().endswith(" Read-only file system\n")


def test_starts_and_ends_are_followed_by_a_sync_turns_are_not(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, TURNS)
    asked: list[bool] = []
    monkeypatch.setattr(sync_by_itself, "sync", lambda *_, wait: asked.append(wait))
    happened(machine)
    assert asked == []
    happened(machine, START)
    happened(machine, END)
    assert asked == [False, True]

    def broken(*_: object, **__: object) -> None:
        raise ValueError("a text that nobody may see")

    monkeypatch.setattr(sync_by_itself, "sync", broken)
    happened(machine, END)
    assert machine.hook_log().split(" ", 1)[1].startswith("sync: unexpected ValueError in broken:")


def test_a_capture_reaches_the_other_machine(machine: Machine, tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    one, two = lab.machine("one"), lab.machine("two")
    one.put("kiln", "2026-10-01: slow")
    machine.config = machine.config.replace(library=str(one.top))
    machine.environ = {**machine.environ, **one.environ}
    machine.write(SID, TURNS)
    happened(machine, START)
    two.sync()
    assert "slow" in two.read("entries/kiln.md")
    told = json.loads(two.read("machines/bench.json"))
    assert told["sessions"]["work"] == 1


def test_a_session_told_event_by_event_gives_what_one_reading_gives(machine: Machine, tmp_path: Path) -> None:
    turns = [(f"How hot is the kiln at layer {n}?", f"We chose {n} degrees an hour for layer {n}. " * (n % 5 * 9 + 1)) for n in range(12)]
    path = machine.write(SID, turns[:1])
    happened(machine, START)
    for number, turn in enumerate(turns[1:], 1):
        lines = rows(SID, [turn], first=number).splitlines(keepends=True)
        # Also in the middle of a turn, as a sub-agent's end does.
        machine.append(path, lines[0])
        happened(machine)
        machine.append(path, lines[1])
        happened(machine)
    happened(machine, END)
    assert digests(machine) == digests(alone(machine, tmp_path)) != []


def alone(machine: Machine, folder: Path) -> Machine:
    """Another machine that reads the same home, once."""
    made = Machine(folder / "alone", home=machine.home)
    made.index()
    return made


def digests(machine: Machine) -> list[tuple[Any, ...]]:
    """The digests that the store holds, and the chunks that they were made of."""
    return machine.rows("SELECT time, words, searched, body FROM digest ORDER BY 1, 4") + machine.rows("SELECT hash FROM chunk ORDER BY 1")


@pytest.mark.shared
@pytest.mark.skipif(not os.path.isdir(SAMPLES), reason="the samples are not here")
def test_real_sessions_told_event_by_event(machine: Machine, tmp_path: Path) -> None:
    replayed = 0
    for folder, _, names in sorted(os.walk(os.path.join(SAMPLES, "claude-code", "tui", "projects"))):
        for name in sorted(names):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                lines = file.readlines()
            path = machine.projects / name
            step = max(1, len(lines) // 6)
            for at in range(0, len(lines), step):
                with path.open("a", encoding="utf-8") as file:
                    file.writelines(lines[at : at + step])
                happened(machine, session=name.removesuffix(".jsonl"))
            replayed += 1
    assert replayed
    assert digests(machine) == digests(alone(machine, tmp_path)) != []


def test_errors_in_words() -> None:
    assert hook_log.told(OSError(28, "no matter what")) == "No space left on device"
    with pytest.raises(OSError, match="without") as raised:
        open_nothing()
    assert hook_log.told(raised.value).startswith("unexpected OSError in open_nothing:")


def open_nothing() -> None:
    raise OSError("without a number")
