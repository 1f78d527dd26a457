"""`lib index` as a real process, killed, stopped, and run twice at once."""

from __future__ import annotations

import contextlib
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.errors import NotIndexed
from libtool.features import check_index
from libtool.storage import database
from tests.features.machine import SID, Machine, rows, sid

if TYPE_CHECKING:
    from collections.abc import Callable

    Content = dict[str, list[tuple[object, ...]]]
    Reference = tuple[Machine, Content, Machine, Content]

DRIVER = Path(__file__).with_name("driver.py")
SESSIONS = 40
LONGEST = 0.7
"""Seconds after which a run is killed at the latest: about what it takes."""
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes through /proc")


def start(machine: Machine, *words: str) -> subprocess.Popen[str]:
    environ = {"HOME": str(machine.home), "PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd(), **machine.environ}  # noqa: TID251
    return subprocess.Popen([sys.executable, DRIVER, *words], env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def corpus(folder: Path) -> Machine:
    """Sessions enough for several batches; in a second state, some of them grown, rewritten, cut short and gone."""
    machine = Machine(folder)
    machine.data.mkdir(mode=0o700)
    os.close(os.open(machine.data / "key", os.O_CREAT | os.O_WRONLY, 0o600))
    (machine.data / "key").write_bytes(bytes(range(32)))
    word = "4ml-KzzQ7x9-rod4bu0rT"[::-1]
    for number in range(SESSIONS):
        turns = [(f"question {number} {n} about celadon", f"answer {number} {n} " + f"word{n} clay " * 60) for n in range(8 + number % 5)]
        turns.append((f"the password: {word}{number % 7}", f"or was it {word}{number % 5}?"))
        machine.write(sid(number), turns)
    return machine


def change(machine: Machine) -> None:
    for number in range(0, SESSIONS, 3):
        path = machine.projects / f"{sid(number)}.jsonl"
        if number % 2:
            machine.append(path, rows(sid(number), [("and then", f"later{number} " * 100)], first=20))
        else:
            machine.write(sid(number), [(f"rewritten {number} {n}", "other " * 200) for n in range(14)])
    machine.write(sid(4), [("cut", "short")])
    (machine.projects / f"{sid(5)}.jsonl").unlink()


def copy_of(machine: Machine, folder: Path) -> Machine:
    """A machine with the same home, and a copy of the data dir."""
    copy = Machine(folder, home=machine.home)
    if machine.data.exists():
        shutil.copytree(machine.data, copy.data)
    return copy


def undisturbed(machine: Machine) -> Content:
    process = start(machine, "index")
    out, err = process.communicate()
    assert process.returncode == 0, (out, err)
    return comparable(machine)


def comparable(machine: Machine) -> Content:
    """All content but for what says when the index was merged last."""
    content = machine.dump()
    content["mark"] = [row for row in content["mark"] if row[0] != "tidied"]
    return content


@pytest.fixture(scope="module")
def reference(
    tmp_path_factory: pytest.TempPathFactory,
) -> Reference:
    """A corpus before its first run and what that gives; the same, indexed and then changed, and what a run makes of it."""
    fresh = corpus(tmp_path_factory.mktemp("fresh"))
    first = undisturbed(copy_of(fresh, tmp_path_factory.mktemp("first")))
    grown = corpus(tmp_path_factory.mktemp("grown"))
    undisturbed(grown)
    change(grown)
    second = undisturbed(copy_of(grown, tmp_path_factory.mktemp("second")))
    return fresh, first, grown, second


def killed_at_moments(reference: Reference, folder: Path, moments: int, seed: int) -> None:
    """Kill a run at random moments, up to five times, then let it end: the content is that of an undisturbed run."""
    fresh, first, grown, second = reference
    assert first["login"]
    chance = random.Random(seed)  # noqa: S311 - moments, not secrets
    kills = 0
    number = 0
    while kills < moments:
        machine, wanted = (fresh, first) if number % 2 == 0 else (grown, second)
        here = copy_of(machine, folder / str(number))
        for _ in range(5):
            process = start(here, *(["--workers"] if number % 3 == 0 else []), "index")
            try:
                process.communicate(timeout=0.1 + chance.random() * LONGEST)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                kills += 1
        assert undisturbed(here) == wanted, (number, seed)
        assert check_index.problems(here.config, {**here.environ, "HOME": str(here.home)}) == []
        left = {path.name for path in here.data.iterdir() if not path.name.endswith(("-wal", "-shm"))}
        assert left == {"indexed", "key", "search.db", "store.db", "writer.lock"}
        shutil.rmtree(folder / str(number))
        number += 1


def test_a_killed_run_is_made_good_by_the_next(reference: Reference, tmp_path: Path) -> None:
    killed_at_moments(reference, tmp_path, 6, seed=1)


@pytest.mark.slow
def test_fifty_kills(reference: Reference, tmp_path: Path) -> None:
    killed_at_moments(reference, tmp_path, 50, seed=7)


def processes_of(machine: Machine) -> list[int]:
    """Processes that run the driver on this machine's data dir."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        try:
            environ = Path("/proc", name, "environ").read_bytes()
            command = Path("/proc", name, "cmdline").read_bytes()
        except OSError:
            continue
        if os.fsencode(str(machine.data)) in environ and b"driver.py" in command:
            found.append(int(name))
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


@pytest.fixture
def busy(tmp_path: Path) -> Machine:
    """A machine with enough to read that a run can be caught in the middle."""
    machine = Machine(tmp_path)
    for number in range(60):
        machine.write(sid(number), [(f"question {number} {n}", f"answer {number} {n} " + f"word{n} clay " * 600) for n in range(30)])
    return machine


@needs_proc
def test_no_worker_outlives_a_killed_run(busy: Machine) -> None:
    process = start(busy, "--workers", "index")
    assert wait_until(lambda: len(processes_of(busy)) == 4)
    process.kill()
    process.communicate()
    assert wait_until(lambda: processes_of(busy) == [])


def computed_by(processes: list[int]) -> float:
    """Seconds of computing that running processes have used."""
    ticks = 0
    for one in processes:
        with contextlib.suppress(OSError):
            fields = Path("/proc", str(one), "stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def computed_by_ended() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@needs_proc
def test_ctrl_c_ends_a_run_within_a_second_of_computing(busy: Machine) -> None:
    before = computed_by_ended()
    process = start(busy, "--workers", "index")
    assert wait_until(lambda: len(processes_of(busy)) == 4)
    before += computed_by(processes_of(busy))
    # As a terminal does it: the whole group is told.
    for one in processes_of(busy):
        # The run may have ended a worker before its own turn comes.
        with contextlib.suppress(ProcessLookupError):
            os.kill(one, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert computed_by_ended() - before < 1
    assert (process.returncode, out, err) == (130, "", "lib: interrupted\n")
    assert processes_of(busy) == []
    assert not (busy.data / "scratch").exists()
    wanted = Machine(busy.home.parent / "wanted")
    shutil.copytree(busy.projects, wanted.projects, dirs_exist_ok=True)
    assert undisturbed(busy)["places"] == undisturbed(wanted)["places"]


@needs_proc
def test_the_files_of_a_killed_worker_are_read_all_the_same(busy: Machine) -> None:
    process = start(busy, "--workers", "index")
    assert wait_until(lambda: len(processes_of(busy)) == 4)
    for worker in processes_of(busy):
        if worker != process.pid:
            with contextlib.suppress(ProcessLookupError):
                os.kill(worker, signal.SIGKILL)
    out, err = process.communicate()
    assert (process.returncode, err) == (0, ""), out
    assert busy.rows("SELECT count(*) FROM session") == [(60,)]
    assert busy.rows("SELECT count(*) FROM file WHERE error <> ''") == [(0,)]


def test_two_runs_at_once_end_well_and_readers_never_wait(busy: Machine) -> None:
    busy.write(SID, [("The very first celadon", "was indexed before.")])
    process = start(busy, "index", str(busy.projects / f"{SID}.jsonl"))
    process.communicate()
    runs = [start(busy, *words, "index") for words in ([], ["--workers"])]
    runs.append(start(busy, "build-index"))
    searches = 0
    while any(run.poll() is None for run in runs):
        assert busy.hits('"very first celadon"') == [(SID, 1)]
        searches += 1
    for run in runs:
        out, err = run.communicate()
        assert run.returncode == 0, out
        # Who waits for longer than a moment says so.
        assert re.fullmatch(r"(lib: waiting for `lib [\w-]+` \(process \d+, since \S+\)\n)*", err), err
    assert searches > 3
    alone = Machine(busy.home.parent / "alone")
    shutil.copytree(busy.projects, alone.projects, dirs_exist_ok=True)
    undisturbed(alone)
    assert sorted(busy.words()) == sorted(alone.words())
    assert check_index.problems(busy.config, busy.environ) == []


def test_a_reader_waits_for_no_transaction(busy: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    busy.write(SID, [("The very first celadon", "was indexed before.")])
    busy.index()
    with contextlib.ExitStack() as stack:
        for name, change in (("store.db", "DELETE FROM session"), ("search.db", "DELETE FROM mark")):
            writer = stack.enter_context(contextlib.closing(sqlite3.connect(busy.data / name, isolation_level=None)))
            writer.execute("BEGIN IMMEDIATE")
            writer.execute(change)
        # Who had to wait for a lock would fail.
        monkeypatch.setattr(database, "_BUSY_SECONDS", 0.0)
        assert busy.hits('"very first celadon"') == [(SID, 1)]


def test_a_reader_during_the_very_first_run_is_told_that_nothing_is_indexed(busy: Machine) -> None:
    process = start(busy, "index")
    said: set[bool | str] = set()
    while process.poll() is None:
        try:
            said.add(bool(busy.hits("clay")))
        except NotIndexed as error:
            said.add(error.hint)
    process.communicate()
    assert said <= {True, False, "run `lib index`"}
    assert busy.hits("clay")
