"""Gemini CLI: `~/.gemini/tmp/<slug>/chats/session-*.json` (one object, to 0.3x) and `.jsonl` (a log of operations).

The log: header rows (again after a resume), message rows, `{"$set": {...}}`, `{"$rewindTo": id}`. A message row with a known id
replaces that message (the tool results arrive so), in its first place. `$set.messages` tells what the model sees from then on: after a
compression it lacks most of what was said, later ones mask tool output. So it never replaces a message that has a row of its own, and
removes none; messages that only it holds are the client's own (context, summary), or an old conversation that `/chat resume` loaded.
A rewind removes nothing either. Formats as in gemini-cli's `chatRecordingService.ts`, 0.24 to 0.61.
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Place
from libtool.adapters.documents import dict_of, dicts_of, read_document, text_of, type_name
from libtool.adapters.gemini_tools import RAN, Tools
from libtool.adapters.lines import json_rows
from libtool.adapters.shapes import head_rows, utc
from libtool.domain.session import ASSISTANT, HUMAN, SUMMARY, TASK, THINKING, TITLE, Record, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from libtool.adapters.base import Source

_HEADER = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"sessionId"\s*:\s*"[^"\\]{1,200}"\s*,\s*"projectHash"\s*:\s*"[^"\\]{1,200}"')
_LAST_UPDATED = re.compile(rb'\{"\$set":\{"lastUpdated":"[^"\\]*"\}\}\s*')
_ROOT_LINE = re.compile(r"(?:I'm currently working in the directory:|  -) (/|[A-Za-z]:\\)(.+)")
_WRAPPERS = ("hook_context", "session_context")
_SETUP = (
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Here is the user's editor context as a JSON object.",
    "Here is a summary of changes in the user's editor context",
)
_PUSHED_ON = frozenset({"Please continue.", "System: Please continue."})
"""What the client sends in the person's name when the model stopped early."""
_ACKNOWLEDGED = "Got it. Thanks for the additional context!"
_SNAPSHOT = "<state_snapshot>"
_SILENT = frozenset({"info", "error", "warning"})
_HEAD = 4096
"""How much of a setup message is searched for the folder, in characters."""
_SIDE_FILE = 1 << 20
"""Largest side file that is read, in bytes."""


class GeminiCli(Adapter):
    """Adapter of Gemini CLI's chats."""

    agent = "gemini-cli"

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:
        """`.gemini` below the home, or below GEMINI_CLI_HOME; sub-agents' chats lie in a folder named by the parent's id."""
        root = os.path.join(env.get("GEMINI_CLI_HOME") or home, ".gemini")
        return [Place(root, ("tmp/*/chats/*.jsonl", "tmp/*/chats/*.json", "tmp/*/chats/*/*.jsonl"))]

    def sniff(self, head: bytes, path: str) -> bool:
        """A header with the ids of session and project, in either form; where a log lost it, a message."""
        if _HEADER.match(head):
            return True
        log = path.endswith(".jsonl")
        return any(_is_header(row) or (log and _is_message(row)) for row in head_rows(head))

    def reader(self, path: str, state: dict[str, Any] | None) -> GeminiReader:  # noqa: ARG002 - rows rewrite earlier ones
        """A reader; any state is ignored, as the log is read whole."""
        return GeminiReader(path)


