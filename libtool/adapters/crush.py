"""Crush: the database `.crush/crush.db` of a project.

Its tables hold sessions (a sub-agent's names its parent), messages with their parts as one JSON list of `{type, data}`, and versions of
files, which are no conversation. Source: the migrations and message types of charmbracelet/crush, 2025-04 to 2026-09.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Tally, Whole
from libtool.adapters.documents import dict_of, dicts_of, from_millis, parse_document, text_of, type_name
from libtool.domain.session import ASSISTANT, CALL, HUMAN, RESULT, SUMMARY, TASK, THINKING, TITLE, Record, Session

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from libtool.adapters.base import Reader, Source

_FOLDER, _NAME = ".crush", "crush.db"
_SQLITE = b"SQLite format 3\x00"
_TABLES = tuple(re.compile(rb"CREATE TABLE [`\"]?" + name + rb"[`\"]?\s*\(") for name in (b"sessions", b"messages", b"files"))
_COLUMNS = (b"parent_session_id", b"parts ")
_FIRST_MILLIS = 100_000_000_000
"""Times are stored in seconds; its own comments once said milliseconds. A smaller number is of seconds."""
_PLACEHOLDERS = frozenset({"New Session", "Untitled Session", "New Agent Session"})
_RESUMED = re.compile(r"The previous session was interrupted because it [^`\n]{0,120}the initial user request was: `", re.IGNORECASE)
"""Begins what Crush itself writes as a user's message behind a compaction: the rest repeats a prompt that stands above."""
_AGENTS = frozenset({"agent", "agentic_fetch"})
"""Tools that run a sub-agent: the result is its report."""
_ECHOES = frozenset({"todos"})
"""Tools whose output repeats their input."""
_NOT_DONE = re.compile(r"(?:^|\n)(?:Exit code [1-9]\d*|Command was aborted before completion)(?:\n\n<cwd>[^\n]*</cwd>)?\s*\Z")

_MESSAGES = """
SELECT s.rowid, m.rowid FROM sessions s JOIN messages m ON m.session_id = s.id ORDER BY s.created_at, s.rowid, m.created_at, m.rowid"""
"""Only numbers are sorted. Several messages have the same second: they were written in the order of their rows."""


class Crush(Adapter):
    """Adapter of Crush."""

    agent = "crush"
    project_patterns: tuple[str, ...] = (f"{_FOLDER}/{_NAME}",)

    def sniff(self, head: bytes, path: str) -> bool:
        """A SQLite file with Crush's tables."""
        if not head.startswith(_SQLITE):
            return False
        known = all(table.search(head) for table in _TABLES) and all(column in head for column in _COLUMNS)
        # In WAL mode the tables may still be in the -wal alone: then the name decides.
        return known or os.path.basename(path) == _NAME

    def reader(self, path: str, state: dict[str, Any] | None) -> Reader:  # noqa: ARG002 - read whole
        """A reader; any state is ignored: rows are rewritten while the model answers."""
        return Whole(_records)

    def side_files(self, path: str) -> tuple[str, ...]:
        """The `-wal`."""
        return (path + "-wal",)


def _records(source: Source) -> Iterator[Record]:
    """Records in order of session and message. A database that cannot be read is a note in the tally."""
    from libtool.adapters.sqlite_copy import copied_records  # noqa: PLC0415 - 5 ms that a machine without one need not pay

    return copied_records(source, _rows)


def _rows(connection: sqlite3.Connection, source: Source) -> Iterator[Record]:
    """Stream the messages in order; one is in memory at a time."""
    conversation: _Conversation | None = None
    session_row = None
    for this_session, message_row in connection.execute(_MESSAGES):
        if conversation is None or this_session != session_row:
            session_row = this_session
            conversation = _Conversation(_row(connection, "sessions", this_session), source)
            yield from conversation.begin()
        yield from conversation.message(_row(connection, "messages", message_row))


def _row(connection: sqlite3.Connection, table: str, row: int) -> dict[str, Any]:
    """The columns of a row by name: which there are depends on the version. Texts are bytes."""
    cursor = connection.execute(f"SELECT * FROM {table} WHERE rowid = ?", (row,))  # noqa: S608 - a name of ours
    return dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))


