"""Cline and its descendants (Roo Code, Kilo Code): one folder a task in the editor's global storage.

`api_conversation_history.json` is what the model saw; `ui_messages.json` beside it is what the person saw, with times and the exact
words. A task is read once, from the first; a task that has only the second is read from that.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Place, Tally, Whole
from libtool.adapters.cline_text import assistant_records, feedback, same_words, typed_parts
from libtool.adapters.documents import MAX_DOCUMENT, dict_of, dicts_of, from_millis, parse_document, read_document, text_of, type_name
from libtool.domain.session import ANSWER, ASSISTANT, CALL, HUMAN, PLAN, RESULT, SUMMARY, TASK, THINKING, Record, Session

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from libtool.adapters.base import Reader, Source

_API, _UI = "api_conversation_history.json", "ui_messages.json"
_API_HEAD = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"(?:role|ts)"\s*:')
_API_SIGNS = (b"<task>", b"<user_message>", b"<feedback>", b"environment_details>")
_UI_HEAD = re.compile(rb'(?:\xef\xbb\xbf)?\s*\[\s*\{\s*"ts"\s*:\s*\d{12,14}\s*,\s*"type"\s*:\s*"(?:say|ask)"')
_EDITORS = ("Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf")
_EXTENSIONS = ("saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code")
_CWD = re.compile(r"# Current (?:Working|Workspace) Directory \((/[^)\n]+)\)")
_RESULT_HEAD = re.compile(r"\[([a-z_]+)(?: for [^\n]*?)?\] Result:\s*")
_FAILURES = ("The user denied", "The tool execution failed", "Error", "[ERROR]", "<error")


class Cline(Adapter):
    """Adapter of Cline and its descendants."""

    agent = "cline"

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:
        """The global storage of each editor, and Cline's own folder."""
        config = env.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
        bases = [config, os.path.join(home, "Library", "Application Support")]
        roots = [os.path.join(base, editor, "User", "globalStorage") for base in bases for editor in _EDITORS]
        roots.append(os.path.join(home, ".vscode-server", "data", "User", "globalStorage"))
        tasks = tuple(f"{extension}/tasks/*/{name}" for extension in _EXTENSIONS for name in (_API, _UI))
        own = Place(os.path.join(home, ".cline", "data"), (f"tasks/*/{_API}", f"tasks/*/{_UI}"))
        return [*(Place(root, tasks) for root in roots), own]

    def sniff(self, head: bytes, path: str) -> bool:
        """A list of messages with Cline's wrappers, or a list of what was said and asked."""
        if _UI_HEAD.match(head):
            return True
        if _API_HEAD.match(head) is None or b'"content"' not in head:
            return False
        return os.path.basename(path).endswith(_API) or any(sign in head for sign in _API_SIGNS)

    def reader(self, path: str, state: dict[str, Any] | None) -> Reader:  # noqa: ARG002 - read whole
        """A reader; any state is ignored: the files are rewritten."""
        return Whole(_records)

    def side_files(self, path: str) -> tuple[str, ...]:
        """`ui_messages.json`, from which the exact words and times come."""
        folder, name = os.path.split(path)
        return (os.path.join(folder, _UI),) if name == _API else ()


def _records(source: Source) -> Iterator[Record]:
    """Records in the order of the task; nothing from a `ui_messages.json` whose task is read from the other file."""
    folder, name = os.path.split(source.path)
    messages = dicts_of(read_document(source))
    session = Session(Cline.agent, _task_id(folder))
    beside = _beside(folder, "history_item.json", source)
    session.cwd = text_of(dict_of(beside).get("workspace"))
    session.parent = text_of(dict_of(beside).get("parentTaskId"))
    session.subagent = bool(session.parent)
    if any("role" in message for message in messages):
        shown = dicts_of(_beside(folder, _UI, source)) if name == _API else []
        yield from _merged(list(_Api(session, source).records(messages)), _Shown(session, source).typed(shown))
    elif name != _UI or not os.path.exists(os.path.join(folder, _API)):
        yield from _Shown(session, source).records(messages)


def _task_id(folder: str) -> str:
    return os.fsencode(os.path.basename(folder)).decode("utf-8", "replace") or "unknown"


