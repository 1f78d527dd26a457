"""OpenCode: the database `opencode.db`, `opencode export` documents, and the older folders `storage/{session,message,part}`.

All three hold the same objects: a session's info, its messages, and the parts of each message. Seen: 1.2.20 to 1.18.33.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Place, Tally, Whole
from libtool.adapters.documents import MAX_DOCUMENT, dict_of, dicts_of, from_millis, parse_document, read_document, text_of, type_name
from libtool.domain.session import ANSWER, ASSISTANT, CALL, HUMAN, RESULT, SUMMARY, TASK, THINKING, TITLE, Record, Session

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from libtool.adapters.base import Reader, Source

_SQLITE = b"SQLite format 3\x00"
_TABLES = tuple(re.compile(rb"CREATE TABLE [`\"]?" + name + rb"[`\"]?\s*\(") for name in (b"session", b"message", b"part"))
_EXPORT = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"info"\s*:\s*\{')
_INFO = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*"(?:id|slug|version|projectID)"\s*:')
_NEW_TITLE = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT")
_FORK = re.compile(r" \(fork #\d+\)$")
_TASK_RESULT = re.compile(r"<task_result>\n?(.*)\n?</task_result>", re.DOTALL)
_TASK_TAIL = "\n\n<task_metadata>"
_LONE_QUOTE = re.compile(r'(?<!\\)"')

_CONTENT_ROWS = """
SELECT s.rowid, m.rowid, p.rowid FROM session s JOIN message m ON m.session_id = s.id JOIN part p ON p.message_id = m.id
ORDER BY s.time_created, s.id, m.time_created, m.id, p.id"""
"""Only ids are sorted: the memory this takes does not follow the size of the texts."""

_FORK_ORIGIN = """
SELECT o.id FROM session o JOIN session f ON f.rowid = :row WHERE o.rowid != f.rowid AND o.time_created <= f.time_created
AND (o.title = :base OR substr(o.title, 1, length(:base) + 8) = :base || ' (fork #')
AND (SELECT min(time_created) FROM message WHERE session_id = o.id) = (SELECT min(time_created) FROM message WHERE session_id = f.id)
ORDER BY o.time_created, o.id LIMIT 1"""


class OpenCode(Adapter):
    """Adapter of OpenCode."""

    agent = "opencode"

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:
        """`opencode.db` (one per release channel) and the session files of older releases."""
        data = env.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
        root = env.get("OPENCODE_DATA_DIR") or os.path.join(data, "opencode")
        return [Place(root, ("opencode.db", "opencode-*.db", "storage/session/*/*.json"))]

    def sniff(self, head: bytes, path: str) -> bool:
        """A SQLite file with OpenCode's tables, an export, or a session file."""
        if head.startswith(_SQLITE):
            # In WAL mode the tables may still be in the -wal alone: then the name decides.
            name = os.path.basename(path)
            return all(table.search(head) for table in _TABLES) or (name.startswith("opencode") and name.endswith(".db"))
        if b'"ses_' not in head[:4096]:
            return False
        if _EXPORT.match(head):
            return True
        return _INFO.match(head) is not None and (b'"projectID"' in head or b'"directory"' in head)

    def reader(self, path: str, state: dict[str, Any] | None) -> Reader:  # noqa: ARG002 - read whole
        """A reader; any state is ignored: rows are rewritten."""
        return Whole(_records)

    def side_files(self, path: str) -> tuple[str, ...]:
        """The `-wal` of a database; the message folder of a session file."""
        if path.endswith(".db"):
            return (path + "-wal",)
        messages = _storage_folder(path, "message")
        return (messages,) if messages else ()


def _records(source: Source) -> Iterator[Record]:
    """Records in order of session (a database has many), message and part. A database that cannot be read is a note in the tally."""
    source.file.seek(0)
    magic = source.file.read(len(_SQLITE))
    source.file.seek(0)
    source.offset = source.size
    if magic == _SQLITE:
        from libtool.adapters.sqlite_copy import copied_records  # noqa: PLC0415 - 5 ms that a machine without one need not pay

        yield from copied_records(source, _rows)
        return
    document = dict_of(read_document(source))
    if "info" in document:
        yield from _read_export(document, source)
    elif text_of(document.get("id")):
        yield from _read_storage(document, source)


def _rows(connection: sqlite3.Connection, source: Source) -> Iterator[Record]:
    """Stream the parts in order; one message and one part are in memory at a time."""
    tally = source.tally
    conversation: _Conversation | None = None
    session_row = message_row = None
    for this_session, this_message, part_row in connection.execute(_CONTENT_ROWS):
        if conversation is None or this_session != session_row:
            if conversation is not None:
                yield from conversation.flush()
            session_row, message_row = this_session, None
            info = _session_info(connection, this_session)
            conversation = _Conversation(info, tally)
            conversation.session.forked_from = _fork_origin(connection, this_session, info["title"])
            yield from conversation.begin()
        if this_message != message_row:
            message_row = this_message
            yield from conversation.message(_data(connection, "message", this_message, tally))
        yield from conversation.part(_data(connection, "part", part_row, tally))
    if conversation is not None:
        yield from conversation.flush()


