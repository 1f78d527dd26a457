"""`lib sync` killed at any moment: the next one repairs what it left, and nothing is lost."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from libtool.storage.git import Git
from tests.compat import servers
from tests.features.sync_lab import Lab, Machine, entry, files_of
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path

ENTRIES = 120
PROGRAM = "import sys; from tests.crash.test_kill_sync import run; run(*sys.argv[1:])"


def run(folder: str, name: str, path: str) -> None:
    """The process that is killed."""
    from pathlib import Path  # noqa: PLC0415 - only here

    machine = Machine(Path(folder), name, environment(PATH=path))
    machine.sync()


def started(lab: Lab, machine: Machine, path: str) -> subprocess.Popen[bytes]:
    words = [sys.executable, "-c", PROGRAM, str(lab.folder), machine.config.machine, path]
    return subprocess.Popen(words, env=environment(), start_new_session=True, stderr=subprocess.DEVNULL)


def edit(machine: Machine, number: int) -> None:
    for at in range(ENTRIES):
        decided = [f"2026-10-01: {machine.config.machine} {one:02} {'x' * 200}" for one in range(number + 1)]
        machine.write(f"{machine.config.machine}-{at}", entry(f"Entry {at}", *decided))
    machine.commit(f"round {number}")


def kill_at_random(lab: Lab, times: int, path: str, seed: int) -> None:
    """Kill a sync `times` times, with and without the git processes that it started; each time the next sync must carry on."""
    moments = random.Random(seed)  # noqa: S311 - moments, no secrets
    desk, lap = lab.machine("desk"), lab.machine("lap")
    edit(desk, 0)
    begun = time.monotonic()
    desk.sync()
    took = time.monotonic() - begun
    killed = 0
    for number in range(1, times + 1):
        edit(desk, number)
        desk.sync()
        edit(lap, number)
        process = started(lab, lap, path)
        time.sleep(moments.uniform(0.1, 0.2 + 2 * took))
        if process.poll() is None:
            killed += 1
            if moments.random() < 0.7:
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
        lap.sync(without_git=path == "/nowhere")
        assert lap.status() == ""
        assert sorted(files_of(lap)) == sorted(f"{name}-{at}.md" for name in ("desk", "lap") for at in range(ENTRIES))
        for name, content in files_of(lap).items():
            assert f"{name.split('-')[0]} {number:02} ".encode() in content
        assert not [
            name for _, _, names in os.walk(lap.top) for name in names if name.endswith((".lock", ".lib-tmp")) and name != "lib-sync.lock"
        ]
        lab.fsck(lap)
    desk.sync()
    assert desk.head() == lap.head() == lab.remote_head()
    assert files_of(desk) == files_of(lap)
    assert killed > times // 3


@pytest.mark.parametrize("path", [pytest.param("", id="git"), pytest.param("/nowhere", id="no-git")])
def test_killed_a_few_times(tmp_path: Path, path: str) -> None:
    kill_at_random(Lab(tmp_path), 3, path or environment()["PATH"], 7)


@pytest.mark.slow
@pytest.mark.parametrize("path", [pytest.param("", id="git"), pytest.param("/nowhere", id="no-git")])
def test_killed_thirty_times_over_a_server(tmp_path: Path, path: str) -> None:
    remote = tmp_path / "remote.git"
    Git(str(tmp_path), environment()).run("init", "-q", "--bare", "-b", "main", str(remote))
    with servers.daemon(tmp_path) as url:
        kill_at_random(Lab(tmp_path, url + "/remote.git"), 30, path or environment()["PATH"], 30)