def _beside(folder: str, name: str, source: Source) -> object:
    """The JSON of a file beside the transcript; None when there is none."""
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return parse_document(file.read(MAX_DOCUMENT), source.tally)
    except OSError:
        return None


def _merged(records: list[Record], typed: list[Record]) -> Iterator[Record]:
    """The records with the times and words of what was typed; a prompt that only the window shows goes before the next that both do."""
    at = 0
    places = [n for n, record in enumerate(records) if record.kind in (HUMAN, TASK, ANSWER)]
    extra: dict[int, list[Record]] = {}
    for place in places:
        found = next((n for n in range(at, len(typed)) if same_words(records[place].text, typed[n].text)), -1)
        if found >= 0:
            extra[place] = typed[at:found]
            records[place].time = typed[found].time
            if records[place].kind != ANSWER:
                records[place].text = typed[found].text
            at = found + 1
    for place, record in enumerate(records):
        yield from extra.get(place, ())
        yield record
    yield from typed[at:]


class _Api:
    """Records of what the model saw."""

    def __init__(self, session: Session, source: Source) -> None:
        self.session = session
        self.source = source
        self.time = ""
        self.tools: dict[str, str] = {}
        self.question = ""
        self.first = True

    def records(self, messages: list[dict[str, Any]]) -> Iterator[Record]:
        for message in messages:
            self.time = from_millis(message.get("ts"))
            self.session.saw(self.time)
            self.session.model = text_of(dict_of(message.get("modelInfo")).get("modelId")) or self.session.model
            content = message.get("content")
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else dicts_of(content)
            role = message.get("role")
            if role not in ("user", "assistant"):
                self.source.tally.unknown[type_name(role)] += 1
            elif message.get("isSummary") is True:
                yield self._record(SUMMARY, "\n".join(text_of(block.get("text")) for block in blocks).strip())
            elif role == "user":
                yield from self._user(blocks)
            else:
                yield from self._assistant(blocks)

    def _record(self, kind: str, text: str, tool: str = "", given: object = None, *, failed: bool = False) -> Record:
        return Record(self.session, kind, text, self.time, tool, given, failed=failed)

    def _user(self, blocks: list[dict[str, Any]]) -> Iterator[Record]:
        tool = ""
        output: list[str] = []
        for block in blocks:
            kind = block.get("type")
            if kind == "text":
                text = text_of(block.get("text"))
                if head := _RESULT_HEAD.match(text):
                    yield from self._result(tool, output)
                    tool, output, text = head[1], [], text[head.end() :]
                if text.lstrip().startswith("<environment_details>"):
                    self._environment(text)
                elif tool:
                    output.append(text)
                else:
                    yield from self._typed(text)
            elif kind == "tool_result":
                content = block.get("content")
                texts = [content] if isinstance(content, str) else [text_of(part.get("text")) for part in dicts_of(content)]
                name = self.tools.get(text_of(block.get("tool_use_id")), "tool")
                yield from self._result(name, texts, failed=block.get("is_error") is True)
            elif kind not in ("image", "document"):
                self.source.tally.unknown[type_name(kind)] += 1
        yield from self._result(tool, output)

    def _environment(self, text: str) -> None:
        if not self.session.cwd and (found := _CWD.search(text)):
            self.session.cwd = found[1]

    def _typed(self, text: str) -> Iterator[Record]:
        """What the person typed stands in tags; all other text of a user message is the program's."""
        for tag, typed in typed_parts(text):
            if tag == "answer":
                yield from self._answer(typed)
            else:
                yield self._record(TASK if self.session.subagent and self.first else HUMAN, typed)
            self.first = False

    def _answer(self, typed: str) -> Iterator[Record]:
        yield self._record(ANSWER, f"{self.question}\n{typed}".strip(), "ask_followup_question")

    def _result(self, tool: str, output: list[str], *, failed: bool = False) -> Iterator[Record]:
        """A tool's result; what the person typed into it comes out of it."""
        text = "\n".join(output).strip()
        if not tool or not text:
            return
        asks = tool in ("ask_followup_question", "attempt_completion", "plan_mode_respond")
        if not (asks and typed_parts(text)):
            yield self._record(RESULT, text, tool, failed=failed or text.startswith(_FAILURES))
        yield from self._typed(text if asks else feedback(text))

    def _assistant(self, blocks: list[dict[str, Any]]) -> Iterator[Record]:
        for block in blocks:
            kind = block.get("type")
            if kind == "text":
                parts = assistant_records(text_of(block.get("text")))
            elif kind == "tool_use":
                name = text_of(block.get("name"))
                self.tools[text_of(block.get("id"))] = name
                parts = [(CALL, "", name, block.get("input"))]
            elif kind in ("thinking", "reasoning"):
                parts = [(THINKING, text_of(block.get("thinking") or block.get("text")), "", None)]
            else:
                self.source.tally.unknown[type_name(kind)] += 1
                continue
            for each in parts:
                yield from self._part(*each)

    def _part(self, kind: str, text: str, tool: str, given: object) -> Iterator[Record]:
        """One piece of a reply; the tools that speak to the person are prose."""
        arguments = dict_of(given)
        if tool == "attempt_completion":
            kind, text = ASSISTANT, text_of(arguments.get("result"))
        elif tool == "plan_mode_respond":
            kind, text = PLAN, text_of(arguments.get("response"))
        elif tool == "ask_followup_question":
            self.question = text_of(arguments.get("question"))
            given = {"question": self.question}
        if kind == CALL or text.strip():
            yield self._record(kind, text.strip(), tool if kind == CALL else "", given if kind == CALL else None)


