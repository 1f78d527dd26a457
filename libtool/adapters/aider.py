"""aider: `.aider.chat.history.md` in projects, one file with a run of aider after the other.

A run begins with `# aider chat started at <local time>`. `#### ` lines are what the person typed, `> ` lines what aider itself said,
all else is the model. aider ends its own lines with two spaces (a markdown line break): that tells them from the model's headings and
quotes. Times carry no zone in the file and are taken as UTC.
"""

from __future__ import annotations

import os
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Whole
from libtool.adapters.documents import read_text
from libtool.domain.session import ASSISTANT, CALL, HUMAN, RESULT, Record, Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.adapters.base import Reader, Source

_STARTED = re.compile(r"# aider chat started at (\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)\s*")
_STARTED_BYTES = re.compile(rb"^# aider chat started at \d{4}-\d\d-\d\d ", re.MULTILINE)
_COMMIT = re.compile(r"Commit ([0-9a-f]{7,40}) (.*)")
_EDIT = re.compile(r"Applied edit to (.+)")
_RUN = re.compile(r"Running (.+)")
_MODEL = re.compile(r"(?:Main m|M)odel: (\S+)")
_COST = re.compile(r"Tokens: .*\bCost: .*")
"""What a message and the run so far cost: the last one of a run is what it cost in all."""
_VERSION = re.compile(r"Aider v(\S+)")
_FAILED = re.compile(r"\b(?:Error|Exception|Traceback|failed to match|not conform)\b|Error:")
_NOISE = tuple(
    "Tokens: |^C|Copied code context|Repo-map|Git repo:|Git working dir|Cur working dir|You can use /undo|You can skip|Use /|Weak model:"
    "|Editor model:|Multiline mode|Note: in-chat filenames|Cost estimates|Diff since|https://aider.chat|Initial repo scan"
    "|Has it been deleted|Processing your request|Using |Added .aider|Retrying in".split("|")
)
_CONFIRM = re.compile(r"[^\n]*\(Y\)es/\(N\)o[^\n]*")
"""A question of aider with the answer to it: it is written as typed when the answer goes for all that follow."""
_WATCHED = 'Find the "AI" comments below (marked with █)'
"""Begins the prompt that aider writes itself for comments in watched files; the comment's lines are marked."""
_UNDO = "/undo"
"""Takes back the model's last commit: of the commands without arguments, the one that decides something."""
_TALK = frozenset({"/ask", "/architect", "/code", "/context", "/help"})
"""Commands whose arguments are a prompt."""


class Aider(Adapter):
    """Adapter of aider's chat history."""

    agent = "aider"
    project_patterns: tuple[str, ...] = (".aider.chat.history.md",)

    def sniff(self, head: bytes, path: str) -> bool:  # noqa: ARG002
        """The line that begins a run."""
        return _STARTED_BYTES.search(head[:8192]) is not None

    def reader(self, path: str, state: dict[str, Any] | None) -> Reader:  # noqa: ARG002 - read whole
        """A reader; any state is ignored: where a passage ends shows only when the next begins."""
        return Whole(_records)


def _records(source: Source) -> Iterator[Record]:
    """Records in the order of the file, a session for each run."""
    lines = read_text(source).split("\n")
    cwd = os.path.dirname(os.path.abspath(source.path))
    starts = [at for at, line in enumerate(lines) if line.startswith("# aider") and _STARTED.fullmatch(line)]
    marked = any(line.startswith("#### ") and line.endswith("  ") for line in lines)
    taken: set[str] = set()
    for begin, end in pairwise([*starts, len(lines)]):
        session = _session(lines[begin], cwd, taken)
        yield from _Run(session, marked=marked).records(lines[begin + 1 : end])


def _session(start: str, cwd: str, taken: set[str]) -> Session:
    year, month, day, hour, minute, second = _STARTED.findall(start)[0]
    name = f"{os.path.basename(cwd)}-{year}{month}{day}T{hour}{minute}{second}"
    key = next(key for n in range(1, len(taken) + 2) if (key := name if n == 1 else f"{name}-{n}") not in taken)
    taken.add(key)
    time = f"{year}-{month}-{day}T{hour}:{minute}:{second}Z"
    return Session(Aider.agent, key, cwd=cwd, started=time, ended=time)


