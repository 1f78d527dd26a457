"""`lib hook` as a whole process, as an agent calls it, and waiting for the one that works on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.features.machine import Machine

PROGRAM = [sys.executable, "-c", "from libtool.cli.main import program; program()", "hook"]


def environment(machine: Machine, **more: str) -> dict[str, str]:
    return {"HOME": str(machine.home), "PATH": os.environ["PATH"], "PYTHONPATH": os.getcwd(), **machine.environ, **more}  # noqa: TID251


def call(machine: Machine, *words: str, stdin: bytes = b"", **more: str) -> subprocess.CompletedProcess[bytes]:
    """Call it, and wait for its end and for the end of its pipes, as agents do."""
    return subprocess.run([*PROGRAM, *words], env=environment(machine, **more), input=stdin, capture_output=True, check=False)


def payload(machine: Machine, session: str, **more: object) -> bytes:
    """As Claude Code sends it."""
    path = str(machine.projects / f"{session}.jsonl")
    return json.dumps({"session_id": session, "transcript_path": path, "cwd": "/home/ada", **more}).encode()


def wait_until(condition: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Whether the condition came true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def workers(machine: Machine) -> list[int]:
    """Processes that have this machine's data dir in their environment, zombies and ourselves left out."""
    found = []
    for name in filter(str.isdecimal, os.listdir("/proc")):
        if int(name) == os.getpid():
            continue
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                if os.fsencode(str(machine.data)) in file.read():
                    found.append(int(name))
        except OSError:
            continue
    return found


def settled(machine: Machine, seconds: float = 20.0) -> bool:
    """Wait until nobody works any more."""
    return wait_until(lambda: not workers(machine), seconds)


def environ_of(process: int) -> Mapping[str, str]:
    """The environment that a process began with."""
    with open(f"/proc/{process}/environ", "rb") as file:
        return dict(pair.split("=", 1) for pair in file.read().decode().split("\0") if "=" in pair)
