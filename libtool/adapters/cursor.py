"""Cursor: agent transcripts (JSON lines, earlier a text form) and the markdown of its "Export" command.

None of them states an id or times; the id is the file's name. The person's words stand inside `<user_query>`, after blocks of context.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Place
from libtool.adapters.documents import dict_of, file_id, read_text, text_of, type_name
from libtool.adapters.lines import json_rows
from libtool.adapters.shapes import head_rows
from libtool.domain.session import ASSISTANT, CALL, HUMAN, RESULT, TASK, THINKING, TITLE, Record, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from libtool.adapters.base import Source

_ROW = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"role"\s*:\s*"(?:user|assistant)"\s*,\s*"message"\s*:\s*\{')
_TEXT_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*user:\r?\n")
_TEXT_SIGNS = re.compile(rb"^(?:<user_query>|assistant:|\[Tool call\] )", re.MULTILINE)
_EXPORT_HEAD = re.compile(rb"(?:\xef\xbb\xbf)?\s*# [^\n]*\n+_Exported on [^\n]{1,80} from Cursor \(")
_EXPORTED = re.compile(r"_Exported on .{1,80} from Cursor \(([^)]*)\)_\s*")
_QUERY, _QUERY_END = "<user_query>", "</user_query>"
_CONTEXT = re.compile(
    r"<(external_links|attached_files|user_info|system_reminder|system-reminder|open_and_recently_viewed_files|git_status|rules|agent_skills"
    r"|additional_data|timestamp|project_layout|agent_transcripts|mcp_[a-z_]+|image_files|cursor_commands|manually_attached_skills"
    r"|agent_requestable_workspace_rules|always_applied_workspace_rules)\b[^>]*>.*?(?:</\1>|\Z)",
    re.DOTALL,
)
_WORKSPACE = re.compile(r"^Workspace Path: (/[^\n]+)$", re.MULTILINE)
_HIDDEN = "[REDACTED]"
"""Stands where Cursor took the model's reasoning out."""
_TOOL_LINE = re.compile(r"\[Tool (call|result)\] ?(.*)")
_HOSTS = ("agent-transcripts/*.jsonl", "agent-transcripts/*/*.jsonl", "agent-transcripts/*/subagents/*.jsonl")


class Cursor(Adapter):
    """Adapter of Cursor's agent."""

    agent = "cursor"
    project_patterns: tuple[str, ...] = ("*cursor_*.md",)
    """The name that Cursor gives to an export."""

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:  # noqa: ARG002 - Cursor has no variable for it
        """`~/.cursor/projects/<project>/agent-transcripts`."""
        patterns = tuple(f"*/{pattern}" for pattern in (*_HOSTS, "agent-transcripts/*.txt", "agent-transcripts/*/*.txt"))
        return [Place(os.path.join(home, ".cursor", "projects"), patterns)]

    def sniff(self, head: bytes, path: str) -> bool:
        """Rows of role and message, the text form's first lines, or the export's second line."""
        if _ROW.match(head):
            return b'"sessionId"' not in head[:4096]
        if path.endswith(".jsonl") and any(map(_is_row, head_rows(head))):
            return True
        if _TEXT_HEAD.match(head):
            return _TEXT_SIGNS.search(head) is not None
        return _EXPORT_HEAD.match(head) is not None

    def reader(self, path: str, state: dict[str, Any] | None) -> CursorReader:
        """A reader; the state holds the session's facts."""
        return CursorReader(path, state)


