"""Qwen Code's tool calls and results, as records."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.documents import dict_of, dicts_of, text_of
from libtool.adapters.shell_frame import shell_output
from libtool.domain.session import ANSWER, CALL, PLAN, RESULT, SUMMARY, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.domain.session import Session

_ASK = "ask_user_question"
_PLAN = "exit_plan_mode"
_SUBAGENT = frozenset({"agent", "task"})
_SKILL = "skill"
_SHELL = "run_shell_command"
_ANSWERED = "User has provided the following answers:"
_LAST_LINE = "\nProcess Group PGID: "
_EXIT = re.compile(r"^Exit Code: (-?\d+)$", re.MULTILINE)
_TAIL = 400
"""How far from its end a shell result tells the exit code, in characters."""
_MOST_OPEN = 50
_MOST_QUESTIONS = 4_000
"""Most characters of questions that are kept for their answer."""


class Tools:
    """Pairs calls and results of one session. `open` holds what a result still needs of its call: part of the reader's state."""

    def __init__(self, session: Session, still_open: dict[str, Any]) -> None:
        self._session = session
        self.open: dict[str, list[str]] = {key: [text_of(item) for item in value] for key, value in still_open.items()}

    def call(self, made: dict[str, Any], time: str) -> Iterator[Record]:
        """The record of a call: a plan for a plan, nothing yet for a question."""
        name, key, given = text_of(made.get("name")), text_of(made.get("id")), made.get("args")
        plan = text_of(dict_of(given).get("plan")) if name == _PLAN else ""
        if name == _ASK:
            self._keep(key, _questions(given))
        elif plan:
            yield Record(self._session, PLAN, plan, time, name)
        else:
            yield Record(self._session, CALL, time=time, tool=name, input=given)

    def results(self, parts: list[dict[str, Any]], told: dict[str, Any], time: str) -> Iterator[Record]:
        """The records of a row of results; `told` is what the client says beside the model's text."""
        for part in parts:
            if "functionResponse" not in part:
                continue
            answer = dict_of(part["functionResponse"])
            name, key = text_of(answer.get("name")), text_of(answer.get("id"))
            response = dict_of(answer.get("response"))
            error = text_of(response.get("error"))
            text = error or text_of(response.get("output"))
            if name == _SHELL:
                text = _without_hooks(text)
            failed = bool(error) or told.get("status") in ("error", "cancelled") or (name == _SHELL and _exited_badly(text))
            if name == _SHELL:
                text = shell_output(text)
            yield from self._result(name, key, text, told, time, failed=failed)

    def _result(self, name: str, key: str, text: str, told: dict[str, Any], time: str, *, failed: bool) -> Iterator[Record]:
        questions = self.open.pop(key, [])
        if name == _ASK and text.startswith(_ANSWERED) and not failed:
            answers = text.removeprefix(_ANSWERED).strip()
            yield Record(self._session, ANSWER, "\n".join([*questions, answers]), time, name)
        elif name in _SUBAGENT and not failed:
            report = text_of(dict_of(told.get("resultDisplay")).get("result"))
            yield Record(self._session, SUMMARY, report or text, time, name)
        elif name != _SKILL or failed:
            yield Record(self._session, RESULT, text, time, name, failed=failed or name == _ASK)

    def _keep(self, key: str, questions: list[str]) -> None:
        self.open[key] = questions
        while len(self.open) > _MOST_OPEN:
            del self.open[next(iter(self.open))]


def _questions(given: object) -> list[str]:
    """The questions of a call, without the options."""
    return [text_of(item.get("question"))[:_MOST_QUESTIONS] for item in dicts_of(dict_of(given).get("questions"))[:10]]


def _without_hooks(text: str) -> str:
    """A shell result up to its last line of its own: what hooks said stands behind it."""
    start = text.rfind(_LAST_LINE)
    if start < 0:
        return text
    end = text.find("\n", start + len(_LAST_LINE))
    return text if end < 0 else text[:end]


def _exited_badly(text: str) -> bool:
    codes = _EXIT.findall(text[-_TAIL:])
    return bool(codes) and int(codes[-1]) != 0