class GeminiReader:
    """Reads one chat, whole."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._session = Session(GeminiCli.agent, os.path.basename(path).partition(".")[0] or "unknown")
        self._messages: dict[str, dict[str, Any]] = {}
        self._own: set[str] = set()
        """Ids of messages that have a row of their own."""
        self._context: set[str] = set()
        """Ids of messages that opened a `$set.messages`: the client's setup of the chat."""
        self._titles: dict[str, str] = {}
        """Titles by the key under which they stand among the messages."""
        self._said: set[tuple[str, str]] = set()
        self._shown = self._sent = ""

    def state(self) -> None:
        """None: a later row rewrites earlier ones."""

    def read(self, source: Source) -> Iterator[Record]:
        """Yield the messages in the order of their first appearance, each in its last form."""
        source.file.seek(0)
        source.start = source.offset = 0
        if _is_log(self._path, source):
            for _, row in json_rows(source, _needless):
                self._operation(row, source)
        else:
            self._document(read_document(source))
        self._session.cwd = self._session.cwd or _project_root(self._path, source.home)
        tools = Tools(self._session)
        for key, message in self._messages.items():
            yield from self._message(key, message, tools, source)

    def _document(self, document: object) -> None:
        whole = dict_of(document)
        self._header(whole)
        for at, message in enumerate(dicts_of(whole.get("messages"))):
            key = text_of(message.get("id")) or f"#{at}"
            self._own.add(key)
            self._messages[key] = message
        self._title(whole)

    def _operation(self, row: dict[str, Any], source: Source) -> None:
        if "$set" in row:
            changes = dict_of(row["$set"])
            self._replace(dicts_of(changes.get("messages")))
            self._title(changes)
        elif "type" in row:
            key = text_of(row.get("id")) or f"#{len(self._messages)}"
            self._own.add(key)
            self._messages[key] = row
        elif "sessionId" in row:
            self._header(row)
        elif "$rewindTo" not in row:
            source.tally.unknown[type_name(next(iter(row), ""))] += 1

    def _replace(self, messages: list[dict[str, Any]]) -> None:
        for at, message in enumerate(messages):
            key = text_of(message.get("id"))
            if key and key not in self._own:
                self._messages[key] = message
                if at == 0 and "displayContent" not in message:
                    self._context.add(key)

    def _header(self, row: dict[str, Any]) -> None:
        session = self._session
        session.id = text_of(row.get("sessionId")) or session.id
        session.saw(utc(row.get("startTime")))
        if row.get("kind") == "subagent":
            session.subagent = True
            session.parent = os.path.basename(os.path.dirname(self._path))
        folders = row.get("directories")
        if isinstance(folders, list) and folders:
            session.cwd = session.cwd or text_of(folders[0])

    def _title(self, row: dict[str, Any]) -> None:
        title = text_of(row.get("summary")).strip()
        if title and title != self._session.title:
            self._session.title = title
            key = f"#title {len(self._messages)}"
            self._titles[key] = title
            self._messages[key] = {"timestamp": row.get("lastUpdated")}

    def _message(self, key: str, message: dict[str, Any], tools: Tools, source: Source) -> Iterator[Record]:
        kind = text_of(message.get("type"))
        time = utc(message.get("timestamp"))
        self._session.saw(time)
        if key in self._titles:
            yield Record(self._session, TITLE, self._titles[key], time)
        elif kind == "user":
            yield from self._user(key, message, time, tools)
        elif kind == "gemini":
            yield from self._gemini(key, message, time, tools)
        elif kind not in _SILENT:
            source.tally.unknown[type_name(message.get("type"))] += 1

    def _user(self, key: str, message: dict[str, Any], time: str, tools: Tools) -> Iterator[Record]:
        parts = _parts(message.get("content"))
        yield from tools.responses(parts, time)
        sent = _unwrapped(parts)
        shown = _unwrapped(_parts(message["displayContent"])) if "displayContent" in message else ""
        if not shown and sent.startswith(RAN):
            yield from tools.ran(sent, time)
        elif not shown and _SNAPSHOT in sent[:_HEAD]:
            yield Record(self._session, SUMMARY, sent.partition(_SNAPSHOT)[2].partition("</state_snapshot>")[0].strip(), time)
        elif key in self._context or sent.startswith(_SETUP):
            self._session.cwd = self._session.cwd or _folder_told(parts)
        elif shown or (sent and sent not in _PUSHED_ON):
            yield from self._prompt(key, shown or sent, sent, time, shown=bool(shown))

    def _prompt(self, key: str, text: str, sent: str, time: str, *, shown: bool) -> Iterator[Record]:
        retried = shown and text == self._shown and sent != self._sent and text not in sent and not text.startswith("/")
        self._shown, self._sent = text if shown else "", sent
        if self._repeated(key, HUMAN, text) or retried:
            # Retried: what an AfterAgent hook sent back, under the prompt that it followed.
            return
        if not self._session.subagent:
            yield Record(self._session, HUMAN, text, time)
        elif not (text.startswith("You have ") and "`complete_task`" in text):
            # The rest is the client's last warning to a sub-agent.
            yield Record(self._session, TASK, text, time)

    def _repeated(self, key: str, kind: str, text: str) -> bool:
        """Whether a message that only a `$set.messages` holds says again, under a new id, what was said before."""
        said = (kind, text)
        if key not in self._own and said in self._said:
            return True
        self._said.add(said)
        return False

    def _gemini(self, key: str, message: dict[str, Any], time: str, tools: Tools) -> Iterator[Record]:
        self._session.model = text_of(message.get("model")) or self._session.model
        parts = _parts(message.get("content"))
        thoughts = [_thought(thought) for thought in dicts_of(message.get("thoughts"))]
        if not any(thoughts):
            thoughts = [text_of(part.get("text")) for part in parts if part.get("thought") is True]
        for thought in thoughts:
            if thought.strip() and not self._repeated(key, THINKING, thought):
                yield Record(self._session, THINKING, thought, time)
        text = "".join(text_of(part.get("text")) for part in parts if part.get("thought") is not True)
        mere_answer = key not in self._own and text == _ACKNOWLEDGED
        if text.strip() and not mere_answer and not self._repeated(key, ASSISTANT, text):
            yield Record(self._session, ASSISTANT, text, time)
        yield from tools.calls(dicts_of(message.get("toolCalls")), parts, time)


