"""Agent hooks as real processes, killed: the call itself, the work that it left, the commit of an entry."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from libtool.domain.entry import parse
from libtool.features import check_index, review_due
from libtool.storage.events import Events
from tests.features.machine import SID, Machine, rows
from tests.features.sync_lab import Lab
from tests.features.sync_lab import Machine as Clone
from tests.hooks.calls import PROGRAM, call, environment, payload, settled, wait_until, workers

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes through /proc")
LONGEST_CALL, LONGEST_WORK, LONGEST_REVIEW = 0.06, 0.5, 1.2
"""Seconds after which a process is killed at the latest: about what it takes."""
WORDS = "celadon tenmoku shino raku oribe hagi karatsu bizen tamba seto".split()


class Kiln:
    """A machine with one session that grows, and a library."""

    def __init__(self, folder: Path) -> None:
        self.clone: Clone = Lab(folder).machine("one")
        # A sync would wait for its five minutes: tests/crash/test_kill_sync.py kills those.
        self.machine = Machine(folder / "desk", 'sync = "manual"\n')
        self.path = self.machine.write(SID, [("What do we fire?", "Bowls, in a kiln.")])
        self.turns = 1
        self.said: list[str] = []
        self.environ = {**self.clone.environ, "LIB_LIBRARY": str(self.clone.top), "HOME": str(self.machine.home)}

    def grow(self) -> None:
        """Another turn, with a word that no other has."""
        word = f"{WORDS[self.turns % len(WORDS)]}{self.turns}x"
        self.machine.append(
            self.path, rows(SID, [(f"And the {word}?", f"The {word} is fired slowly, at {self.turns} degrees.")], self.turns)
        )
        self.turns += 1
        self.said.append(word)

    def block(self) -> str:
        """What a compaction says of the newest word."""
        word = self.said[-1]
        decided = f"## Decided\n\n- {word}: 60 degrees an hour."
        return f"<summary>\n\n# {word}-firing\n\n## Answer\n\nThe {word} is fired slowly.\n\n{decided}\n</summary>"

    def is_noted(self) -> bool:
        """Whether a mark holds the newest word, or an entry does."""
        folders = (self.machine.data / "events", self.clone.top / "entries")
        for path in (path for folder in folders if folder.is_dir() for path in folder.iterdir() if path.suffix != ".lib-tmp"):
            with contextlib.suppress(FileNotFoundError):
                if self.said[-1].encode() in path.read_bytes():
                    return True
        return False

    def start(self, event: str, **more: str) -> subprocess.Popen[bytes]:
        """A call that is not waited for."""
        process = subprocess.Popen([*PROGRAM, "claude-code", event], env=environment(self.machine, **self.environ), stdin=subprocess.PIPE)
        assert process.stdin is not None
        # It may be gone by now.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(payload(self.machine, SID, **more))
            process.stdin.close()
        return process

    def kill_work(self) -> int:
        """Kill whoever works; how many."""
        found = workers(self.machine)
        for process in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        assert wait_until(lambda: not workers(self.machine))
        return len(found)

    def left(self, events: Events) -> list[str]:
        """What is in the folder of the events beyond what stays, after the sweep that every work begins with."""
        events.sweep()
        return [name for name in os.listdir(self.machine.data / "events") if not name.endswith((".open", ".lock", ".json"))]

    def mended_by_the_next_event(self) -> None:
        """Nothing is lost, half or stuck after one more event."""
        done = call(self.machine, "claude-code", "Stop", stdin=payload(self.machine, SID), **self.environ)
        assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
        # What was killed dozens of times has much to make good.
        assert settled(self.machine, 120)
        events = Events(self.machine.config)
        assert events.take(time.time()) == []
        assert events.outcomes()["capture"].ok
        # The number of a dead process counts until init has taken note of its death.
        assert wait_until(lambda: self.left(events) == [])
        for word in self.said:
            assert [sid for sid, _ in self.machine.hits(word)][:1] == [SID], word
        assert check_index.problems(self.machine.config, {**self.machine.environ, **self.environ}) == []
        assert self.machine.rows("SELECT turns FROM session WHERE sid = ?", (SID,)) == [(self.turns,)]
        assert review_due.due(self.machine.config, "claude-code", SID).work.turns == self.turns


def digest(machine: Machine) -> list[tuple[object, ...]]:
    """The digests that the store holds."""
    return machine.rows("SELECT time, body FROM digest ORDER BY 1, 2")


def killed(kiln: Kiln, kills: int, seed: int) -> None:
    """Kill calls and the work that they leave in turn."""
    chance = random.Random(seed)  # noqa: S311 - moments, not secrets
    for number in range(kills):
        kiln.grow()
        process = kiln.start(("Stop", "SessionStart", "SessionEnd")[number % 3])
        if number % 2:
            time.sleep(chance.random() * LONGEST_CALL)
            process.kill()
            process.wait()
        else:
            assert process.wait() == 0
            time.sleep(chance.random() * LONGEST_WORK)
            kiln.kill_work()
        if number % 5 == 4:
            kiln.mended_by_the_next_event()
    kiln.mended_by_the_next_event()


def killed_commits(kiln: Kiln, kills: int, seed: int) -> None:
    """Kill who puts what a compaction said into the library; what was noted is there in the end, whole, once."""
    chance = random.Random(seed)  # noqa: S311
    noted = []
    for number in range(kills):
        kiln.grow()
        assert kiln.start("PostCompact", compact_summary=kiln.block()).wait() == 0
        # Before the mark is there nothing is promised.
        if wait_until(kiln.is_noted, 0.4 if number % 2 else 30.0):
            noted.append(kiln.said[-1])
        time.sleep(chance.random() * LONGEST_REVIEW)
        kiln.kill_work()
    kiln.mended_by_the_next_event()
    kiln.clone.git.run("fsck", "--strict", "--no-dangling")
    assert kiln.clone.status() == ""
    entries = os.listdir(kiln.clone.top / "entries")
    for name in entries:
        parse((kiln.clone.top / "entries" / name).read_bytes())
    index = kiln.clone.read("INDEX.md")
    for word in noted:
        assert f"{word}-firing.md" in entries, (word, entries)
        assert f"{word}-firing" in index
        text = kiln.clone.read(f"entries/{word}-firing.md")
        assert text.count("60 degrees an hour") == 1
    assert noted


@pytest.fixture
def kiln(tmp_path: Path) -> Kiln:
    return Kiln(tmp_path)


def test_a_killed_hook_or_its_work_is_made_good_by_the_next_event(kiln: Kiln) -> None:
    killed(kiln, 6, seed=3)


def test_a_killed_commit_is_made_good_by_the_next_event(kiln: Kiln) -> None:
    killed_commits(kiln, 3, seed=4)


@pytest.mark.slow
def test_a_hundred_kills_of_calls_and_work(kiln: Kiln) -> None:
    killed(kiln, 100, seed=5)


@pytest.mark.slow
def test_fifty_kills_of_commits(kiln: Kiln) -> None:
    killed_commits(kiln, 50, seed=6)


def test_the_digest_of_a_session_that_was_killed_at_every_turn_is_that_of_one_reading(kiln: Kiln, tmp_path: Path) -> None:
    killed(kiln, 4, seed=7)
    alone = Machine(tmp_path / "alone", home=kiln.machine.home)
    alone.index()
    assert digest(kiln.machine) == digest(alone)
    assert digest(alone) != []
