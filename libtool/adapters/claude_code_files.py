"""Files that Claude Code lays beside a session's file: sub-agents, and results too big for a row."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from libtool.adapters.base import Source

_POINTER = "<persisted-output>"
_SAVED = "Full output saved to: "
_PIECE = 4 << 10
_META = 64 << 10


class SidePath:
    """Where a session's file and its side files lie."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.stem = os.path.splitext(os.path.basename(path))[0]
        self.agent = self.stem.removeprefix("agent-") if self.stem.startswith("agent-") else ""
        """The sub-agent's id when the file is a sub-agent's."""
        above, below, _ = path.rpartition(f"{os.sep}subagents{os.sep}")
        self.folder = above if below else os.path.splitext(path)[0]
        """The session's own folder, which need not exist."""
        self.parent = os.path.basename(above)
        """The session that a sub-agent's file lies under; empty for others."""
        self._agent_files: dict[str, bool] = {}

    def has_agent_file(self, agent: str) -> bool:
        """Whether a sub-agent of this session has a transcript of its own."""
        if agent not in self._agent_files:
            name = f"agent-{agent}.jsonl"
            places = (os.path.join(self.folder, "subagents", name), os.path.join(os.path.dirname(self.path), name))
            self._agent_files[agent] = "\0" not in name and os.sep not in agent and any(map(os.path.exists, places))
        return self._agent_files[agent]


class ToolResults:
    """Results that a row only points to."""

    def __init__(self, path: SidePath, source: Source) -> None:
        self._folder = os.path.join(path.folder, "tool-results")
        self._home = source.home

    def whole(self, text: str) -> str:
        """The first and last 4 KiB of the file that a result points to; the text itself when it points to none of this session's."""
        if not text.startswith(_POINTER):
            return text
        name = text[:4096].partition(_SAVED)[2].partition("\n")[0].strip().replace("\\", "/").rpartition("/")[2]
        real = os.path.realpath(os.path.join(self._folder, name)) if name and "\0" not in name else ""
        inside = os.path.realpath(self._folder)
        if os.path.dirname(real) != inside or (self._home and not inside.startswith(os.path.join(os.path.realpath(self._home), ""))):
            return text
        try:
            return _ends(real)
        except OSError:
            return text


def agent_facts(path: SidePath) -> dict[str, str]:
    """Type and task of a sub-agent, from the `.meta.json` beside its file: `agentType`, `description`; empty when there is none."""
    if not path.agent:
        return {}
    try:
        with open(os.path.splitext(path.path)[0] + ".meta.json", "rb") as file:
            meta = orjson.loads(file.read(_META))
    except (OSError, orjson.JSONDecodeError):
        return {}
    facts = meta if isinstance(meta, dict) else {}
    return {key: value for key in ("agentType", "description") if isinstance(value := facts.get(key), str)}


def _ends(path: str) -> str:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        data = file.read(2 * _PIECE if size <= 2 * _PIECE else _PIECE)
        if size > 2 * _PIECE:
            file.seek(size - _PIECE)
            data += b"\n[...]\n" + file.read(_PIECE)
    return data.decode("utf-8", "replace").replace("\x00", "")