class _Run:
    """Groups the lines of one run into passages of one speaker."""

    def __init__(self, session: Session, *, marked: bool) -> None:
        self.session = session
        self.marked = marked
        """Whether aider's own lines still end with two spaces (an editor may have stripped them)."""
        self.facts: dict[str, str] = {}
        """What aider said last of its model and of the cost of the run so far."""

    def records(self, lines: list[str]) -> Iterator[Record]:
        """What was said and done; at the end what was used and what it cost, unless nothing was."""
        has_any = False
        for record in self._passages(lines):
            has_any = True
            yield record
        if has_any and self.facts:
            yield self._record(RESULT, "\n".join(self.facts.values()), "aider")

    def _passages(self, lines: list[str]) -> Iterator[Record]:
        speaker, passage = "", list[str]()
        for line in lines:
            now = self._speaker(line)
            # A blank line ends what aider wrote: two prompts in a row are two turns.
            if now != speaker:
                yield from self._passage(speaker, passage)
                speaker, passage = now, []
            passage.append(line)
        yield from self._passage(speaker, passage)

    def _speaker(self, line: str) -> str:
        own = line.endswith("  ") or not self.marked
        if own and line.startswith("####") and line[4:5] in ("", " "):
            return "####"
        return ">" if own and line.startswith(">") else ""

    def _passage(self, speaker: str, lines: list[str]) -> Iterator[Record]:
        if speaker == "####":
            yield from self._typed("\n".join(line[5:].removesuffix("  ") for line in lines if line.strip()).strip())
        elif speaker == ">":
            yield from self._said([line[1:].strip() for line in lines if line.strip()])
        elif text := "\n".join(lines).strip():
            yield self._record(ASSISTANT, text)

    def _typed(self, text: str) -> Iterator[Record]:
        command, _, arguments = text.partition(" ")
        if text.startswith("!"):
            yield self._record(CALL, "", "terminal", {"command": text[1:].strip()})
        elif text.startswith("/") and "/" not in command[1:]:
            if command in _TALK and arguments.strip():
                yield self._record(HUMAN, text)
            elif command == "/run":
                yield self._record(CALL, "", "terminal", {"command": arguments.strip()})
            elif arguments.strip() or command == _UNDO:
                yield self._record(CALL, "", command, arguments.strip())
        elif text.startswith(_WATCHED):
            typed = [line[1:].strip() for line in text.split("\n") if line.startswith("█")]
            yield self._record(HUMAN, "\n".join(typed) or text)
        elif text and text != "<blank>" and not _CONFIRM.fullmatch(text):
            yield self._record(HUMAN, text)

    def _said(self, lines: list[str]) -> Iterator[Record]:
        """What aider says itself: facts, edits, commits and commands; the rest is output, without the chatter."""
        rest: list[str] = []
        for line in lines:
            if found := _VERSION.match(line):
                self.session.version = found[1]
            elif found := _MODEL.match(line):
                self.session.model = found[1]
                self.facts["model"] = line
            elif _COST.match(line):
                self.facts["cost"] = line
            elif found := _COMMIT.fullmatch(line):
                yield self._record(CALL, "", "git", {"command": "git commit", "hash": found[1], "subject": found[2]})
            elif found := _EDIT.fullmatch(line):
                yield self._record(CALL, "", "edit", {"path": found[1]})
            elif found := _RUN.fullmatch(line):
                yield self._record(CALL, "", "terminal", {"command": found[1]})
            elif line and not line.startswith(_NOISE) and "(Y)es/(N)o" not in line:
                rest.append(line)
        if rest and any(_FAILED.search(line) for line in rest):
            yield self._record(RESULT, "\n".join(rest), "aider", failed=True)

    def _record(self, kind: str, text: str, tool: str = "", given: object = None, *, failed: bool = False) -> Record:
        return Record(self.session, kind, text, "", tool, given, failed=failed)
