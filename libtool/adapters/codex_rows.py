"""Codex: from rows to records."""

from __future__ import annotations

import hashlib
import os
import re
from collections import deque
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Source
from libtool.adapters.codex_base import MAX_DEPTH, base_of, find, title_of
from libtool.adapters.codex_raw import IGNORED, IGNORED_EVENTS, IGNORED_ITEMS, skip
from libtool.adapters.codex_text import answers, output, parsed, plain, plan, questions, reports, said, script, summary
from libtool.adapters.lines import json_rows
from libtool.adapters.shapes import utc
from libtool.domain.session import ANSWER, ASSISTANT, CALL, HUMAN, PLAN, RESULT, SUMMARY, TASK, THINKING, TITLE, Record, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from libtool.adapters.codex_base import Base

Row = dict[str, Any]

_THREAD = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\Z")
_OPEN_CALLS = 256
_NAME = 200
_RECENT = 32
_ASK = "request_user_input"
_SCRIPT = "exec"
_WAIT = frozenset({"wait", "wait_agent"})
_REVIEW_REPORT = "review_rollout_assistant"


class CodexReader:
    """Reads one rollout. Facts of the session fill up while rows pass."""

    def __init__(self, path: str, state: dict[str, Any] | None) -> None:
        state = state or {}
        self._stem = os.path.splitext(os.path.basename(path))[0]
        own = state.get("session")
        self._session = Session(**own) if own else Session("codex", _id_in_name(self._stem))
        self._meta: bool = state.get("meta", False)
        """Whether the session's own first row was seen."""
        self._calls: dict[str, Any] = state.get("calls", {})
        """By call id: the tool's name, or for a question to the person the questions."""
        self._reports: deque[str] = deque(state.get("reports", ()), _RECENT)
        self._shown: deque[str] = deque(state.get("shown", ()), _RECENT)
        """Digests of the latest agent_message events: what was shown to the person."""
        self._shows: bool = state.get("shows", False)
        self._held: list[str] = state.get("held", [])
        """[text, time] of an assistant message that was not shown: a compaction's summary, unless something else follows."""
        self._inherited = False
        self._rows: dict[str, Callable[[Row, str], Iterator[Record]]] = {
            "session_meta": self._begin,
            "turn_context": self._context,
            "response_item": self._item,
            "event_msg": self._event,
            "compacted": self._compacted,
        }
        self._items: dict[str, Callable[[Row, str], Iterator[Record]]] = {
            "message": self._message,
            "agent_message": self._from_agent,
            "reasoning": self._reasoning,
            "function_call": self._call,
            "custom_tool_call": self._call,
            "local_shell_call": self._call,
            "web_search_call": self._call,
            "tool_search_call": self._call,
            "image_generation_call": self._call,
            "function_call_output": self._output,
            "custom_tool_call_output": self._output,
        }
        self._events: dict[str, Callable[[Row, str], Iterator[Record]]] = {
            "user_message": self._nothing,
            "agent_message": self._shown_text,
            "item_completed": self._shown_item,
            "task_complete": self._nothing,
            "thread_rolled_back": self._rolled_back,
            "entered_review_mode": self._review,
            "exited_review_mode": self._nothing,
            "thread_name_updated": self._named,
        }

    def read(self, source: Source) -> Iterator[Record]:
        """Yield the records from `source.start` on; for a fork, those of its base first."""
        self._source = source
        for _, row in json_rows(source, skip):
            yield from self._row(row)

    def state(self) -> dict[str, Any]:
        """What a later reader needs; bounded."""
        return {
            "session": self._session.to_json(),
            "meta": self._meta,
            "calls": self._calls,
            "reports": list(self._reports),
            "shown": list(self._shown),
            "shows": self._shows,
            "held": self._held,
        }

    def _row(self, row: Row) -> Iterator[Record]:
        kind, payload = row.get("type"), row.get("payload")
        time = utc(row.get("timestamp"))
        if not self._inherited:
            self._session.saw(time)
        if isinstance(payload, dict):
            handle = self._rows.get(kind) if isinstance(kind, str) else None
            if handle is not None:
                yield from handle(payload, time)
            elif kind not in IGNORED if isinstance(kind, str) else True:
                self._unknown(kind)
        elif isinstance(kind, str) and (kind in self._items or kind in IGNORED_ITEMS):
            yield from self._item(row, time)
        elif "instructions" in row and "id" in row:
            yield from self._begin(row, time)
        elif kind not in IGNORED if isinstance(kind, str) else "record_type" not in row:
            self._unknown(kind)

    def _unknown(self, kind: object) -> None:
        self._source.tally.unknown["".join(char for char in str(kind)[:60] if char.isprintable()) or "?"] += 1

    def _nothing(self, payload: Row, time: str) -> Iterator[Record]:  # noqa: ARG002 - one signature for all rows
        yield from self._release()

    # rows

    def _begin(self, meta: Row, time: str) -> Iterator[Record]:  # noqa: ARG002 - one signature for all rows
        session, own = self._session, _clean(meta.get("id"))
        if self._inherited or (self._meta and own not in {"", session.id}):
            if not self._inherited and not session.subagent:
                session.forked_from = session.forked_from or own
            return
        first, self._meta = not self._meta, True
        if first:
            session.id = own or session.id
            session.title = title_of(self._source, session.id)
        git, origin = meta.get("git"), meta.get("source")
        git = git if isinstance(git, dict) else {}
        session.cwd = session.cwd or _clean(meta.get("cwd"))
        session.branch = _clean(git.get("branch")) or session.branch
        session.repository = _clean(git.get("repository_url")) or session.repository
        session.version = _clean(meta.get("cli_version")) or session.version
        session.forked_from = session.forked_from or _clean(meta.get("forked_from_id"))
        if isinstance(origin, dict):
            _note_parent(session, meta, origin)
        else:
            session.origin = session.origin or _clean(origin)
        if first and (base := base_of(meta)) is not None:
            if session.subagent:
                self._source.tally.notes.append("the history that a sub-agent inherited from its parent is left out")
            else:
                yield from self._inherit(base, {session.id})

    def _inherit(self, base: Base, seen: set[str]) -> Iterator[Record]:
        """The records of a base rollout, as records of this session."""
        notes = self._source.tally.notes
        if base.thread in seen or len(seen) > MAX_DEPTH:
            notes.append("the history of a fork goes in a circle, or too deep")
            return
        path = find(self._source, base.thread)
        if not path:
            notes.append("the rollout that a fork continues is missing")
            return
        try:
            source = Source.open(path, home=self._source.home)
        except OSError:
            notes.append("the rollout that a fork continues cannot be read")
            return
        with source.file:
            for offset, row in json_rows(source, skip):
                if base.ends(row, offset):
                    break
                meta = row.get("payload")
                if row.get("type") == "session_meta" and isinstance(meta, dict) and (deeper := base_of(meta)) is not None:
                    yield from self._inherit(deeper, seen | {base.thread})
                self._inherited = True
                yield from self._row(row)
                self._inherited = False
        self._source.tally.damaged += source.tally.damaged

    def _context(self, payload: Row, time: str) -> Iterator[Record]:  # noqa: ARG002 - one signature for all rows
        if not self._inherited:
            self._session.model = _clean(payload.get("model")) or self._session.model
            self._session.cwd = self._session.cwd or _clean(payload.get("cwd"))
        yield from self._release()

    def _item(self, payload: Row, time: str) -> Iterator[Record]:
        kind = payload.get("type")
        handle = self._items.get(kind) if isinstance(kind, str) else None
        yield from self._release()
        if handle is not None:
            yield from handle(payload, time)
        elif kind not in IGNORED_ITEMS if isinstance(kind, str) else True:
            self._unknown(kind)

    def _event(self, payload: Row, time: str) -> Iterator[Record]:
        kind = payload.get("type")
        handle = self._events.get(kind) if isinstance(kind, str) else None
        if handle is not None:
            yield from handle(payload, time)
        elif kind not in IGNORED_EVENTS if isinstance(kind, str) else True:
            self._unknown(kind)

    def _compacted(self, payload: Row, time: str) -> Iterator[Record]:
        text = summary(plain(payload.get("message")))
        held, self._held = self._held, []
        text = text or (held[0] if held else "")
        if text:
            yield Record(self._session, SUMMARY, text, time)

    # response items

    def _message(self, payload: Row, time: str) -> Iterator[Record]:
        role = payload.get("role")
        if role == "user":
            yield from self._user(payload, time)
        elif role == "assistant":
            text = plain(payload.get("content")).strip()
            if payload.get("id") == _REVIEW_REPORT:
                yield from self._report([text], time)
            elif text and self._shows and _digest(text) not in self._shown:
                self._held = [text, time]
            elif text:
                yield from self._prose(text, time)

    def _prose(self, text: str, time: str) -> Iterator[Record]:
        before, found, rest = text.partition("<proposed_plan>")
        proposed, closed, after = rest.partition("</proposed_plan>")
        if not found or not closed:
            yield Record(self._session, ASSISTANT, text, time)
            return
        for kind, words in ((ASSISTANT, before), (PLAN, proposed), (ASSISTANT, after)):
            if words.strip():
                yield Record(self._session, kind, words.strip(), time)

    def _release(self) -> Iterator[Record]:
        """Give out the held message: what followed was no compaction."""
        if self._held:
            (text, time), self._held = self._held, []
            yield from self._prose(text, time)

    def _user(self, payload: Row, time: str) -> Iterator[Record]:
        content = payload.get("content")
        parts = content if isinstance(content, list) else [content]
        kinds = _part_kinds(payload, len(parts))
        heard = [
            pair
            for part, kind in zip(parts, kinds, strict=True)
            for pair in said(plain(part))
            if pair[0] != HUMAN or not kind or kind.startswith("user.")
        ]
        yield from self._report([words for kind, words in heard if kind == SUMMARY], time)
        for kind, words in heard:
            if kind == CALL:
                yield Record(self._session, CALL, time=time, tool="shell", input={"command": words})
            elif kind == RESULT:
                yield Record(self._session, RESULT, words, time, tool="shell")
        prompt = "\n".join(words for kind, words in heard if kind == HUMAN)
        if prompt:
            yield Record(self._session, TASK if self._session.subagent else HUMAN, prompt, time)

    def _from_agent(self, payload: Row, time: str) -> Iterator[Record]:
        """A message between agents: the task of a sub-agent, or its report."""
        text = plain(payload.get("content")).strip()
        if text and self._session.subagent:
            yield Record(self._session, TASK, text, time)
        elif text:
            yield from self._report([text], time)

    def _report(self, texts: list[str], time: str) -> Iterator[Record]:
        """Reports of agents, each once: a notice often repeats what waiting for the agent gave."""
        for text in texts:
            if text and _digest(text) not in self._reports:
                self._reports.append(_digest(text))
                yield Record(self._session, SUMMARY, text, time)

    def _reasoning(self, payload: Row, time: str) -> Iterator[Record]:
        for key in ("summary", "content"):
            if text := plain(payload.get(key)).strip():
                yield Record(self._session, THINKING, text, time)

    def _call(self, payload: Row, time: str) -> Iterator[Record]:
        kind = str(payload.get("type"))
        name = _clean(payload.get("name"))[:_NAME] or kind.removesuffix("_call")
        space = _clean(payload.get("namespace"))[:_NAME]
        given: object = next((payload[key] for key in ("arguments", "input", "action") if payload.get(key) is not None), None)
        arguments = parsed(given)
        key = _clean(payload.get("call_id"))
        tool = f"{space}.{name}" if space else name
        scripted = script(given) if name == _SCRIPT and isinstance(given, str) else []
        if scripted and all(used == "apply_patch" for used, _ in scripted):
            tool = "apply_patch"
        if key:
            self._calls[key] = questions(arguments) if name == _ASK else tool
            if len(self._calls) > _OPEN_CALLS:
                del self._calls[next(iter(self._calls))]
        steps = plan(arguments) if name == "update_plan" else ""
        if steps:
            yield Record(self._session, PLAN, steps, time)
        elif scripted:
            for used, asked in scripted:
                yield Record(self._session, CALL, time=time, tool=used, input=asked, call=key)
        else:
            yield Record(self._session, CALL, time=time, tool=tool, input=arguments or given, call=key)

    def _output(self, payload: Row, time: str) -> Iterator[Record]:
        key = _clean(payload.get("call_id"))
        tool = self._calls.pop(key, "")
        text, failed = output(payload.get("output"))
        if isinstance(tool, dict):
            given = answers(text, tool)
            for answer in given:
                yield Record(self._session, ANSWER, answer, time)
            if given:
                return
            tool = _ASK
        found = reports(text) if tool.rpartition(".")[2] in _WAIT else []
        yield from self._report(found, time)
        if not found and tool != "update_plan":
            yield Record(self._session, RESULT, text, time, tool=tool, failed=failed, call=key)

    # events

    def _shown_text(self, payload: Row, time: str) -> Iterator[Record]:  # noqa: ARG002 - one signature for all rows
        text = plain(payload.get("message")).strip()
        self._shows = True
        self._shown.append(_digest(text))
        yield from self._release()

    def _shown_item(self, payload: Row, time: str) -> Iterator[Record]:
        item = payload.get("item")
        if isinstance(item, dict) and item.get("type") == "AgentMessage":
            yield from self._shown_text({"message": plain(item.get("content"))}, time)

    def _rolled_back(self, payload: Row, time: str) -> Iterator[Record]:  # noqa: ARG002 - one signature for all rows
        turns = payload.get("num_turns")
        self._source.tally.notes.append(f"{turns if isinstance(turns, int) else '?'} turns were rolled back; they are kept")
        yield from self._release()

    def _review(self, payload: Row, time: str) -> Iterator[Record]:
        """`/review`, whose prompt the program writes: the person chose what to review."""
        yield from self._release()
        if not self._session.subagent:
            yield Record(self._session, HUMAN, f"/review {_clean(payload.get('user_facing_hint'))}".strip(), time)

    def _named(self, payload: Row, time: str) -> Iterator[Record]:
        title = _clean(payload.get("thread_name")).strip()
        if title and title != self._session.title and not self._inherited:
            self._session.title = title
            yield Record(self._session, TITLE, title, time)


