"""Claude Code's terminal, copied and pasted into a file by its owner.

At the left margin stand `> ` (in later versions another arrow) for the person, `⏺` (or `●`) for the model or a tool call,
`✻ Thinking…`, and boxes; `⎿` hangs under a call as its result; everything else is indented by two. Lines are wrapped hard at the
terminal's width. A window that was redrawn shows the conversation again from its start.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Whole
from libtool.adapters.documents import file_id, read_text
from libtool.domain.session import ASSISTANT, CALL, HUMAN, PLAN, RESULT, SUMMARY, THINKING, Record, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.adapters.base import Reader, Source

_ARROW = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
_USER_HEAD = re.compile(rf"^[>{_ARROW}][ \xa0]\S", re.MULTILINE)
_MODEL_HEAD = re.compile(r"^[⏺●][ \xa0]\S", re.MULTILINE)
_RESULT_HEAD = re.compile(r"^[ \xa0]{2}⎿[ \xa0]", re.MULTILINE)
_WELCOME = "Welcome to Claude Code"
_CWD = re.compile(r"│\s+cwd: (\S.*?)\s*│")
_CALL = re.compile(r"([A-Z][\w ]{0,40}|[\w-]{1,60} - [\w -]{1,60} \(MCP\)) ?\((.*)\)\s*…?\s*", re.DOTALL)
_TODOS = "Update Todos"
_APPROVED = "User approved Claude's plan"
_REJECTED = "User rejected Claude's plan"
_RUNNING = re.compile(r"(/[\w:-]+) is running…\s*")
_COMMAND = re.compile(r"/[\w:-]+(?= |$)")
_CONTINUED = "This session is being continued from a previous conversation"
_MODEL_SET = re.compile(r"\((claude-[\w.-]+)\)")
_SHELL_LEFT = re.compile(r"claude\b|.*session completed")
_ITEM = re.compile(r"(?:[-*•☐☒✓] |\d+[.)] |```)")
_FAILURES = ("Error", "No (tell Claude", "Interrupted by user", "User rejected", "[Request interrupted")
_USER, _MODEL, _THOUGHT, _RESULT, _BOX, _STRAY = "user", "model", "thought", "result", "box", "stray"
_MARKS = {">": _USER, _ARROW: _USER, "⏺": _MODEL, "●": _MODEL, "✻": _THOUGHT, "╭": _BOX, "│": _BOX, "╰": _BOX}
_UI_COMMANDS = frozenset(
    "add-dir agents bashes bug clear compact config context cost doctor exit export help hooks ide login logout mcp memory model"
    " permissions plugin quit release-notes resume rewind status statusline terminal-setup todos upgrade usage vim".split()
)


class TerminalLog(Adapter):
    """Adapter of pasted terminal logs."""

    agent = "terminal"
    project_patterns: tuple[str, ...] = (
        "claude-terminal/*.md",
        "claude-terminal/*.txt",
        "claude-logs/*.md",
        "claude-logs/*.txt",
        "terminal-logs/*.md",
        "terminal-logs/*.txt",
        "*dev-log*/*.md",
        "*dev-log*/*.txt",
    )
    """Where people were seen to keep them; the configuration adds more."""

    def sniff(self, head: bytes, path: str) -> bool:  # noqa: ARG002
        """A prompt, an answer and a tool result, each with its mark at its column."""
        text = head.decode("utf-8", "replace")
        return all(mark.search(text) for mark in (_USER_HEAD, _MODEL_HEAD, _RESULT_HEAD))

    def reader(self, path: str, state: dict[str, Any] | None) -> Reader:  # noqa: ARG002 - read whole
        """A reader; any state is ignored: where a passage ends shows only when the next begins."""
        return Whole(_records)


def _records(source: Source) -> Iterator[Record]:
    """Records in the order of the file; what a redrawn window repeats is left out."""
    lines = [line.rstrip() for line in read_text(source).replace("\xa0", " ").split("\n")]
    screen = _Screen(Session(TerminalLog.agent, file_id(source.path)), _width(lines))
    for kind, block in _blocks(lines):
        yield from screen.block(kind, block)


def _blocks(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Group lines by the mark that they hang under."""
    kind, block = _STRAY, list[str]()
    for line in lines:
        mark = _kind_of(line)
        # What a command prints at the margin (the bill of /cost and /exit) is its result.
        if mark == _STRAY and kind == _RESULT and not _SHELL_LEFT.match(line):
            mark = ""
        if mark and not (mark == kind and mark in (_BOX, _RESULT)):
            yield kind, block
            kind, block = mark, []
        block.append(line)
    yield kind, block


def _kind_of(line: str) -> str:
    """The kind of block that a line begins; empty when it goes on with the one before."""
    if line.startswith("  ⎿"):
        return _RESULT
    if not line or line[0] == " ":
        return ""
    mark = _MARKS.get(line[0], _STRAY)
    return mark if mark == _BOX or line[1:2] in ("", " ") else _STRAY