def _data(connection: sqlite3.Connection, table: str, row: int, tally: Tally) -> dict[str, Any]:
    (value,) = connection.execute(f"SELECT data FROM {table} WHERE rowid = ?", (row,)).fetchone()  # noqa: S608 - a name of ours
    return dict_of(parse_document(value, tally)) if isinstance(value, bytes) else {}


def _session_info(connection: sqlite3.Connection, row: int) -> dict[str, Any]:
    """The columns of a session, named as in a session's JSON info."""
    cursor = connection.execute("SELECT * FROM session WHERE rowid = ?", (row,))
    columns = dict(zip((column[0] for column in cursor.description), cursor.fetchone(), strict=True))
    model = columns.get("model")
    return {
        "id": _decoded(columns["id"]),
        "parentID": _decoded(columns.get("parent_id")),
        "directory": _decoded(columns.get("directory")),
        "title": _decoded(columns.get("title")),
        "version": _decoded(columns.get("version")),
        "model": parse_document(model, Tally()) if isinstance(model, bytes) else None,
        "time": {"created": columns.get("time_created")},
    }


def _decoded(value: object) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _fork_origin(connection: sqlite3.Connection, row: int, title: str) -> str:
    """Id of the session that a fork copied: the oldest of that title whose first message has the same time; or empty."""
    base = _FORK.sub("", title)
    if base == title:
        return ""
    found = connection.execute(_FORK_ORIGIN, {"row": row, "base": base}).fetchone()
    return _decoded(found[0]) if found else ""


def _read_export(document: dict[str, Any], source: Source) -> Iterator[Record]:
    messages = ((dict_of(message.get("info")), iter(dicts_of(message.get("parts")))) for message in dicts_of(document.get("messages")))
    return _conversation(dict_of(document["info"]), messages, source.tally)


def _read_storage(info: dict[str, Any], source: Source) -> Iterator[Record]:
    """A session file of the older folders: messages and parts lie in sibling folders, one file each."""
    folder = _storage_folder(source.path, "message")
    found = [(name, parse) for name, parse in _files(folder, source.tally)]
    found.sort(key=lambda item: (from_millis(dict_of(item[1].get("time")).get("created")), item[0]))
    parts_folder = os.path.join(os.path.dirname(os.path.dirname(folder)), "part")
    messages = (
        (message, (part for _, part in _files(os.path.join(parts_folder, name.removesuffix(".json")), source.tally)))
        for name, message in found
    )
    return _conversation(info, messages, source.tally)


def _storage_folder(path: str, kind: str) -> str:
    """`storage/<kind>/<session id>` beside `storage/session/<project>/<session id>.json`; empty for another path."""
    session_folder = os.path.dirname(os.path.dirname(path))
    if os.path.basename(session_folder) != "session":
        return ""
    return os.path.join(os.path.dirname(session_folder), kind, os.path.basename(path).removesuffix(".json"))


def _files(folder: str, tally: Tally) -> Iterator[tuple[str, dict[str, Any]]]:
    """(name, object) of each JSON file in a folder, in the order of their ids, which is the order of their making."""
    try:
        names = sorted(name for name in os.listdir(folder) if name.endswith(".json")) if folder else []
    except FileNotFoundError:
        return
    for name in names:
        try:
            with open(os.path.join(folder, name), "rb") as file:
                data = file.read(MAX_DOCUMENT)
        except OSError:
            tally.damaged += 1
            continue
        yield name, dict_of(parse_document(data, tally))


def _conversation(
    info: dict[str, Any], messages: Iterable[tuple[dict[str, Any], Iterator[dict[str, Any]]]], tally: Tally
) -> Iterator[Record]:
    conversation = _Conversation(info, tally)
    yield from conversation.begin()
    for message, parts in messages:
        yield from conversation.message(message)
        for part in parts:
            yield from conversation.part(part)
    yield from conversation.flush()


