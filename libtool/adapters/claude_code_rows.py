"""Claude Code: from rows to records."""

from __future__ import annotations

import hashlib
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

from libtool.adapters.claude_code_files import SidePath, ToolResults, agent_facts
from libtool.adapters.claude_code_queue import PromptQueue
from libtool.adapters.claude_code_raw import IGNORED, blocks, load, skip
from libtool.adapters.claude_code_sessions import Sessions, row_time
from libtool.adapters.claude_code_text import feedback, result, said, summary
from libtool.adapters.lines import json_rows
from libtool.domain.session import ANSWER, ASSISTANT, CALL, HUMAN, PLAN, RESULT, SUMMARY, TASK, THINKING, TITLE, Record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from libtool.adapters.base import Source
    from libtool.domain.session import Session

Row = dict[str, Any]

_OPEN_CALLS = 256
_NAME = 200
_LEAVES = 64
_PLANS = 16
_ASKED = "AskUserQuestion"
_AGENTS = frozenset({"Agent", "Task"})
_PLAN_TOOL = "ExitPlanMode"
_COPIES = ("acompact-", "aprompt_suggestion-")
"""Beginnings of the ids of helpers whose transcript is their parent's, once more."""
_RECAPS = " (disable recaps in /config)"


class ClaudeCodeReader:
    """Reads one file. Facts of the session fill up while rows pass."""

    def __init__(self, path: str, state: dict[str, Any] | None) -> None:
        state = state or {}
        self._path = SidePath(path)
        self._sessions = Sessions(self._path, state.get("sessions"))
        self._queue = PromptQueue(state.get("queue"))
        self._calls: dict[str, str] = state.get("calls", {})
        """Tool names of the latest calls, by call id."""
        self._asked: set[str] = {key for key, name in self._calls.items() if name == _ASKED}
        self._leaves: deque[str] = deque(state.get("leaves", ()), _LEAVES)
        """Ids of the latest rows: a `summary` row names one of them, unless it belongs to another session."""
        self._plans: deque[str] = deque(state.get("plans", ()), _PLANS)
        """Digests of the latest plans: one that is taken over, or sent again, is told once."""
        self._begun: bool = state.get("begun", False)
        self._named: bool = state.get("named", False)
        """Whether the person named the session; generated titles then no longer count."""
        self._rows: dict[str, Callable[[Row], Iterable[Record]]] = {
            "user": self._user,
            "assistant": self._assistant,
            "progress": self._progress,
            "queue-operation": self._queued,
            "attachment": self._attachment,
            "system": self._system,
            "summary": self._titled,
            "ai-title": self._titled,
            "custom-title": self._titled,
            "agent-name": self._titled,
            "pr-link": self._linked,
        }

    def read(self, source: Source) -> Iterator[Record]:
        """Yield the records from `source.start` on."""
        if self._path.agent.startswith(_COPIES):
            source.tally.notes.append("a copy of the parent's conversation, made to summarise it, is left out")
            source.offset = source.size
            return
        self._results = ToolResults(self._path, source)
        self._sessions.agent_facts = agent_facts(self._path)
        for _, row in json_rows(source, skip, partial(load, wanted=self._asked)):
            kind = row.get("type")
            handle = self._rows.get(kind) if isinstance(kind, str) else None
            if handle is not None:
                yield from handle(row)
            elif kind not in IGNORED if isinstance(kind, str) else True:
                source.tally.unknown[_name(kind)] += 1

    def state(self) -> dict[str, Any]:
        """What a later reader needs; bounded."""
        return {
            "sessions": self._sessions.state(),
            "queue": self._queue.state(),
            "calls": self._calls,
            "leaves": list(self._leaves),
            "plans": list(self._plans),
            "begun": self._begun,
            "named": self._named,
        }

    # rows

    def _user(self, row: Row) -> Iterable[Record]:
        session, time = self._sessions.of(row)
        self._conversation(row)
        return self._message(row, session, time)

    def _assistant(self, row: Row) -> Iterable[Record]:
        session, time = self._sessions.of(row)
        self._conversation(row)
        if row.get("isApiErrorMessage") is True or _model(row) == "<synthetic>":
            return ()
        early = self._replied(time) if row.get("isSidechain") is not True else []
        return [*early, *self._reply(row, session, time)] if early else self._reply(row, session, time)

    def _progress(self, row: Row) -> Iterator[Record]:
        """A sub-agent's message inside its parent's file (2.1.12 to 2.1.81), unless the sub-agent has a file of its own."""
        data = row.get("data")
        inner = data.get("message") if isinstance(data, dict) and data.get("type") == "agent_progress" else None
        if not isinstance(inner, dict):
            return
        parent, outer = self._sessions.of(row)
        agent = data.get("agentId") if isinstance(data, dict) else None
        if not isinstance(agent, str) or self._path.has_agent_file(agent):
            return
        session = self._sessions.agent(parent, agent)
        time = row_time(inner.get("timestamp")) or outer
        session.saw(time)
        if inner.get("type") == "assistant":
            yield from self._reply(inner, session, time)
        else:
            yield from self._message(inner, session, time)

    def _queued(self, row: Row) -> Iterator[Record]:
        operation = row.get("operation")
        if operation == "enqueue":
            yield from self._enqueued(_text(row.get("content")).strip(), row)
        elif operation == "dequeue":
            self._queue.dequeue()
        elif operation == "remove":
            self._queue.remove()
        elif operation == "popAll":
            self._queue.pop_all()

    def _enqueued(self, text: str, row: Row) -> Iterator[Record]:
        session, time = self._sessions.of(row)
        if self._begun:
            records = list(self._spoken([text], session, time))
            self._queue.enqueue(text, given=bool(records))
            yield from records
        elif any(kind == HUMAN for kind, _ in said(text)):
            self._queue.wait(text, time)

    def _attachment(self, row: Row) -> Iterator[Record]:
        attachment = row.get("attachment")
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            return
        session, time = self._sessions.of(row)
        text = _text(attachment.get("prompt")).strip()
        if not self._queue.repeats_late(text):
            yield from self._spoken([text], session, time, typed=_typed(row) and _typed(attachment))

    def _system(self, row: Row) -> Iterator[Record]:
        session, time = self._sessions.of(row)
        if row.get("subtype") == "away_summary" and (text := _text(row.get("content")).removesuffix(_RECAPS).strip()):
            yield Record(session, SUMMARY, text, time)

    def _titled(self, row: Row) -> Iterator[Record]:
        kind = row["type"]
        title = row.get({"summary": "summary", "ai-title": "aiTitle", "custom-title": "customTitle", "agent-name": "agentName"}[kind])
        if not isinstance(title, str) or not title.strip():
            return
        named = kind in {"custom-title", "agent-name"}
        if (self._named and not named) or (kind == "summary" and row.get("leafUuid") not in self._leaves):
            return
        self._named = named or self._named
        session, _ = self._sessions.of(row)
        if session.title != title.strip():
            session.title = title.strip()
            yield Record(session, TITLE, session.title)

    def _linked(self, row: Row) -> Iterator[Record]:
        repository = row.get("prRepository")
        if isinstance(repository, str):
            self._sessions.of(row)[0].repository = repository
        yield from ()

    # messages

    def _conversation(self, row: Row) -> None:
        """Note that the conversation runs."""
        uuid = row.get("uuid")
        if isinstance(uuid, str):
            self._leaves.append(uuid[:40])
        self._begun = True

    def _replied(self, time: str) -> list[Record]:
        """Note that the model replied: a waiting prompt whose own user row never came is given out."""
        self._queue.replied()
        if not self._queue.waiting:
            return []
        early: list[Record] = []
        while self._queue.waiting and time >= self._queue.waiting[0][1]:
            text, queued = self._queue.waiting.pop(0)
            early += self._spoken([text], self._sessions.own, queued)
        return early

    def _message(self, row: Row, session: Session, time: str) -> list[Record]:
        """The records of a user row: results, and what was said."""
        texts: list[str] = []
        records: list[Record] = []
        for block in blocks(row):
            if isinstance(block, str):
                texts.append(block)
            elif isinstance(block, dict):
                if block.get("type") == "tool_result":
                    records += self._result(row, block, session, time)
                elif block.get("type") == "text":
                    texts.append(_text(block))
        if not texts or row.get("isMeta") is True:
            return records
        if row.get("isCompactSummary") is True:
            return [*records, Record(session, SUMMARY, summary("\n".join(texts)), time)]
        if self._repeated(texts, session):
            return records
        return [*records, *self._spoken(texts, session, time, typed=_typed(row))]

    def _repeated(self, texts: list[str], session: Session) -> bool:
        """Whether a user row repeats a queued prompt that was already given out."""
        if session.subagent:
            return False
        typed = "\n".join(texts).strip()
        whole = "\n".join(words for text in texts for kind, words in said(text) if kind == HUMAN)
        for at, (text, _) in enumerate(self._queue.waiting):
            if text in {typed, whole}:
                del self._queue.waiting[at]
                return False
        return bool(whole) and self._queue.repeats(typed, whole)

    def _spoken(self, texts: list[str], session: Session, time: str, *, typed: bool = True) -> Iterator[Record]:
        """The records of what a user row, a queued prompt or an attachment says; its prompts make one turn."""
        heard = [pair for text in texts for pair in said(text)]
        session.saw(time)
        for kind, words in heard:
            if kind == CALL:
                yield Record(session, CALL, time=time, tool="Bash", input={"command": words})
            elif kind in {RESULT, SUMMARY}:
                yield Record(session, kind, words, time, tool="Bash" if kind == RESULT else "")
        prompt = "\n".join(words for kind, words in heard if kind == HUMAN)
        if prompt and (typed or session.subagent):
            yield Record(session, TASK if session.subagent else HUMAN, prompt, time)
            for words in (words for kind, words in heard if kind == PLAN):
                if self._new_plan(session, words):
                    yield Record(session, PLAN, words, time)

    def _reply(self, row: Row, session: Session, time: str) -> list[Record]:
        """The records of an assistant row: prose, thinking, calls, plans."""
        session.model = _model(row) or session.model
        records = []
        for block in blocks(row):
            kind = block.get("type") if isinstance(block, dict) else None
            if kind == "text":
                if text := _text(block).strip():
                    records.append(Record(session, ASSISTANT, text, time))
            elif kind == "thinking":
                if text := _text(block.get("thinking")).strip():
                    records.append(Record(session, THINKING, text, time))
            elif kind in ("tool_use", "server_tool_use"):
                records.append(self._call(block, session, time))
        return records

    def _call(self, block: Row, session: Session, time: str) -> Record:
        name, call = block.get("name"), block.get("id")
        name = name[:_NAME] if isinstance(name, str) else ""
        if isinstance(call, str):
            self._calls[call] = name
            if name == _ASKED:
                self._asked.add(call)
            if len(self._calls) > _OPEN_CALLS:
                self._forget(next(iter(self._calls)))
        given = block.get("input")
        plan = given.get("plan") if name == _PLAN_TOOL and isinstance(given, dict) else None
        if isinstance(plan, str) and plan.strip() and self._new_plan(session, plan.strip()):
            return Record(session, PLAN, plan.strip(), time)
        return Record(session, CALL, time=time, tool=name, input=given, call=call if isinstance(call, str) else "")

    def _new_plan(self, session: Session, plan: str) -> bool:
        """Whether this plan is not the same as one that this session was shown lately."""
        digest = hashlib.blake2b(f"{session.id} {plan}".encode("utf-8", "replace"), digest_size=8).hexdigest()
        if digest in self._plans:
            return False
        self._plans.append(digest)
        return True

    def _result(self, row: Row, block: Row, session: Session, time: str) -> list[Record]:
        call = block.get("tool_use_id")
        tool = self._forget(call) if isinstance(call, str) else ""
        text = result(_text(block.get("content")))
        failed = block.get("is_error") is True or (text.startswith("Exit code ") and not text.startswith("Exit code 0"))
        answers: list[Record] = []
        if failed and (typed := feedback(text)):
            answers = [Record(session, ANSWER, typed, time)]
            text = text.partition("\n")[0]
        if not failed and tool == _ASKED:
            return _answers(row, text, session, time)
        if not failed and tool in _AGENTS and (report := _report(block.get("content"))):
            return [Record(session, SUMMARY, report, time)]
        if tool == _PLAN_TOOL:
            text = text.partition("\n\n## Approved Plan")[0]
        whole = self._results.whole(text)
        given = -1 if whole is text else len(text.encode("utf-8", "replace"))
        known = call if isinstance(call, str) else ""
        return [*answers, Record(session, RESULT, whole, time, tool=tool, failed=failed, call=known, given=given)]

    def _forget(self, call: str) -> str:
        self._asked.discard(call)
        return self._calls.pop(call, "")


