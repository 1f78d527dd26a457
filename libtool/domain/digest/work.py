"""What was done in a session: files edited, commits, pull requests, tasks left open, the command that failed last."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from libtool.domain import condense
from libtool.domain.digest import marks
from libtool.domain.text import one_line

if TYPE_CHECKING:
    from collections.abc import Mapping

_EDITS = frozenset(
    "edit multiedit write write_file writefile str_replace replace create apply_patch notebookedit edit_file write_to_file replace_in_file "
    "apply_diff insert_content str_replace_editor update_file create_file search_replace".split()
)
_TASKS = frozenset("todowrite update_plan todo_write write_todos updateplan".split())
_TASK = re.compile(r"\[(pending|in_progress|todo|in progress)\] ([^;]{3,200})")
_DONE_OR_NOT = re.compile(r"\[(?:pending|in_progress|completed|done|todo|in progress|cancelled)\]")
_COMMIT = re.compile(r"\[(?:[\w./-]{1,80})(?: \(root-commit\))? ([0-9a-f]{7,40})\] ([^\n]{3,200})")
_COMMITTED = re.compile(r"git commit ([^\n]{3,200}) ([0-9a-f]{7,40})")
"""The input of a tool `git` that names the commit it made, as aider's does."""
_REQUEST = re.compile(r"https://[\w.-]{3,60}/[\w./-]{3,120}/(?:pull|pulls|merge_requests|issues)/\d{1,7}\b")
_OURS = ""
"""Stands for a command that asks the library among those that wait for their result."""
_TURNS_KEPT = 400
_COMMITS_KEPT, _REQUESTS_KEPT, _FILES_KEPT, _OPEN_KEPT = 40, 8, 60, 12
_COMMAND_WORDS, _WAITING, _ERROR_LENGTH = 3, 16, 140


class Work:
    """Counts the traces of work in tool calls and their results."""

    def __init__(self, state: Mapping[str, Any] | None = None) -> None:
        state = state or {}
        self.files: dict[str, int] = dict(state.get("files", ()))
        """Path to its number of edits."""
        self.turns: dict[int, list[str]] = {int(turn): list(paths) for turn, paths in state.get("turns", {}).items()}
        """Turn to the files, tests apart, that were edited in it: the first two."""
        self.commits: list[list[Any]] = [list(row) for row in state.get("commits", ())]
        """[hash, subject, turn] in order."""
        self.requests: list[list[Any]] = [list(row) for row in state.get("requests", ())]
        """[URL of a pull request or issue, turn] in order."""
        self.open_tasks: list[str] = list(state.get("open_tasks", ()))
        self.tasks_turn: int = state.get("tasks_turn", 0)
        self.failed: list[Any] = list(state.get("failed", ()))
        """[command, last telling line, turn] of the failure that no later call mended; empty when there is none."""
        self.said_since: str = state.get("said_since", "")
        """The message after that failure."""
        self._waiting: list[str] = list(state.get("waiting", ()))

    def state(self) -> dict[str, Any]:
        """All of it as a JSON object."""
        return {
            "files": self.files,
            "turns": {str(turn): paths for turn, paths in self.turns.items()},
            "commits": self.commits,
            "requests": self.requests,
            "open_tasks": self.open_tasks,
            "tasks_turn": self.tasks_turn,
            "failed": self.failed,
            "said_since": self.said_since,
            "waiting": self._waiting,
        }

    def said(self, code: str, turn: int, text: str) -> None:
        """Take a message: what the model says after a failure tells whether it was the end."""
        if code == condense.ASSISTANT and self.failed and turn >= self.failed[2]:
            self.said_since = one_line(text, 600)
        if "://" in text:
            self._requests(turn, text)

    def add(self, code: str, turn: int, text: str) -> bool:
        """Take a tool call, a result or a failure, as they were condensed; False for one that asks the library, which is left out."""
        if code == condense.CALL:
            return self._called(turn, text)
        command = self._waiting.pop(0) if self._waiting else None
        if command == _OURS:
            return False
        if code == condense.FAILED:
            if command:
                self.failed, self.said_since = [command, _last_line(text), turn], ""
        elif self.failed and command and _same(command, self.failed[0]):
            self.failed, self.said_since = [], ""
        for digits, subject in _COMMIT.findall(text):
            self._committed(turn, digits, subject)
        if "://" in text:
            self._requests(turn, text)
        return True

    def _called(self, turn: int, text: str) -> bool:
        ours = marks.OURS.match(text) is not None
        if text.startswith("$ "):
            self._waiting = [*self._waiting, _OURS if ours else one_line(text[2:], 200)][-_WAITING:]
        elif not ours:
            self._used(turn, text)
        return not ours

    def _used(self, turn: int, text: str) -> None:
        name, _, rest = text.partition(" ")
        name = name.lower()
        if name in _EDITS:
            for path in rest.split(", ") if ", " in rest else rest.split(" ")[:1]:
                if path and len(path) < 300 and len(self.files) < _FILES_KEPT:
                    self.files[path] = self.files.get(path, 0) + 1
                    self._edited(turn, path)
        elif name in _TASKS and _DONE_OR_NOT.search(rest):
            self.open_tasks = [one_line(what, 160) for _, what in _TASK.findall(rest)][:_OPEN_KEPT]
            self.tasks_turn = turn
        elif name == "git" and (made := _COMMITTED.fullmatch(rest)):
            self._committed(turn, made[2], made[1])

    def _committed(self, turn: int, digits: str, subject: str) -> None:
        if all(row[0] != digits for row in self.commits):
            self.commits = [*self.commits, [digits, subject.strip(), turn]][-_COMMITS_KEPT:]

    def _edited(self, turn: int, path: str) -> None:
        paths = self.turns.setdefault(turn, [])
        if path not in paths and len(paths) < 2 and "test" not in path.rsplit("/", 1)[-1]:
            paths.append(path)
        if len(self.turns) > _TURNS_KEPT:
            del self.turns[min(self.turns)]

    def _requests(self, turn: int, text: str) -> None:
        for url in _REQUEST.findall(text):
            if all(row[0] != url for row in self.requests):
                self.requests = [*self.requests, [url, turn]][-_REQUESTS_KEPT:]


def _same(command: str, other: str) -> bool:
    """Whether two command lines run the same program on the same task, as far as their first words tell."""
    return command.split()[:_COMMAND_WORDS] == other.split()[:_COMMAND_WORDS]


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "error" in line.lower() or "fail" in line.lower()]
    return one_line((telling or lines or [""])[-1], _ERROR_LENGTH)
