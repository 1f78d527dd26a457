"""Copilot CLI's tool calls and results, as records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.documents import dict_of, text_of
from libtool.domain.session import ANSWER, CALL, PLAN, RESULT, SUMMARY, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.domain.session import Session

_ASK = "ask_user"
_PLAN = "exit_plan_mode"
_SUBAGENT = "task"
_DONE = "task_complete"
_ANSWERED = re.compile(r"(?:The )?[Uu]ser (?:responded|selected|answered)(?: option \d+)?: ")
_EXIT = re.compile(r"<(?:shellId|command with [^>]{0,40}?)[^>]{0,60} exit code (-?\d+)>\s*\Z")
_TAIL = 160
"""How far from its end a shell result tells the exit code, in characters."""
_HOOK_TAIL = '\n\nTool "'
_HOOK_WORDS = ". Additional guidance from postToolUse"
_MOST_OPEN = 50
_MOST_PROMPT = 3_000
"""Longest prompt or question that is kept for what follows the call, in characters."""


class Tools:
    """Pairs calls and results over all sessions of one file."""

    def __init__(self, still_open: dict[str, Any]) -> None:
        self._open: dict[str, list[str]] = {}
        """Calls without a result: the tool's name; of a question its text, of a sub-agent its prompt."""
        for key, value in still_open.items():
            self._open[key] = [text_of(item) for item in value]

    def state(self) -> dict[str, Any]:
        """What the constructor takes."""
        return dict(self._open)

    def prompt(self, key: str) -> str:
        """The prompt of a sub-agent that is being called."""
        tool, told = self._open.get(key, ["", ""])
        return told if tool == _SUBAGENT else ""

    def requested(self, request: dict[str, Any], session: Session, time: str) -> Iterator[Record]:
        """A call as the model made it."""
        name = text_of(request.get("name"))
        yield from self._called(text_of(request.get("toolCallId")), name, request.get("arguments"), session, time)

    def started(self, data: dict[str, Any], session: Session, time: str) -> Iterator[Record]:
        """The same call again as it runs, or one that the person made."""
        key = text_of(data.get("toolCallId"))
        if key not in self._open:
            yield from self._called(key, text_of(data.get("toolName")), data.get("arguments"), session, time)

    def completed(self, data: dict[str, Any], session: Session, time: str) -> Iterator[Record]:
        """A result: an answer, a sub-agent's report, or what the tool gave back."""
        name, told = self._open.pop(text_of(data.get("toolCallId")), ["", ""])
        result = data.get("result")
        text = result if isinstance(result, str) else text_of(dict_of(result).get("content"))
        text = _without_hooks(text) or text_of(dict_of(data.get("error")).get("message"))
        failed = data.get("success") is False or _exited_badly(data, text)
        if name == _ASK and not failed:
            yield Record(session, ANSWER, f"{told}\n{_ANSWERED.sub('', text, count=1)}".strip(), time, name)
        elif name == _SUBAGENT and not failed:
            yield Record(session, SUMMARY, text, time, name)
        elif name != _DONE or failed:
            yield Record(session, RESULT, text if failed else _without_good_end(text), time, name, failed=failed)

    def _called(self, key: str, name: str, given: object, session: Session, time: str) -> Iterator[Record]:
        arguments = dict_of(given)
        self._keep(key, name, text_of(arguments.get("question" if name == _ASK else "prompt")))
        plan = text_of(arguments.get("planContent")) or text_of(arguments.get("plan")) or text_of(arguments.get("summary"))
        if name == _PLAN and plan:
            yield Record(session, PLAN, plan, time, name)
        elif name not in {_ASK, _DONE}:
            # The end of a task comes with its summary in an event of its own.
            yield Record(session, CALL, time=time, tool=name, input=given)

    def _keep(self, key: str, name: str, told: str) -> None:
        self._open[key] = [name, told[:_MOST_PROMPT] if name in {_ASK, _SUBAGENT} else ""]
        while len(self._open) > _MOST_OPEN:
            del self._open[next(iter(self._open))]


def _without_hooks(text: str) -> str:
    """A result without what hooks added behind it."""
    words = text.rfind(_HOOK_WORDS)
    start = text.rfind(_HOOK_TAIL, 0, words) if words >= 0 else -1
    return text[:start] if start >= 0 and words - start < 200 else text


def _without_good_end(text: str) -> str:
    """A result without the line that only says that the command went well."""
    tail = text[-_TAIL:]
    found = _EXIT.search(tail)
    return text[: len(text) - len(tail) + found.start()].rstrip("\n") if found else text


def _exited_badly(data: dict[str, Any], text: str) -> bool:
    code = dict_of(data.get("shellExecution")).get("exitCode")
    if code is None:
        found = _EXIT.search(text[-_TAIL:])
        return found is not None and int(found[1]) != 0
    return bool(code != 0)
