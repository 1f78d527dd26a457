"""The marks by which agents themselves say that a session is open: a file that names a process.

A killed agent leaves it, so whether the process runs is asked too.
"""

from __future__ import annotations

import glob
import json
import os
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_MARKS = {
    "claude-code": ("sessions/*.json",),
    "copilot-cli": ("session-state/*/inuse.*.lock",),
    "qwen-code": ("projects/*/chats/*.runtime.json",),
}
"""By agent: patterns below the root of its place."""
_LARGEST = 1 << 16
_IN_NAME = re.compile(r"\.(\d+)\.lock")


def live_sessions(agent: str, root: str, is_running: Callable[[int], bool]) -> set[str]:
    """Ids of the agent's sessions that a running process has open, by its marks below the root of a place."""
    return {name for pattern in _MARKS.get(agent, ()) for name, process in _marks(root, pattern) if name and is_running(process)}


def _marks(root: str, pattern: str) -> Iterator[tuple[str, int]]:
    """(id of the session, process) of each mark."""
    for path in glob.iglob(os.path.join(glob.escape(root), pattern)):
        named = _IN_NAME.search(path)
        if named:
            yield os.path.basename(os.path.dirname(path)), int(named[1])
            continue
        facts = _facts(path)
        process = facts.get("pid")
        if isinstance(process, int) and process > 0:
            yield str(facts.get("sessionId") or facts.get("session_id") or ""), process


def _facts(path: str) -> dict[str, Any]:
    """The object in a mark; empty for what is none."""
    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(_LARGEST))
    except (OSError, ValueError):
        return {}
    return value if isinstance(value, dict) else {}
