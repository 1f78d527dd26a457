"""Claude Code rows as raw bytes: which need no parsing, and what of the others.

Quotes inside JSON strings are escaped, so a pattern such as `,"toolUseResult":` is never text, always structure. Rows written with
spaces after the colons (by other programs) do not match and are parsed whole.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import orjson

from libtool.adapters.shapes import head_rows

if TYPE_CHECKING:
    from collections.abc import Container

IGNORED = frozenset(
    "agent-color api-request api-request-blob api-request-shape atis-latch attribution-snapshot bridge-session content-replacement "
    "cost-state file-history-delta file-history-snapshot frame-link last-prompt marble-origami-commit marble-origami-snapshot mode "
    "permission-mode speculation-accept tag task-summary tools-used worktree-state".split()
)
"""Row types without anything of the conversation (or with a copy of it)."""

_IGNORED_RAW = frozenset(name.encode() for name in IGNORED)
_TYPE = b'{"type":"'
_ATTACHMENT = b'"attachment":{"type":"'
_PROGRESS = b'"type":"progress","data":{"type":"'
_GLUED = re.compile(rb'\}\{"').search
_ROW = b'{"parentUuid":'
"""Begins a message: behind the head of a line, one that was glued to a row that was cut."""
_DUPLICATE = b',"toolUseResult":'
_BY_USER = b'"role":"user"'
_CUT_ROW = re.compile(rb'(?:[^\n]{0,4000}\n){0,40}?(?:\xef\xbb\xbf)?\{"parentUuid":[^\n]{0,270}"isSidechain":')


def skip(line: bytes) -> bool:
    """Whether a raw line cannot hold anything wanted: a row of an ignored type, an attachment other than a queued prompt, progress."""
    if line.startswith(_TYPE):
        drop = line[9 : line.find(b'"', 9, 60)] in _IGNORED_RAW
    else:
        at = line.find(_ATTACHMENT, 0, 200)
        if at >= 0:
            drop = line[at + 22 : at + 37] != b'queued_command"'
        else:
            at = line.find(_PROGRESS, 0, 1200)
            drop = at >= 0 and line[at + 33 : at + 48] != b'agent_progress"'
        drop = drop and line.find(b'"message":', 0, at) < 0
    return drop and not _GLUED(line) and line.find(_ROW, 1) < 0


def load(line: bytes, wanted: Container[str]) -> object:
    """Parse a line, leaving out the second copy of a tool's result, unless the tool call's id is wanted whole.

    Raises orjson.JSONDecodeError as `orjson.loads` does.
    """
    if line.find(_BY_USER, 0, 800) < 0 or (at := line.find(_DUPLICATE)) < 0 or _GLUED(line, at):
        return orjson.loads(line)
    try:
        row = orjson.loads(line[:at] + b"}")
    except orjson.JSONDecodeError:
        return orjson.loads(line)
    for block in blocks(row):
        if isinstance(block, dict) and isinstance(name := block.get("tool_use_id"), str) and name in wanted:
            return orjson.loads(line)
    return row


def blocks(row: object) -> list[Any]:
    """The content blocks of a user or assistant row; a plain text is one text block."""
    message = row.get("message") if isinstance(row, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def known(head: bytes) -> bool:
    """Whether a piece of a file holds a row of Claude Code, or begins with one that it cuts off."""
    if _CUT_ROW.match(head):
        return True
    return any(map(_known_row, head_rows(head)))


def _known_row(row: dict[str, Any]) -> bool:
    """Whether a row is Claude Code's, and no other agent's."""
    kind = row.get("type")
    if not isinstance(kind, str):
        return False
    message = row.get("message")
    if kind in {"user", "assistant"} and isinstance(message, dict):
        return "content" in message and ("sessionId" in row or "uuid" in row)
    if kind in {"attachment", "progress"}:
        return "parentUuid" in row and ("attachment" in row or "data" in row)
    if kind in {"queue-operation", "ai-title", "custom-title", "agent-name", "pr-link"} or kind in IGNORED:
        return "sessionId" in row or ("messageId" in row and "snapshot" in row)
    if kind == "summary":
        return "leafUuid" in row
    return kind == "system" and "parentUuid" in row and "isSidechain" in row and "systemPayload" not in row
