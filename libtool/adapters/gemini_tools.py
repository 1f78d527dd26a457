"""Gemini CLI's tool calls and results, as records."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.documents import dict_of, dicts_of, text_of
from libtool.adapters.shapes import utc
from libtool.adapters.shell_frame import shell_output
from libtool.domain.session import ANSWER, CALL, RESULT, SUMMARY, Record

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.domain.session import Session

RAN = "I ran the following shell command:\n```sh\n"
"""How the client tells the model of a command that the person ran."""
_GAVE = "\n```\n\nThis produced the following result:\n```\n"
_SUBAGENT = frozenset({"invoke_agent", "delegate_to_agent"})
_FINISHED, _RESULT = "Subagent '", "\nResult:\n"
_SKILL = "activate_skill"
_ASK = "ask_user"
_SHELL = "run_shell_command"
_FAILED = frozenset({"error", "cancelled"})
_REJECTED = "Plan rejected. User feedback: "
_HOOK_OPEN, _HOOK_CLOSE = "\n\n<hook_context>", "</hook_context>"
_UNTRUSTED_OPEN, _UNTRUSTED_CLOSE = "<untrusted_context>\n", "\n</untrusted_context>"
_EXIT = re.compile(r"^Exit Code: (-?\d+)$", re.MULTILINE)
_TAIL = 300
"""How far from its end a shell result tells the exit code, in characters."""


class Tools:
    """Turns calls and results into records, each once, over all messages of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._called: set[str] = set()
        self._answered: set[str] = set()

    def calls(self, calls: list[dict[str, Any]], parts: list[dict[str, Any]], time: str) -> Iterator[Record]:
        """A message's calls with their results, then calls that only its parts hold."""
        for call in calls:
            name, key = text_of(call.get("name")), text_of(call.get("id"))
            yield from self._call(name, key, call.get("args"), time)
            # The time of a call is that of its end.
            at = utc(call.get("timestamp")) or time
            self._session.saw(at)
            text = _result_text(call.get("result"))
            if text or call.get("result"):
                yield from self._result(name, key, text, at, failed=text_of(call.get("status")) in _FAILED, asked=call.get("args"))
        for part in parts:
            if "functionCall" in part:
                made = dict_of(part["functionCall"])
                yield from self._call(text_of(made.get("name")), text_of(made.get("id")), made.get("args"), time)

    def responses(self, parts: list[dict[str, Any]], time: str) -> Iterator[Record]:
        """Results in a user message that no call held."""
        for part in parts:
            if "functionResponse" in part:
                answer = dict_of(part["functionResponse"])
                name, key = text_of(answer.get("name")), text_of(answer.get("id"))
                yield from self._result(name, key, _result_text([part]), time, failed=False, asked=None)

    def ran(self, text: str, time: str) -> Iterator[Record]:
        """A command that the person ran, as the client told it."""
        command, _, output = text.removeprefix(RAN).partition(_GAVE)
        yield Record(self._session, CALL, time=time, tool=_SHELL, input={"command": command})
        yield Record(self._session, RESULT, output.removesuffix("\n```"), time, _SHELL)

    def _call(self, name: str, key: str, made: object, time: str) -> Iterator[Record]:
        if key and key in self._called:
            return
        self._called.add(key)
        if name != _ASK:
            yield Record(self._session, CALL, time=time, tool=name, input=made)

    def _result(self, name: str, key: str, text: str, time: str, *, failed: bool, asked: object) -> Iterator[Record]:
        if key and key in self._answered:
            return
        self._answered.add(key)
        failed = failed or (name == _SHELL and _exited_badly(text)) or (name in _SUBAGENT and not _report(text))
        text = shell_output(text) if name == _SHELL else text
        answer = "" if failed else _answer(name, text, asked)
        if answer:
            yield Record(self._session, ANSWER, answer, time, name)
        elif name in _SUBAGENT and not failed:
            yield Record(self._session, SUMMARY, _report(text), time, name)
        elif name != _SKILL or failed:
            yield Record(self._session, RESULT, text, time, name, failed=failed or name == _ASK)


def _result_text(result: object) -> str:
    """The text of a result's parts, without what hooks added and the frame around foreign text."""
    pieces = [{"text": result}] if isinstance(result, str) else dicts_of(result if isinstance(result, list) else [result])
    texts = []
    for piece in pieces:
        text = text_of(piece.get("text"))
        response = dict_of(dict_of(piece.get("functionResponse")).get("response"))
        for key in ("output", "error", "content"):
            text = text or text_of(response.get(key))
        texts.append(_unframed(text))
    return "\n".join(text for text in texts if text)


def _unframed(text: str) -> str:
    while text.endswith(_HOOK_CLOSE) and (start := text.rfind(_HOOK_OPEN)) >= 0:
        text = text[:start]
    if text.startswith(_UNTRUSTED_OPEN) and text.endswith(_UNTRUSTED_CLOSE):
        text = text[len(_UNTRUSTED_OPEN) : -len(_UNTRUSTED_CLOSE)]
    return text


def _exited_badly(text: str) -> bool:
    codes = _EXIT.findall(text[-_TAIL:])
    return bool(codes) and int(codes[-1]) != 0


def _report(text: str) -> str:
    """A sub-agent's report without the client's heading; empty when it did not reach its goal."""
    if not text.startswith(_FINISHED):
        return text
    heading, _, report = text.partition(_RESULT)
    return report.strip() if "\nTermination Reason: GOAL" in heading else ""


def _answer(name: str, text: str, asked: object) -> str:
    """What the person decided: the answers to `ask_user`, or why a plan was rejected; empty when the result is neither."""
    if name == "exit_plan_mode" and text.startswith(_REJECTED):
        return text.removeprefix(_REJECTED).partition("\n\nThe plan is stored at: ")[0]
    if name != _ASK:
        return ""
    try:
        given = dict_of(dict_of(json.loads(text)).get("answers"))
    except (ValueError, RecursionError):
        return ""
    questions = dicts_of(dict_of(asked).get("questions"))
    lines = []
    for at, choice in given.items():
        place = int(at) if at.isdecimal() and len(at) < 4 else len(questions)
        question = text_of(questions[place].get("question")) if place < len(questions) else ""
        lines.append(f"{question}\n{text_of(choice)}".strip())
    return "\n".join(lines)