class _Conversation:
    """Turns the messages of one session into records."""

    def __init__(self, row: dict[str, Any], source: Source) -> None:
        self.tally = source.tally
        self.session = Session(Crush.agent, _decoded(row["id"]) or "unknown")
        self.session.parent = _decoded(row.get("parent_session_id"))
        self.session.subagent = bool(self.session.parent)
        self.session.cwd = _project(source.path)
        title = _decoded(row.get("title")).strip()
        self.session.title = "" if title in _PLACEHOLDERS else title
        self.created = _moment(row.get("created_at"))
        self.summary = row.get("summary_message_id")
        """Id of the last compaction; earlier ones are told by a column that older versions do not have."""
        self.from_model = self.is_summary = False
        self.time = ""
        self.tools: dict[str, str] = {}

    def begin(self) -> Iterator[Record]:
        """The title, unless it is the placeholder of a new session."""
        self.session.saw(self.created)
        if self.session.title:
            yield Record(self.session, TITLE, self.session.title, self.created)

    def message(self, row: dict[str, Any]) -> Iterator[Record]:
        """The records of one message."""
        role = _decoded(row.get("role"))
        if role not in ("user", "assistant", "tool", "system"):
            self.tally.unknown[type_name(role)] += 1
            return
        self.from_model = role == "assistant"
        self.is_summary = row.get("is_summary_message") == 1 or (row["id"] is not None and row["id"] == self.summary)
        self.time = _moment(row.get("created_at"))
        self.session.saw(self.time)
        self.session.model = _decoded(row.get("model")) or self.session.model
        stored = row.get("parts")
        parts = dicts_of(parse_document(stored, self.tally)) if isinstance(stored, bytes) else []
        if role == "user" and (typed := "\n".join(filter(None, map(_typed, parts)))):
            yield Record(self.session, TASK if self.session.subagent else HUMAN, typed, self.time)
        for part in parts:
            kind = part.get("type")
            handle = _PARTS.get(kind) if isinstance(kind, str) else None
            if handle is None:
                self.tally.unknown[type_name(kind)] += 1
            else:
                yield from handle(self, dict_of(part.get("data")))

    def text(self, data: dict[str, Any]) -> Iterator[Record]:
        if self.from_model and (text := text_of(data.get("text"))).strip():
            yield Record(self.session, SUMMARY if self.is_summary else ASSISTANT, text, self.time)

    def reasoning(self, data: dict[str, Any]) -> Iterator[Record]:
        if text := text_of(data.get("thinking")):
            yield Record(self.session, THINKING, text, self.time)

    def tool_call(self, data: dict[str, Any]) -> Iterator[Record]:
        """A call: its input is JSON as text, cut off when the model was stopped."""
        call, name, given = text_of(data.get("id")), text_of(data.get("name")), text_of(data.get("input"))
        self.tools[call] = name
        parsed = parse_document(given.encode(), Tally())
        yield Record(self.session, CALL, "", self.time, name, parsed if isinstance(parsed, dict) else given, call=call)

    def tool_result(self, data: dict[str, Any]) -> Iterator[Record]:
        call, text = text_of(data.get("tool_call_id")), text_of(data.get("content"))
        name = text_of(data.get("name")) or self.tools.get(call, "")
        failed = data.get("is_error") is True
        if name in _AGENTS and not failed:
            yield Record(self.session, SUMMARY, text, self.time, name, call=call)
        elif failed or name not in _ECHOES:
            failed = failed or (name == "bash" and _NOT_DONE.search(text) is not None)
            yield Record(self.session, RESULT, text, self.time, name, failed=failed, call=call)

    def shell_command(self, data: dict[str, Any]) -> Iterator[Record]:
        """A command that the person ran with `!`."""
        yield Record(self.session, CALL, "", self.time, "bash", {"command": text_of(data.get("command"))})
        if text := text_of(data.get("output")):
            yield Record(self.session, RESULT, text, self.time, "bash", failed=data.get("exit_code") not in (None, 0))

    def finish(self, data: dict[str, Any]) -> Iterator[Record]:
        self.session.saw(_moment(data.get("time")))
        yield from ()

    def nothing(self, data: dict[str, Any]) -> Iterator[Record]:  # noqa: ARG002 - one shape for all handlers
        yield from ()


_PARTS: dict[str, Callable[[_Conversation, dict[str, Any]], Iterator[Record]]] = {
    "text": _Conversation.text,
    "reasoning": _Conversation.reasoning,
    "tool_call": _Conversation.tool_call,
    "tool_result": _Conversation.tool_result,
    "shell_command": _Conversation.shell_command,
    "finish": _Conversation.finish,
    "image_url": _Conversation.nothing,
    "binary": _Conversation.nothing,
}


def _typed(part: dict[str, Any]) -> str:
    """What the person typed of one part of a user's message; empty for what Crush itself wrote there."""
    data = dict_of(part.get("data"))
    text = text_of(data.get("text")) if part.get("type") == "text" and data.get("hidden") is not True else ""
    return "" if not text.strip() or _RESUMED.match(text) else text


def _decoded(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _moment(value: object) -> str:
    """Seconds or milliseconds since 1970 as RFC 3339 in UTC; empty when it is no such number."""
    if type(value) is int and value < _FIRST_MILLIS:
        value *= 1000
    return from_millis(value)


def _project(path: str) -> str:
    """The folder whose `.crush` holds the database; empty for one that lies elsewhere."""
    folder, name = os.path.split(os.path.dirname(path))
    return os.fsencode(folder).decode("utf-8", "replace") if name == _FOLDER and os.path.isabs(folder) else ""