def _answers(row: Row, text: str, session: Session, time: str) -> list[Record]:
    """Question and chosen answer, one record a question."""
    given = row.get("toolUseResult")
    answers = given.get("answers") if isinstance(given, dict) else None
    if not isinstance(answers, dict) or not answers:
        return [Record(session, ANSWER, text, time)]
    chosen = {question: ", ".join(map(str, answer)) if isinstance(answer, list) else str(answer) for question, answer in answers.items()}
    return [Record(session, ANSWER, f"{question}\n{answer}", time) for question, answer in chosen.items()]


def _report(content: object) -> str:
    """A sub-agent's final report, without the block that only says how to go on with the agent; empty when it merely started."""
    parts = [_text(part) for part in content] if isinstance(content, list) else [_text(content)]
    text = "\n".join(part for part in parts if not part.startswith("agentId: "))
    text = text.partition("\nagentId: ")[0].strip()
    return "" if text.startswith("Async agent launched") else text


def _text(value: object) -> str:
    """The text of a content: a string, a text block, or a list of them; images and the like are left out."""
    if isinstance(value, str):
        return value.replace("\x00", "") if "\x00" in value else value
    if isinstance(value, list):
        return "\n".join(text for text in map(_text, value) if text)
    if isinstance(value, dict):
        inner = value.get("text")
        return _text(inner if isinstance(inner, str) else value.get("content") if value.get("type") != "image" else None)
    return ""


def _model(row: Row) -> str:
    message = row.get("message")
    model = message.get("model") if isinstance(message, dict) else None
    return model if isinstance(model, str) else ""


def _typed(row: Row) -> bool:
    """Whether a row's `origin` does not deny that a person typed it."""
    origin = row.get("origin")
    return not isinstance(origin, dict) or origin.get("kind") in (None, "human")


def _name(kind: object) -> str:
    return "".join(char for char in str(kind)[:60] if char.isprintable()) or "?"