def _width(lines: list[str]) -> int:
    """The terminal's width: the longest prose line that many others come near to."""
    lengths = sorted((len(line) for line in lines if line[:2] in ("  ", "> ", "⏺ ") and "│" not in line and len(line) < 400), reverse=True)
    return lengths[min(len(lengths) // 50, 20)] if lengths else 80


class _Screen:
    """Turns blocks into records; remembers what was shown, for the case that the window is redrawn."""

    def __init__(self, session: Session, width: int) -> None:
        self.session = session
        self.width = width
        self.tool = ""
        """The call that a result would belong to; empty after prose."""
        self.shown: set[tuple[str, str]] = set()
        self.replaying = False
        self.left = True
        """Whether the program was left since the last record: then a new welcome is no redraw."""
        self.last_typed = ""

    def block(self, kind: str, lines: list[str]) -> Iterator[Record]:
        """The records of one block that were not shown before."""
        for record in _HANDLERS[kind](self, lines):
            key = record.kind, record.text or f"{record.tool} {record.input}"
            if self.replaying and record.kind == HUMAN and key not in self.shown:
                self.replaying = False
            if not (self.replaying and key in self.shown):
                self.shown.add(key)
                yield record

    def user(self, lines: list[str]) -> Iterator[Record]:
        text = self._joined(lines)
        running = _RUNNING.match(text)
        if running:
            text = f"{running[1]} {text[running.end() :]}".rstrip()
        command = _COMMAND.match(text)
        self.tool, self.left = "", False
        if text.startswith(_CONTINUED):
            yield Record(self.session, SUMMARY, text)
        elif command and not running and command[0][1:] in _UI_COMMANDS:
            self.tool = command[0]
            self.left = command[0] in ("/exit", "/quit", "/clear")
            yield Record(self.session, CALL, "", "", command[0], text[command.end() :].strip() or None)
        elif text and text != self.last_typed:
            # The same prompt again with nothing but an interruption between was typed once.
            self.last_typed = text
            yield Record(self.session, HUMAN, text)

    def model(self, lines: list[str]) -> Iterator[Record]:
        text = self._joined(lines)
        call = _CALL.fullmatch(text) if "(" in text[:130] else None
        self.tool = self.last_typed = ""
        if call:
            self.tool = call[1].strip()
            yield Record(self.session, CALL, "", "", self.tool, call[2])
        elif text.startswith((_TODOS, _APPROVED)):
            self.tool = _TODOS if text.startswith(_TODOS) else "ExitPlanMode"
        elif text:
            yield Record(self.session, ASSISTANT, text)

    def thought(self, lines: list[str]) -> Iterator[Record]:
        text = self._joined(lines)
        if text.startswith("Thinking…") and (thought := text.removeprefix("Thinking…").strip()):
            yield Record(self.session, THINKING, thought)

    def result(self, lines: list[str]) -> Iterator[Record]:
        text = "\n".join(line.strip("⎿ ") if "⎿" in line[:4] else line.removeprefix("     ").rstrip() for line in lines).strip()
        if self.tool == "/model" and (model := _MODEL_SET.search(text)):
            self.session.model = model[1]
        if text.startswith(_REJECTED) or self.tool == "ExitPlanMode":
            plan = text.partition("\n")[2] if text.startswith(_REJECTED) else text
            yield Record(self.session, PLAN, _unboxed(plan), "", "ExitPlanMode", failed=text.startswith(_REJECTED))
        elif self.tool and text:
            yield Record(self.session, RESULT, text, "", self.tool, failed=text.startswith(_FAILURES))

    def box(self, lines: list[str]) -> Iterator[Record]:
        """The welcome box begins a run, or is a redraw; other boxes are input lines and dialogues."""
        text = "\n".join(lines)
        if _WELCOME in text:
            if found := _CWD.search(text):
                self.session.cwd = found[1]
            self.replaying = bool(self.shown) and not self.left
            self.last_typed = ""
        yield from ()

    def stray(self, lines: list[str]) -> Iterator[Record]:
        self.left = self.left or any(_SHELL_LEFT.match(line) for line in lines)
        yield from ()

    def _joined(self, lines: list[str]) -> str:
        """The text of a block: mark and indentation taken away, hard-wrapped lines joined."""
        out = ""
        before = ""
        for line in lines:
            text = line[2:] if line[:1] in _MARKS or line.startswith("  ") else line.lstrip()
            bare = text.lstrip()
            # A line was wrapped when the first word of the next had no room on it.
            room = self.width - len(before) - 1
            wrapped = bool(bare) and bool(before.strip()) and len(bare.split(None, 1)[0]) > room and not _ITEM.match(bare)
            out += f" {bare}" if wrapped else f"\n{text}"
            before = line
        return out.strip()


_HANDLERS = {
    _USER: _Screen.user,
    _MODEL: _Screen.model,
    _THOUGHT: _Screen.thought,
    _RESULT: _Screen.result,
    _BOX: _Screen.box,
    _STRAY: _Screen.stray,
}


def _unboxed(text: str) -> str:
    """Text without the box drawn around it."""
    lines = (line.strip().strip("│").rstrip() for line in text.split("\n") if not line.strip().startswith(("╭", "╰")))
    return "\n".join(line.removeprefix(" ") for line in lines).strip()
