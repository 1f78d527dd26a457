"""Which session an agent's process is in now, for the agents that tell their hooks and not their tools. A file a process in `current`.

A file holds `<agent>:<id>`. It is written while the agent waits, so that a tool of that turn finds no older one.
"""

from __future__ import annotations

import contextlib
import os

from libtool.storage import files, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.config import Config

FOLDER = "current"
LONGEST = 400
_PLAIN = frozenset("0123456789abcdef-")
"""What an id consists of that may be written down without a look for logins in it."""


def put(config: Config, process: str, agent: str, session: str) -> None:
    """Note the session that a process (as `processes` names it) is in; what was noted of processes that are gone goes. Raises OSError."""
    for path, other in _noted(config):
        if not processes.is_same(other) or other == process:
            _remove(path)
    # Where a system does not tell when a process began, its number may be another's by now.
    if " " in process and _PLAIN.issuperset(session):
        files.write(_path(config, process), f"{agent}:{session}".encode(), lasting=False)


def of(config: Config, process: str) -> tuple[str, str]:
    """(agent, id) of the session that a process is in; ('', '') when none is noted."""
    try:
        with open(_path(config, process), encoding="utf-8") as file:
            agent, _, session = file.read(LONGEST).partition(":")
    except (OSError, ValueError):
        return "", ""
    return agent, session


def forget(config: Config, agent: str, session: str) -> None:
    """Remove what is noted of a session. Raises OSError."""
    for path, process in _noted(config):
        if of(config, process) == (agent, session):
            _remove(path)


def _path(config: Config, process: str) -> str:
    return os.path.join(config.data_dir, FOLDER, process.replace(" ", "-"))


def _noted(config: Config) -> Iterator[tuple[str, str]]:
    """(path, process) of each note."""
    folder = os.path.join(config.data_dir, FOLDER)
    files.sweep(folder)
    for name in os.listdir(folder) if os.path.isdir(folder) else ():
        # One that begins with a dot is still being written.
        if not name.startswith("."):
            yield os.path.join(folder, name), name.replace("-", " ")


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
