"""Codex forks hold no history of their own: `history_base` names another rollout and how far it counts."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from libtool.adapters.base import Source

_THREAD = re.compile(r"[0-9A-Za-z-]{8,64}", re.ASCII)
_FOLDERS = ("sessions", "archived_sessions")
_INDEX = 1 << 20
MAX_DEPTH = 8
"""How many bases may lie behind one another."""


@dataclass(frozen=True, slots=True)
class Base:
    """The part of another rollout that comes before a fork's own rows."""

    thread: str
    ordinal: int | None
    """Rows from this ordinal on do not count."""
    offset: int | None
    """Rows from this byte on do not count; only asked where rows have no ordinals."""

    def ends(self, row: dict[str, Any], offset: int) -> bool:
        """Whether a row, at this byte offset, lies behind the point of the fork."""
        ordinal = row.get("ordinal")
        if self.ordinal is not None and isinstance(ordinal, int):
            return ordinal >= self.ordinal
        return self.offset is not None and offset >= self.offset


def base_of(meta: dict[str, Any]) -> Base | None:
    """The base that a session_meta payload names, if any."""
    base = meta.get("history_base")
    if not isinstance(base, dict):
        return None
    thread, ordinal, offset = base.get("thread_id"), base.get("end_ordinal_exclusive"), base.get("end_byte_offset")
    if not isinstance(thread, str) or not _THREAD.fullmatch(thread):
        return None
    return Base(thread, _number(ordinal), _number(offset))


def find(source: Source, thread: str) -> str:
    """The path of a thread's rollout, below `source.home` (else beside the file that is read); empty when there is none."""
    end = f"-{thread}.jsonl"
    roots = [os.path.join(source.home, folder) for folder in _FOLDERS] if source.home else [os.path.dirname(source.path)]
    for root in roots:
        for folder, _, names in os.walk(root):
            for name in names:
                if name.endswith(end):
                    return os.path.join(folder, name)
    return ""


def title_of(source: Source, thread: str) -> str:
    """The title that `session_index.jsonl` (the last megabyte of it) gives a thread last; empty when it gives none."""
    if not source.home:
        return ""
    try:
        with open(os.path.join(source.home, "session_index.jsonl"), "rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _INDEX))
            lines = [line for line in file.read(_INDEX).splitlines() if thread.encode("utf-8", "replace") in line]
    except OSError:
        return ""
    for line in reversed(lines):
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError:
            continue
        if isinstance(row, dict) and row.get("id") == thread and isinstance(row.get("thread_name"), str):
            return str(row["thread_name"]).strip()
    return ""


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