class _Conversation:
    """Turns the messages and parts of one session into records."""

    def __init__(self, info: dict[str, Any], tally: Tally) -> None:
        model, time = dict_of(info.get("model")), dict_of(info.get("time"))
        self.tally = tally
        self.session = Session(OpenCode.agent, text_of(info.get("id")) or "unknown")
        self.session.parent = text_of(info.get("parentID"))
        self.session.subagent = bool(self.session.parent)
        self.session.cwd = text_of(info.get("directory"))
        self.session.version = text_of(info.get("version"))
        self.session.model = text_of(model.get("id"))
        title = text_of(info.get("title"))
        self.session.title = "" if _NEW_TITLE.match(title) else title
        self.created = from_millis(time.get("created"))
        self.from_user = self.is_summary = False
        self.time = ""
        self.typed: list[str] = []

    def begin(self) -> Iterator[Record]:
        """The title, unless it is the placeholder of a new session."""
        self.session.saw(self.created)
        if self.session.title:
            yield Record(self.session, TITLE, self.session.title, self.created)

    def message(self, info: dict[str, Any]) -> Iterator[Record]:
        """Begin a message; gives out what the message before it left."""
        yield from self.flush()
        self.from_user = info.get("role") == "user"
        self.is_summary = info.get("summary") is True
        self.time = from_millis(dict_of(info.get("time")).get("created"))
        self.session.saw(self.time)
        model = text_of(info.get("modelID")) or text_of(dict_of(info.get("model")).get("modelID"))
        self.session.model = model or self.session.model
        self.session.cwd = self.session.cwd or text_of(dict_of(info.get("path")).get("cwd"))

    def flush(self) -> Iterator[Record]:
        """The prompt of a user message: its text parts are one turn."""
        if self.typed:
            yield Record(self.session, TASK if self.session.subagent else HUMAN, _unquoted("\n".join(self.typed)), self.time)
            self.typed = []

    def part(self, part: dict[str, Any]) -> Iterator[Record]:
        """Records of one part of the message begun last."""
        kind = part.get("type")
        handle = _PARTS.get(kind) if isinstance(kind, str) else None
        if handle is None:
            self.tally.unknown[type_name(kind)] += 1
        else:
            yield from handle(self, part)

    def text(self, part: dict[str, Any]) -> Iterator[Record]:
        text = text_of(part.get("text"))
        if not text.strip() or part.get("synthetic") is True or part.get("ignored") is True:
            return
        if self.from_user:
            self.typed.append(text)
            return
        yield self._record(SUMMARY if self.is_summary else ASSISTANT, text, part)

    def reasoning(self, part: dict[str, Any]) -> Iterator[Record]:
        if text := text_of(part.get("text")):
            yield self._record(THINKING, text, part)

    def subtask(self, part: dict[str, Any]) -> Iterator[Record]:
        """A command that runs as a sub-agent: the person typed its name, the prompt is the command's template."""
        command = text_of(part.get("command"))
        self.typed.append("/" + command if command else text_of(part.get("prompt")))
        yield from ()

    def nothing(self, part: dict[str, Any]) -> Iterator[Record]:  # noqa: ARG002 - one shape for all handlers
        yield from ()

    def tool(self, part: dict[str, Any]) -> Iterator[Record]:
        name, state = text_of(part.get("tool")), dict_of(part.get("state"))
        times, asked = dict_of(state.get("time")), state.get("input")
        begun = from_millis(times.get("start")) or self.time
        ended = from_millis(times.get("end")) or begun
        questions = dicts_of(asked.get("questions")) if name == "question" and isinstance(asked, dict) else []
        self.session.saw(ended)
        given = {"questions": [text_of(question.get("question")) for question in questions]} if questions else asked
        yield Record(self.session, CALL, "", begun, name, given)
        status, metadata = state.get("status"), dict_of(state.get("metadata"))
        text = text_of(state.get("output")) or text_of(state.get("error"))
        if status == "completed" and questions:
            yield Record(self.session, ANSWER, _answers(questions, metadata.get("answers")), ended, name)
        elif status == "completed" and name == "task":
            yield Record(self.session, SUMMARY, _report(text), ended, name)
        elif status == "error" or (status == "completed" and name not in _ECHOES):
            failed = status == "error" or metadata.get("exit") not in (None, 0)
            yield Record(self.session, RESULT, text, ended, name, failed=failed)

    def _record(self, kind: str, text: str, part: dict[str, Any]) -> Record:
        time = from_millis(dict_of(part.get("time")).get("start")) or self.time
        self.session.saw(time)
        return Record(self.session, kind, text, time)


_ECHOES = frozenset({"todowrite", "todoread", "skill"})
"""Tools whose output repeats their input, or is the body of a skill."""

_PARTS: dict[str, Callable[[_Conversation, dict[str, Any]], Iterator[Record]]] = {
    "text": _Conversation.text,
    "reasoning": _Conversation.reasoning,
    "tool": _Conversation.tool,
    "subtask": _Conversation.subtask,
    **dict.fromkeys(
        ("step-start", "step-finish", "patch", "snapshot", "file", "agent", "compaction", "retry"),
        _Conversation.nothing,
    ),
}


def _unquoted(prompt: str) -> str:
    """A prompt without the pair of quotes that `opencode run` puts around it."""
    inner = prompt.strip()[1:-1]
    quoted = len(prompt.strip()) > 1 and prompt.strip()[0] == prompt.strip()[-1] == '"'
    if not quoted or _LONE_QUOTE.search(inner):
        return prompt
    return inner.replace('\\"', '"')


def _answers(questions: list[dict[str, Any]], answers: object) -> str:
    """Each question with the labels or the free text that the person chose."""
    chosen = answers if isinstance(answers, list) else []
    lines = []
    for at, question in enumerate(questions):
        picked = chosen[at] if at < len(chosen) and isinstance(chosen[at], list) else []
        lines.append(f"{text_of(question.get('question'))}\n{', '.join(label for label in picked if isinstance(label, str))}")
    return "\n\n".join(lines)


def _report(output: str) -> str:
    """A sub-agent's report without the wrapper around it."""
    found = _TASK_RESULT.search(output)
    return (found.group(1) if found else output.partition(_TASK_TAIL)[0]).strip()
