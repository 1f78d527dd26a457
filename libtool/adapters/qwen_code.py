"""Qwen Code: `~/.qwen/projects/<cwd>/chats/<id>.jsonl`, append-only rows around Gemini-shaped messages.

A sub-agent's chat lies in `projects/<cwd>/subagents/<parent>/agent-<agentId>.jsonl` beside a `.meta.json`; its rows name the parent's
session, so its own id here is `<parent>/<agentId>`. A fork copies all rows into a new file and marks each `forkedFrom`. A rewind and a
compression remove nothing. Formats as in qwen-code's `chatRecordingService.ts`, seen with 0.24.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Place
from libtool.adapters.documents import dict_of, dicts_of, text_of, type_name
from libtool.adapters.lines import json_rows
from libtool.adapters.qwen_tools import Tools
from libtool.adapters.shapes import head_rows, utc
from libtool.domain.session import ASSISTANT, HUMAN, SUMMARY, TASK, THINKING, TITLE, Record, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from libtool.adapters.base import Source

_FIELD = rb'"[A-Za-z_]{1,30}"\s*:\s*(?:"[^"\\]{0,500}"|null|true|false)\s*,\s*'
# Rows of telemetry and file states. Anchored: only the fields before the message are looked at, so a text cannot look like one.
_DROP = re.compile(
    rb"\s*\{\s*(?:" + _FIELD + rb'){0,20}?"type"\s*:\s*"system"\s*,\s*(?:' + _FIELD + rb"){0,20}?"
    rb'"subtype"\s*:\s*"(?:ui_telemetry|attribution_snapshot|file_history_snapshot)"'
)
_ROW = b'{"uuid":"'
"""Begins a row: behind the head of a line, one that was glued to a row that was cut."""
_CUT_ROW = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"uuid"\s*:\s*"[^"\\]{1,100}"\s*,\s*"parentUuid"\s*:')
_SILENT = frozenset(
    "ui_telemetry attribution_snapshot file_history_snapshot session_notes session_execution_engine omni_recall"
    " session_approval_mode rewind agent_bootstrap agent_retry agent_session_ready user_text_elements session_artifact_event"
    " session_artifact_snapshot session_sources_snapshot branch_checkpoint goal_state goal_runtime goal_turn_end realtime_message"
    " turn_result managed_session_header_v1 managed_session_event_v1 managed_session_commit_v1 notification background_task_completed"
    " cron".split()
)
_FACTS = {
    "parent_session": ("parent", "parentSessionId"),
    "session_source": ("origin", "sourceType"),
    "session_model": ("model", "modelId"),
}
"""System rows that tell one fact: the session's field, the payload's key."""
_TYPED = frozenset({"", "mid_turn_user_message"})
"""Subtypes of user rows that a person typed; all others (notification, cron, goal_runtime ...) are the client's."""
_CONTEXT = ("<qwen:user-prompt-submit-context>", "<system-reminder>")
"""How parts of a prompt begin that hooks and the client added."""
_MID_TURN = "[User message received during tool execution]: "
_SNAPSHOT = "<state_snapshot>"
_MOST_COMMAND = 50_000
"""Longest command that is kept for its prompt, in characters."""
_SIDE_FILE = 1 << 20
"""Largest meta file that is read, in bytes."""


class QwenCode(Adapter):
    """Adapter of Qwen Code's chats."""

    agent = "qwen-code"

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:
        """`~/.qwen` or QWEN_HOME; QWEN_RUNTIME_DIR moves the chats."""
        root = env.get("QWEN_RUNTIME_DIR") or env.get("QWEN_HOME") or os.path.join(home, ".qwen")
        return [Place(root, ("projects/*/chats/*.jsonl", "projects/*/subagents/*/*.jsonl"))]

    def sniff(self, head: bytes, path: str) -> bool:  # noqa: ARG002 - the content decides
        """Rows with a uuid and a session, around a message of parts or a system payload."""
        if any(map(_is_row, head_rows(head))):
            return True
        # A first prompt of more than the head: no row is whole.
        return _CUT_ROW.match(head) is not None and b'"message":{"role":"user","parts":[' in head

    def reader(self, path: str, state: dict[str, Any] | None) -> QwenReader:
        """A reader, new or resumed."""
        return QwenReader(path, state)

    def side_files(self, path: str) -> tuple[str, ...]:
        """A sub-agent's meta file."""
        meta = _meta_path(path)
        return (meta,) if meta else ()