class CursorReader:
    """Reads one transcript."""

    def __init__(self, path: str, state: dict[str, Any] | None) -> None:
        self.rows = path.endswith(".jsonl")
        self.session = Session(**state["session"]) if state else _session(path)

    def state(self) -> dict[str, Any] | None:
        """The session's facts; None for the text forms, which are read whole."""
        return {"session": self.session.to_json()} if self.rows else None

    def read(self, source: Source) -> Iterator[Record]:
        """Records in the order of the file."""
        if self.rows:
            for _, row in json_rows(source):
                yield from self._row(row, source)
            return
        text = read_text(source).lstrip()
        if text.startswith("# "):
            self.session.id = file_id(source.path)
            yield from _exported(self.session, text.split("\n"))
        else:
            yield from self._plain(text.split("\n"))

    def _row(self, row: dict[str, Any], source: Source) -> Iterator[Record]:
        role, content = row.get("role"), dict_of(row.get("message")).get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content if isinstance(content, list) else []
        if role == "user":
            yield from self._user(self._said_and_results(blocks, source))
        elif role == "assistant":
            yield from self._assistant(blocks, source)
        else:
            source.tally.unknown[type_name(role)] += 1

    def _said_and_results(self, blocks: list[Any], source: Source) -> list[str]:
        texts = [text_of(block.get("text")) for block in blocks if isinstance(block, dict) and block.get("type") == "text"]
        others = (block.get("type") for block in blocks if isinstance(block, dict) and block.get("type") not in ("text", "image"))
        for kind in set(map(type_name, others)):
            source.tally.unknown[kind] += 1
        return texts

    def _user(self, texts: list[str]) -> Iterator[Record]:
        """The person's words of one row: what stands in `<user_query>`, or all that is no block of context."""
        for text in texts:
            if not self.session.cwd and (found := _WORKSPACE.search(text)):
                self.session.cwd = found[1].strip()
        typed = "\n".join(part for part in map(_typed, texts) if part)
        if typed:
            yield Record(self.session, TASK if self.session.subagent else HUMAN, typed)

    def _assistant(self, blocks: list[Any], source: Source) -> Iterator[Record]:
        for block in blocks:
            kind = block.get("type") if isinstance(block, dict) else block
            if kind == "text":
                if text := text_of(block.get("text")).strip().removesuffix(_HIDDEN).strip():
                    yield Record(self.session, ASSISTANT, text)
            elif kind in ("thinking", "reasoning"):
                if text := text_of(block.get("thinking") or block.get("text")):
                    yield Record(self.session, THINKING, text)
            elif kind == "tool_use":
                yield Record(self.session, CALL, "", "", text_of(block.get("name")), block.get("input"))
            else:
                source.tally.unknown[type_name(kind)] += 1

    def _plain(self, lines: list[str]) -> Iterator[Record]:
        """The text form: `user:` and `assistant:` on lines of their own, tools as `[Tool call] name`."""
        role, passage = "", list[str]()
        for line in [*lines, "user:"]:
            if line.rstrip() in ("user:", "assistant:"):
                yield from self._passage(role, passage)
                role, passage = line.rstrip(), []
            elif role == "assistant:" and line.startswith("[Tool "):
                yield from self._passage(role, passage)
                passage = [line]
            else:
                passage.append(line)

    def _passage(self, role: str, lines: list[str]) -> Iterator[Record]:
        text = "\n".join(lines).strip()
        tool = _TOOL_LINE.match(text)
        if role == "user:":
            yield from self._user([text])
        elif tool and role:
            rest = text[tool.end() :].strip()
            if tool[1] == "call":
                # The arguments are indented; prose that follows a blank line is the model's.
                given, _, prose = rest.partition("\n\n")
                yield Record(self.session, CALL, "", "", tool[2].strip(), given)
                rest = prose.strip()
            elif rest:
                yield Record(self.session, RESULT, rest, "", tool[2].strip())
                rest = ""
            text = rest
        if role == "assistant:" and text.startswith("[Thinking]"):
            thought, _, text = text.removeprefix("[Thinking]").strip().partition("\n\n")
            yield Record(self.session, THINKING, thought)
        if role == "assistant:" and (text := text.strip().removesuffix(_HIDDEN).strip()):
            yield Record(self.session, ASSISTANT, text)


def _is_row(row: dict[str, Any]) -> bool:
    return row.keys() == {"role", "message"} and row["role"] in ("user", "assistant") and isinstance(row["message"], dict)


def _session(path: str) -> Session:
    """The session that a file's place names: `<id>.jsonl`, or `<parent>/subagents/<id>.jsonl`."""
    folder, name = os.path.split(path)
    session = Session(Cursor.agent, os.fsencode(os.path.splitext(name)[0]).decode("utf-8", "replace") or "unknown")
    if os.path.basename(folder) == "subagents":
        session.subagent = True
        session.parent = os.fsencode(os.path.basename(os.path.dirname(folder))).decode("utf-8", "replace")
    return session


def _typed(text: str) -> str:
    """What the person typed of one text block."""
    at = text.find(_QUERY)
    if at < 0:
        return _CONTEXT.sub("", text).strip() if text.lstrip().startswith("<") else text.strip()
    end = text.rfind(_QUERY_END)
    return text[at + len(_QUERY) : end if end > at else None].strip()


def _exported(session: Session, lines: list[str]) -> Iterator[Record]:
    """The export: a title, then `**User**` and `**Cursor**` between rules."""
    session.title = lines[0].removeprefix("# ").strip()
    if session.title:
        yield Record(session, TITLE, session.title)
    kind, before = "", ""
    passage: list[str] = []
    for line in lines[1:]:
        speaker = line.rstrip()
        if not kind and (found := _EXPORTED.fullmatch(line)):
            session.version = found[1]
        if before == "---" and speaker in ("**User**", "**Cursor**"):
            yield from _spoken(session, kind, passage)
            kind, passage = HUMAN if speaker == "**User**" else ASSISTANT, []
        else:
            passage.append(line)
        before = speaker or before
    yield from _spoken(session, kind, passage)


def _spoken(session: Session, kind: str, lines: list[str]) -> Iterator[Record]:
    text = "\n".join(lines).strip().removesuffix("---").strip()
    if kind and text:
        yield Record(session, kind, text)
