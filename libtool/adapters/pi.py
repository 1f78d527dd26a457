"""pi: `~/.pi/agent/sessions/--<cwd>--/<time>_<id>.jsonl`, append-only, versions 1 (linear) to 3 (a tree by id and parentId).

A file may hold several branches. All of them were said, so entries are delivered in file order, each once: that is the order in which
the person worked. Copies of a forked history are in the new file (`parentSession` says whose).
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Place
from libtool.adapters.documents import dict_of, dicts_of, text_of, type_name
from libtool.adapters.lines import json_rows
from libtool.adapters.shapes import head_rows, utc
from libtool.domain.session import ASSISTANT, CALL, HUMAN, RESULT, SUMMARY, THINKING, TITLE, Record, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from libtool.adapters.base import Source

_SILENT = frozenset({"thinking_level_change", "custom", "custom_message", "label"})
_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution"})
_SKILL_OPEN = '<skill name="'
_SKILL_CLOSE = "\n</skill>"
_MESSAGE = b'{"type":"message"'
"""Behind the head of a line, a message that was glued to an entry that was cut."""
_DATE = re.compile(r"\d{4}-\d\d-\d\d")
_EXIT = re.compile(r"Command exited with code (-?\d+)\s*\Z")
_TAIL = 80
"""How far from its end a result says how the command exited, in characters."""
# Entries that hold nothing wanted; anchored at the key that pi writes first, and not on a line that may hold two objects.
_DROP = re.compile(rb'\s*\{\s*"type"\s*:\s*"(?:thinking_level_change|custom|custom_message|label)"')


class Pi(Adapter):
    """Adapter of pi's session files."""

    agent = "pi"

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:
        """`~/.pi/agent` or PI_CODING_AGENT_DIR; PI_CODING_AGENT_SESSION_DIR moves the sessions alone."""
        root = env.get("PI_CODING_AGENT_DIR") or os.path.join(home, ".pi", "agent")
        places = [Place(root, ("sessions/*/*.jsonl",))]
        if sessions := env.get("PI_CODING_AGENT_SESSION_DIR"):
            places.append(Place(sessions, ("*.jsonl", "*/*.jsonl")))
        return places

    def sniff(self, head: bytes, path: str) -> bool:  # noqa: ARG002 - the content decides
        """A header row `session` with id, time and folder; where it is lost, a message."""
        return any(_is_header(row) or _is_message(row) for row in head_rows(head))

    def reader(self, path: str, state: dict[str, Any] | None) -> PiReader:
        """A reader, new or resumed."""
        return PiReader(path, state)