class QwenReader:
    """Reads one chat."""

    def __init__(self, path: str, state: dict[str, Any] | None) -> None:
        kept = dict_of(state)
        self._meta = _meta_path(path)
        self._named = kept.get("named") is True
        facts = dict_of(kept.get("session"))
        self._session = Session(**facts) if facts else Session(QwenCode.agent, os.path.basename(path).removesuffix(".jsonl") or "unknown")
        self._command = text_of(kept.get("command"))
        """What the person typed, when the user row that follows holds the body of a slash command or of referenced files."""
        self._tools = Tools(self._session, dict_of(kept.get("open")))

    def state(self) -> dict[str, Any] | None:
        """Facts, calls without a result, and a command whose prompt has not come."""
        return {"named": self._named, "session": self._session.to_json(), "command": self._command, "open": self._tools.open}

    def read(self, source: Source) -> Iterator[Record]:
        """Yield the records in file order."""
        for _, row in json_rows(source, _needless):
            if not self._named:
                self._named = True
                self._identify(row)
            time = utc(row.get("timestamp"))
            self._facts(row, time)
            kind = text_of(row.get("type"))
            parts = dicts_of(dict_of(row.get("message")).get("parts"))
            if kind == "user":
                yield from self._user(row, parts, time)
            elif kind == "assistant":
                self._session.model = text_of(row.get("model")) or self._session.model
                yield from self._assistant(parts, time)
            elif kind == "tool_result":
                yield from self._tools.results(parts, dict_of(row.get("toolCallResult")), time)
            elif kind == "system":
                yield from self._system(row, time, source)
            else:
                source.tally.unknown[type_name(row.get("type"))] += 1

    def _identify(self, row: dict[str, Any]) -> None:
        session = self._session
        session.id = text_of(row.get("sessionId")) or session.id
        session.forked_from = text_of(dict_of(row.get("forkedFrom")).get("sessionId"))
        agent = text_of(row.get("agentId"))
        if agent and row.get("isSidechain") is True:
            session.subagent, session.parent, session.id = True, session.id, f"{session.id}/{agent}"
            meta = _small_json(self._meta)
            session.title = text_of(meta.get("description"))
            if above := text_of(meta.get("parentAgentId")):
                session.parent = f"{session.parent}/{above}"

    def _facts(self, row: dict[str, Any], time: str) -> None:
        session = self._session
        session.saw(time)
        session.cwd = session.cwd or text_of(row.get("cwd"))
        session.branch = text_of(row.get("gitBranch")) or session.branch
        session.version = text_of(row.get("version")) or session.version

    def _user(self, row: dict[str, Any], parts: list[dict[str, Any]], time: str) -> Iterator[Record]:
        subtype = text_of(row.get("subtype"))
        text = _prompt(row, parts)
        if self._session.subagent:
            if text.strip() and subtype in {"", "agent_launch_prompt"} and row.get("externalInputKind") != "notification":
                yield Record(self._session, TASK, text, time)
        elif subtype in _TYPED and row.get("provenance", "real_user") == "real_user":
            if self._command and not subtype:
                if self._command.startswith("/") or text.startswith(self._command.partition("@")[0]):
                    text = self._command
                self._command = ""
            if text.strip():
                yield Record(self._session, HUMAN, text, time)

    def _keep(self, command: object) -> None:
        text = text_of(command).strip()
        self._command = text if len(text) <= _MOST_COMMAND else ""

    def _assistant(self, parts: list[dict[str, Any]], time: str) -> Iterator[Record]:
        for part in parts:
            if "functionCall" in part:
                yield from self._tools.call(dict_of(part["functionCall"]), time)
            elif (text := text_of(part.get("text"))).strip():
                yield Record(self._session, THINKING if part.get("thought") is True else ASSISTANT, text, time)

    def _system(self, row: dict[str, Any], time: str, source: Source) -> Iterator[Record]:
        subtype = text_of(row.get("subtype"))
        payload = dict_of(row.get("systemPayload"))
        if subtype == "chat_compression":
            if summary := _snapshot(payload.get("compressedHistory")):
                yield Record(self._session, SUMMARY, summary, time)
        elif subtype == "slash_command":
            if payload.get("phase") == "invocation" and payload.get("sentToModel") is True:
                self._keep(payload.get("rawCommand"))
        elif subtype == "at_command":
            self._keep(payload.get("userText") if payload.get("status") == "success" else "")
        elif subtype == "custom_title":
            title = text_of(payload.get("customTitle")).strip()
            if title and title != self._session.title:
                self._session.title = title
                yield Record(self._session, TITLE, title, time)
        elif subtype in _FACTS:
            field, key = _FACTS[subtype]
            setattr(self._session, field, text_of(payload.get(key)) or getattr(self._session, field))
        elif subtype not in _SILENT:
            source.tally.unknown[type_name(f"system {subtype}".rstrip())] += 1


def _is_row(row: dict[str, Any]) -> bool:
    known = isinstance(row.get("message"), dict) and isinstance(row["message"].get("parts"), list)
    return isinstance(row.get("uuid"), str) and isinstance(row.get("sessionId"), str) and (known or "systemPayload" in row)


def _needless(line: bytes) -> bool:
    return _DROP.match(line) is not None and line.endswith(b"\n") and b"}{" not in line and line.find(_ROW, 1) < 0


def _prompt(row: dict[str, Any], parts: list[dict[str, Any]]) -> str:
    """What was typed: the display text, or the parts without hooks' context."""
    shown = text_of(dict_of(row.get("systemPayload")).get("displayText"))
    if shown:
        return shown
    texts = [text for part in parts if (text := text_of(part.get("text"))) and not text.startswith(_CONTEXT)]
    return "\n".join(texts).lstrip("\n").removeprefix(_MID_TURN)


def _snapshot(history: object) -> str:
    """The summary in a compressed history; the rest of it repeats messages."""
    for message in dicts_of(history):
        for part in dicts_of(message.get("parts")):
            _, found, rest = text_of(part.get("text")).partition(_SNAPSHOT)
            if found:
                return rest.partition("</state_snapshot>")[0].strip()
    return ""


def _meta_path(path: str) -> str:
    """Where the meta file of a sub-agent's chat lies; empty for other chats."""
    inside = os.path.basename(os.path.dirname(os.path.dirname(path))) == "subagents"
    return path.removesuffix(".jsonl") + ".meta.json" if inside else ""


def _small_json(path: str) -> dict[str, Any]:
    """The object in a side file; empty when there is none."""
    if not path or not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        try:
            return dict_of(json.loads(file.read(_SIDE_FILE)))
        except (ValueError, RecursionError):
            return {}
