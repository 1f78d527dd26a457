"""Whether a session may be open right now: the agent's own mark, a young change, a file that another process holds open."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from libtool.adapters.live_marks import live_sessions
from libtool.storage.files import is_running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

PROC = "/proc"
"""Where Linux lists the open files of each process. Elsewhere the time of the last change alone tells."""


class Watch:
    """Looks at files of agents. `quiet` is for how many seconds a file must not have changed."""

    def __init__(self, quiet: float, *, clock: Callable[[], float] = time.time, proc: str = PROC) -> None:
        self._quiet = quiet
        self._clock = clock
        self._proc = proc
        self._marked: dict[tuple[str, str], set[str]] = {}
        self.sees_open_files = os.path.isdir(os.path.join(proc, "self", "fd"))

    def reason(self, agent: str, root: str, path: str, sessions: Iterable[str] = (), beside: Iterable[str] = ()) -> str:
        """Why the file must not be touched now; '' when nothing speaks against it.

        `path` has its links resolved; `sessions` are ids that it holds; `beside` files that belong to it, such as a WAL.
        """
        paths = [path, *beside]
        if self._is_marked(agent, root, path, sessions):
            return "its session is open: the agent says so"
        if any(self._is_young(one) for one in paths):
            return f"changed in the last {round(self._quiet / 60)} minutes"
        if is_open(paths, self._proc):
            return "another program has it open"
        return ""

    def _is_marked(self, agent: str, root: str, path: str, sessions: Iterable[str]) -> bool:
        key = agent, root
        if key not in self._marked:
            self._marked[key] = live_sessions(agent, root, is_running)
        return any(one in path or one in sessions for one in self._marked[key])

    def forget(self) -> None:
        """Read the agents' marks anew from now on."""
        self._marked.clear()

    def _is_young(self, path: str) -> bool:
        try:
            changed = os.stat(path).st_mtime
        except OSError:
            return False
        return changed > self._clock() - self._quiet


def is_open(paths: Iterable[str], proc: str = PROC) -> bool:
    """Whether another process of this user has one of the files open."""
    wanted = frozenset(paths)
    return any(link in wanted for link in _open_files(proc))


def _open_files(proc: str) -> Iterator[str]:
    own = str(os.getpid())
    for process in _names(proc):
        if process.isdecimal() and process != own:
            folder = os.path.join(proc, process, "fd")
            for name in _names(folder):
                try:
                    yield os.readlink(os.path.join(folder, name))
                except OSError:
                    continue


def _names(folder: str) -> list[str]:
    """What is in a folder; nothing for one that is gone, or not ours to look into."""
    try:
        return os.listdir(folder)
    except OSError:
        return []