def _note_parent(session: Session, meta: Row, source: Row) -> None:
    inner = source.get("subagent")
    if inner is None:
        session.origin = session.origin or _clean(next(iter(source), ""))
        return
    session.subagent = True
    spawn = inner.get("thread_spawn") if isinstance(inner, dict) else None
    spawned = spawn.get("parent_thread_id") if isinstance(spawn, dict) else None
    candidates = (meta.get("parent_thread_id"), spawned, meta.get("forked_from_id"), meta.get("session_id"))
    session.parent = next((value for value in map(_clean, candidates) if value and value != session.id), "")
    session.origin = inner if isinstance(inner, str) else "subagent"
    session.forked_from = ""


def _part_kinds(payload: Row, parts: int) -> list[str]:
    """What each part of a message is, where the client says so."""
    meta = payload.get("internal_chat_message_metadata_passthrough")
    kinds = meta.get("content_item_kinds") if isinstance(meta, dict) else None
    if not isinstance(kinds, list) or len(kinds) != parts:
        return [""] * parts
    return [kind if isinstance(kind, str) and kind != "unknown" else "" for kind in kinds]


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()


def _clean(value: object) -> str:
    return value.replace("\x00", "")[:4096] if isinstance(value, str) else ""


def _id_in_name(stem: str) -> str:
    """The thread's id at the end of a rollout's name; the whole name when there is none: a part of it might be a part of a login."""
    found = _THREAD.search(stem)
    return found[0] if found else stem or "unnamed"
