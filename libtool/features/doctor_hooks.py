"""Calls each installed hook as its agent would, with a scratch home and data dir, and sees whether the event arrives."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

from libtool.config import load
from libtool.features.install import launcher
from libtool.features.install.json_hooks import JsonHooks
from libtool.storage.events import Events

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from libtool.config import Config
    from libtool.features.install.changes import File
    from libtool.features.install.part import Agent

CALL_SECONDS, ARRIVE_SECONDS = 5.0, 10.0
"""For how long a hook may run, and its event be on its way: a machine may be busy."""
POLL_SECONDS = 0.02


class Trial(NamedTuple):
    """How many hooks were called, how long the slowest took (seconds), and what is wrong with the first that does not work."""

    called: int
    slowest: float
    failed: str


def try_hooks(config: Config, agent: Agent, files: Sequence[File]) -> Trial:
    """Call every hook of ours that an agent's files hold; those of plugins as the plugin does. Raises OSError."""
    commands = list(dict.fromkeys(command for file in files for command in _commands(config, agent, file)))
    slowest = 0.0
    for event, command in commands:
        with tempfile.TemporaryDirectory(prefix="lib-doctor-", ignore_cleanup_errors=True) as scratch:
            failed, seconds = _call(agent, event, command, scratch, is_turn=event == agent.trial)
        slowest = max(slowest, seconds)
        if failed:
            return Trial(len(commands), slowest, f"its hook {event} {failed}")
    return Trial(len(commands), slowest, "")


def _commands(config: Config, agent: Agent, file: File) -> Iterator[tuple[str, Sequence[str]]]:
    """(event, command line) of each hook in a file."""
    if file.path.endswith(".json"):
        with open(file.path, "rb") as opened:
            text = opened.read()
        yield from ((event, ("/bin/sh", "-c", command)) for event, command in JsonHooks(file.part.template).commands(text))
    elif file.part.is_whole:
        yield agent.trial, (launcher.path(config), "hook", agent.name, agent.trial)


def _call(agent: Agent, event: str, command: Sequence[str], scratch: str, *, is_turn: bool) -> tuple[str, float]:
    """(what is wrong, seconds) of one call."""
    environ = {
        "PATH": os.defpath,
        "HOME": scratch,
        "LIB_DATA_DIR": os.path.join(scratch, "data"),
        "LIB_LIBRARY": os.path.join(scratch, "none"),
    }
    environ["LIB_CONFIG"] = os.path.join(scratch, "config.toml")
    payload = json.dumps(agent.payload(event, scratch)).encode()
    began = time.monotonic()
    try:
        done = subprocess.run(  # noqa: S603 - what `lib install` wrote
            command, input=payload, env=environ, cwd=scratch, capture_output=True, timeout=CALL_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"did not end within {CALL_SECONDS:.0f} s", CALL_SECONDS
    except OSError as error:
        return f"cannot be started: {error.strerror}", 0.0
    seconds = time.monotonic() - began
    if done.returncode:
        return f"ended with {done.returncode}", seconds
    if done.stderr or done.stdout:
        return "printed what the agent must not get", seconds
    if not is_turn:
        return "", seconds
    return "" if _arrived(environ, scratch) else "was called, but its event did not arrive", seconds


def _arrived(environ: dict[str, str], scratch: str) -> bool:
    """Whether the process that nobody waits for has done its work."""
    events = Events(load(environ, scratch))
    end = time.monotonic() + ARRIVE_SECONDS
    while time.monotonic() < end:
        outcome = events.outcomes().get("capture")
        if outcome is not None:
            return outcome.ok
        time.sleep(POLL_SECONDS)
    return False