class _Shown:
    """Records of what the person saw."""

    def __init__(self, session: Session, source: Source) -> None:
        self.session = session
        self.source = source

    def typed(self, messages: list[dict[str, Any]]) -> list[Record]:
        """Only what the person typed."""
        return [record for record in self.records(messages) if record.kind in (HUMAN, TASK)]

    def records(self, messages: list[dict[str, Any]]) -> Iterator[Record]:
        first = True
        for message in messages:
            said = message.get("say") if message.get("type") == "say" else message.get("ask")
            text, time = text_of(message.get("text")).strip(), from_millis(message.get("ts"))
            self.session.saw(time)
            kind = HUMAN if first and said == "text" else _SAID.get(said, "?") if isinstance(said, str) else "?"
            first = False
            if kind == HUMAN and said in ("text", "task") and self.session.subagent:
                kind = TASK
            if kind == "?":
                self.source.tally.unknown[type_name(said)] += 1
            elif kind == CALL and text:
                yield Record(self.session, CALL, "", time, str(said), text)
            elif kind and text and message.get("partial") is not True:
                yield Record(
                    self.session, kind, _spoken(text) if kind in (ASSISTANT, PLAN) else text, time, "command" if kind == RESULT else ""
                )


def _spoken(text: str) -> str:
    """Questions and plans are shown as JSON with the options offered; only what was said is kept."""
    if not text.startswith("{"):
        return text
    shown = dict_of(parse_document(text.encode("utf-8", "replace"), Tally()))
    return text_of(shown.get("question")) or text_of(shown.get("response")) or text


_SAID: dict[str, str] = {
    **dict.fromkeys(("task", "user_feedback"), HUMAN),
    **dict.fromkeys(("text", "completion_result", "followup"), ASSISTANT),
    "plan_mode_respond": PLAN,
    "reasoning": THINKING,
    "condense_context": SUMMARY,
    **dict.fromkeys(("tool", "command", "use_mcp_server", "browser_action_launch"), CALL),
    "command_output": RESULT,
    "mcp_server_response": RESULT,
    **dict.fromkeys(
        "api_req_started api_req_finished api_req_retried api_req_failed api_req_deleted"
        " resume_task resume_completed_task checkpoint_created"
        " checkpoint_saved mistake_limit_reached auto_approval_max_req_reached browser_action browser_action_result"
        " mcp_server_request_started"
        " user_feedback_diff error diff_error shell_integration_warning clineignore_error rooignore_error subtask_result new_task"
        " condense deleted_api_reqs info task_progress load_mcp_documentation codebase_search_result act_mode_respond".split(),
        "",
    ),
}
"""What each kind of shown message is; empty for the program's own notices."""
