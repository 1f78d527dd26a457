from __future__ import annotations

import multiprocessing
import os
import signal
from typing import TYPE_CHECKING

import pytest

from libtool.features import workers
from libtool.features.reading import VANISHED, Reading, Task
from libtool.features.workers import Settings, read_all
from tests.features.machine import Machine, rows, sid

if TYPE_CHECKING:
    from pathlib import Path

COUNT = 7


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(bytes(32), str(tmp_path / "scratch"), thinking=False)


@pytest.fixture
def tasks(machine: Machine) -> list[Task]:
    """Files of very different sizes, and one that is not there."""
    found = []
    for number in range(COUNT):
        path = machine.write(sid(number), [(f"question {number}", "ok " + "clay " * 40_000 * (number % 3))])
        found.append(Task(str(path), str(machine.home), "claude-code"))
    return [*found, Task(str(machine.home / "nothing"), "", "")]


def test_several_processes_give_the_same_in_the_same_order(settings: Settings, tasks: list[Task]) -> None:
    alone = list(read_all(tasks, [0] * len(tasks), settings))
    assert [reading.records for reading in alone] == [2] * COUNT + [0]
    assert alone[-1] == Reading(error=VANISHED)
    assert list(read_all(tasks, [workers.WORTH_IT] * len(tasks), settings, processes=3)) == alone
    assert list(read_all(tasks, [workers.WORTH_IT] * len(tasks), settings, processes=1)) == alone
    assert list(read_all([], [], settings)) == []


def test_each_worker_is_given_as_much_as_the_others() -> None:
    sizes = [50 << 20, 1 << 20, 9 << 20, 40 << 20, 0, 0, 0]
    shares = workers._shares(sizes, 2)
    assert shares[:4] == [0, 1, 1, 1]
    loads = [sum(size for size, its in zip(sizes, shares, strict=True) if its == number) for number in (0, 1)]
    assert loads == [50 << 20, 50 << 20]
    assert workers._shares([0, 0, 0, 0, 0], 3) == [0, 1, 2, 0, 1]


def test_as_many_as_there_are_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    assert workers.available() == len(os.sched_getaffinity(0))
    monkeypatch.delattr(os, "sched_getaffinity")
    assert workers.available() == os.cpu_count()


def test_a_run_that_ends_early_ends_its_workers(settings: Settings, tasks: list[Task]) -> None:
    before = set(multiprocessing.active_children())
    readings = read_all(tasks, [workers.WORTH_IT] * len(tasks), settings, processes=2)
    next(readings)
    assert len(set(multiprocessing.active_children()) - before) == 2
    readings.close()
    assert set(multiprocessing.active_children()) == before


def test_what_a_killed_worker_owed_is_read_here(settings: Settings, tasks: list[Task]) -> None:
    alone = list(read_all(tasks, [0] * len(tasks), settings))
    readings = read_all(tasks, [workers.WORTH_IT] * len(tasks), settings, processes=2)
    found = [next(readings)]
    for process in multiprocessing.active_children():
        process.kill()
        process.join()
    assert found + list(readings) == alone


def test_a_worker_sends_what_it_reads_until_nobody_listens(settings: Settings, machine: Machine) -> None:
    # In this process, so that it can be looked at.
    small = machine.home / "small.jsonl"
    small.write_text(rows(sid(1), [("a", "b")]))
    task = Task(str(small), "", "claude-code")
    before = signal.getsignal(signal.SIGINT)
    try:
        here, there = multiprocessing.Pipe(duplex=False)
        workers._serve(there, here, settings, [])
        here, there = multiprocessing.Pipe(duplex=False)
        twin = multiprocessing.connection.Connection(os.dup(here.fileno()))
        workers._serve(there, here, settings, [task])
        assert Reading(*twin.recv()).records == 2
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
        here, there = multiprocessing.Pipe(duplex=False)
        workers._serve(there, here, settings, [task] * 5)
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_worker_ends_when_its_parent_has() -> None:
    ended: list[int] = []
    workers._end_with(None, ended.append)
    assert ended == []
    process = multiprocessing.get_context("fork").Process(target=int)
    process.start()
    workers._end_with(process, ended.append)
    assert ended == [1]


def test_where_fork_is_not_safe_a_fresh_interpreter_is_started(
    settings: Settings, tasks: list[Task], monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = list(read_all(tasks[:3], [0] * 3, settings))
    monkeypatch.setattr("sys.platform", "darwin")
    assert list(read_all(tasks[:3], [workers.WORTH_IT] * 3, settings, processes=2)) == alone