class PiReader:
    """Reads one session file."""

    def __init__(self, path: str, state: dict[str, Any] | None) -> None:
        saved = dict_of(dict_of(state).get("session"))
        self._session = Session(**saved) if saved else Session(Pi.agent, _id_in_name(path))

    def state(self) -> dict[str, Any] | None:
        """The session's facts: entries stand for themselves."""
        return {"session": self._session.to_json()}

    def read(self, source: Source) -> Iterator[Record]:
        """Yield the records of all branches in file order."""
        for _, row in json_rows(source, _needless):
            kind = text_of(row.get("type"))
            time = utc(row.get("timestamp"))
            self._session.saw(time)
            if kind == "message":
                yield from self._message(dict_of(row.get("message")), time, source)
            elif kind in {"compaction", "branch_summary"}:
                yield from self._said(SUMMARY, text_of(row.get("summary")), time)
            elif kind == "session":
                self._header(row)
            elif kind == "model_change":
                self._session.model = text_of(row.get("modelId")) or self._session.model
            elif kind == "session_info":
                yield from self._title(text_of(row.get("name")).strip(), time)
            elif kind not in _SILENT:
                source.tally.unknown[type_name(row.get("type"))] += 1

    def _header(self, row: dict[str, Any]) -> None:
        session = self._session
        session.id = text_of(row.get("id")) or session.id
        session.cwd = session.cwd or text_of(row.get("cwd"))
        session.model = session.model or text_of(row.get("modelId"))
        session.forked_from = session.forked_from or _id_in_name(text_of(row.get("parentSession")) or text_of(row.get("branchedFrom")))

    def _title(self, name: str, time: str) -> Iterator[Record]:
        if name and name != self._session.title:
            self._session.title = name
            yield Record(self._session, TITLE, name, time)

    def _said(self, kind: str, text: str, time: str) -> Iterator[Record]:
        if text.strip():
            yield Record(self._session, kind, text, time)

    def _message(self, message: dict[str, Any], time: str, source: Source) -> Iterator[Record]:
        role = text_of(message.get("role"))
        if role == "user":
            yield from self._said(HUMAN, _typed(_text(message.get("content"))), time)
        elif role == "assistant":
            self._session.model = text_of(message.get("model")) or self._session.model
            yield from self._assistant(message.get("content"), time)
        elif role == "toolResult":
            text = _text(message.get("content"))
            failed = message.get("isError") is True or _exited_badly(text)
            made = text_of(message.get("toolCallId"))
            yield Record(self._session, RESULT, text, time, text_of(message.get("toolName")), failed=failed, call=made)
        elif role == "bashExecution":
            yield Record(self._session, CALL, time=time, tool="bash", input={"command": text_of(message.get("command"))})
            failed = message.get("cancelled") is True or message.get("exitCode") not in (0, None)
            yield Record(self._session, RESULT, text_of(message.get("output")), time, "bash", failed=failed)
        elif role in {"branchSummary", "compactionSummary"}:
            yield from self._said(SUMMARY, text_of(message.get("summary")), time)
        elif role not in {"custom", "hookMessage"}:
            source.tally.unknown[type_name(f"message {role}".rstrip())] += 1

    def _assistant(self, content: object, time: str) -> Iterator[Record]:
        if isinstance(content, str):
            yield from self._said(ASSISTANT, content, time)
        for block in dicts_of(content):
            kind = block.get("type")
            if kind == "text":
                yield from self._said(ASSISTANT, text_of(block.get("text")), time)
            elif kind == "thinking":
                yield from self._said(THINKING, text_of(block.get("thinking")), time)
            elif kind == "toolCall":
                name, made = text_of(block.get("name")), text_of(block.get("id"))
                yield Record(self._session, CALL, time=time, tool=name, input=block.get("arguments"), call=made)


def _is_header(row: dict[str, Any]) -> bool:
    return row.get("type") == "session" and all(isinstance(row.get(key), str) for key in ("id", "timestamp", "cwd"))


def _is_message(row: dict[str, Any]) -> bool:
    role = text_of(dict_of(row.get("message")).get("role"))
    return row.get("type") == "message" and isinstance(row.get("timestamp"), str) and role in _ROLES


def _needless(line: bytes) -> bool:
    return _DROP.match(line) is not None and line.endswith(b"\n") and b"}{" not in line and line.find(_MESSAGE, 1) < 0


def _id_in_name(path: str) -> str:
    """The id at the end of a session file's name, also of another system's path."""
    name = path.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")
    # Only behind a time: a part of any other name could be a part of a login, which no redactor would know.
    time, _, own = name.partition("_")
    return own if own and _DATE.match(time) else name


def _text(content: object) -> str:
    """The text blocks of a message's content, joined; images are left out."""
    if isinstance(content, str):
        return content
    return "\n".join(text for block in dicts_of(content) if block.get("type") == "text" and (text := text_of(block.get("text"))))


def _typed(text: str) -> str:
    """What the person typed: a skill's body that pi put in place of the command becomes the command again."""
    if not text.startswith(_SKILL_OPEN):
        return text
    name = text[len(_SKILL_OPEN) :].partition('"')[0]
    end = text.find(_SKILL_CLOSE)
    while end >= 0:
        rest = text[end + len(_SKILL_CLOSE) :]
        if not rest.strip() or rest.startswith("\n\n"):
            return f"/skill:{name} {rest.strip()}".rstrip()
        end = text.find(_SKILL_CLOSE, end + 1)
    return text


def _exited_badly(text: str) -> bool:
    found = _EXIT.search(text[-_TAIL:])
    return found is not None and int(found[1]) != 0