def _is_log(path: str, source: Source) -> bool:
    """Whether the file is a log: its first line is a whole object without messages in it. A damaged first line leaves it to the name."""
    first = source.file.readline(1 << 16)
    source.file.seek(0)
    row = next(head_rows(first), None)
    return path.endswith(".jsonl") if row is None else "messages" not in row


def _is_header(row: dict[str, Any]) -> bool:
    return bool(text_of(row.get("sessionId")) and text_of(row.get("projectHash")))


def _is_message(row: dict[str, Any]) -> bool:
    shaped = all(isinstance(row.get(key), str) for key in ("id", "timestamp")) and "content" in row
    return shaped and row.get("type") in ("user", "gemini") and not {"sessionId", "message", "uuid"} & row.keys()


def _needless(line: bytes) -> bool:
    """A row that only says when the file was written."""
    return line.endswith(b"\n") and len(line) < 120 and _LAST_UPDATED.fullmatch(line) is not None


def _parts(content: object) -> list[dict[str, Any]]:
    """Message content as parts: it is a string, one part, or a list of strings and parts."""
    pieces = content if isinstance(content, list) else [content]
    return [{"text": piece} if isinstance(piece, str) else piece for piece in pieces if isinstance(piece, str | dict)]


def _unwrapped(parts: list[dict[str, Any]]) -> str:
    """The text of a user message without what hooks and the client put before it, or in parts of its own."""
    text = "".join(_bare(text_of(part.get("text"))) for part in parts)
    return text if text.strip() else ""


def _bare(text: str) -> str:
    """Text without the wrappers at its head. An unclosed one is taken to reach to the end."""
    while True:
        start = text.lstrip()
        name = next((name for name in _WRAPPERS if start.startswith(f"<{name}>")), "")
        if not name:
            return text
        text = start.partition(f"</{name}>")[2].lstrip("\r\n")


def _thought(thought: dict[str, Any]) -> str:
    return ": ".join(text for key in ("subject", "description") if (text := text_of(thought.get(key))))


def _folder_told(parts: list[dict[str, Any]]) -> str:
    """The folder that a setup message names."""
    for part in parts:
        found = _ROOT_LINE.search(text_of(part.get("text"))[:_HEAD])
        if found:
            return (found[1] + found[2]).strip()
    return ""


def _project_root(path: str, home: str) -> str:
    """The project's folder, from `.project_root` beside `chats/` or `projects.json` in the agent's root; empty when neither says it."""
    chats, project = os.path.split(path)
    while chats and project and project != "chats":
        chats, project = os.path.split(chats)
    if project != "chats":
        return ""
    try:
        if told := _small_file(os.path.join(chats, ".project_root")).strip():
            return told
        known = dict_of(dict_of(json.loads(_small_file(os.path.join(home, "projects.json")))).get("projects"))
    except (OSError, ValueError, RecursionError):
        return ""
    slug = os.path.basename(chats)
    return next((folder for folder, name in known.items() if name == slug), "")


def _small_file(path: str) -> str:
    """A side file's text; empty when it does not exist."""
    if not os.path.isfile(path):
        return ""
    with open(path, "rb") as file:
        return file.read(_SIDE_FILE).decode("utf-8", "replace")
