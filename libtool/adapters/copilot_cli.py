"""Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`, append-only events `{type, data, id, timestamp, agentId?}`.

A sub-agent's events lie in its parent's file with `agentId` (before 1.0.7x only `data.parentToolCallId`): its session is
`<parent>/<agentId>`. `user.message.parentAgentTaskId` says nothing: the person's own messages carry it too. Seen: 1.0.64, 1.0.102.
"""

from __future__ import annotations

import hashlib
import os
import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Place
from libtool.adapters.copilot_tools import Tools
from libtool.adapters.documents import dict_of, dicts_of, text_of, type_name
from libtool.adapters.lines import json_rows
from libtool.adapters.shapes import head_rows, utc
from libtool.domain.session import ASSISTANT, HUMAN, PLAN, SUMMARY, TASK, THINKING, TITLE, Record, Session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    Handler = Callable[[dict[str, Any], Session, str], Iterator[Record]]

    from libtool.adapters.base import Source

# Events that hold nothing wanted, by the key that Copilot writes first; of hooks' ends only one that blocks (and says why) counts.
_DROP = re.compile(
    rb'\s*\{\s*"type"\s*:\s*"(?:hook\.start|system\.message|session\.usage_record|session\.usage_checkpoint|session\.shutdown'
    rb"|assistant\.turn_start|assistant\.turn_end|permission\.requested|permission\.completed|skill\.invoked)\""
)
_GLUED = re.compile(rb'\{"type":"(?:user|assistant|tool)\.')
"""Behind the head of a line, an event that was glued to one that was cut."""
_DROP_HOOK_END = re.compile(rb'\s*\{\s*"type"\s*:\s*"hook\.end"')
_SILENT = frozenset(
    "hook.start hook.progress system.message system.notification session.usage_record session.usage_checkpoint session.usage_info"
    " session.shutdown session.compaction_start session.permissions_changed session.mode_changed session.truncation session.info"
    " session.warning session.error session.idle session.snapshot_rewind session.workspace_file_changed session.remote_steerable_changed"
    " session.tools_updated session.background_tasks_changed session.skills_loaded session.custom_agents_updated"
    " session.mcp_servers_loaded session.mcp_server_status_changed session.extensions_loaded session.custom_notification"
    " assistant.turn_start assistant.turn_end assistant.intent assistant.usage assistant.reasoning permission.requested"
    " permission.completed user_input.requested user_input.completed elicitation.requested elicitation.completed sampling.requested"
    " sampling.completed mcp.oauth_required mcp.oauth_completed external_tool.requested external_tool.completed command.queued"
    " command.execute command.completed commands.changed capabilities.changed exit_plan_mode.requested exit_plan_mode.completed"
    " auto_mode_switch.requested auto_mode_switch.completed tool.execution_progress tool.execution_partial_result skill.invoked"
    " skill.context_delivered_ref subagent.configured subagent.completed subagent.failed subagent.selected subagent.deselected"
    " pending_messages.modified abort".split()
)
_INJECTED = ("skill-", "system")
"""How the `source` of a message begins that the client made."""
_FROM_AGENT = "agent-"
_SKILL_BODY = "<skill-context"
_WORKSPACE = "workspace.yaml"
_SIDE_FILE = 1 << 16
"""How much of workspace.yaml is read, in bytes."""
_MOST_AGENTS = 150


class CopilotCli(Adapter):
    """Adapter of Copilot CLI's sessions."""

    agent = "copilot-cli"

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:
        """`~/.copilot` or COPILOT_HOME."""
        return [Place(env.get("COPILOT_HOME") or os.path.join(home, ".copilot"), ("session-state/*/events.jsonl", "session-state/*.jsonl"))]

    def sniff(self, head: bytes, path: str) -> bool:  # noqa: ARG002 - the content decides
        """An event `session.start` (or another event of a session whose start is lost) with an id and data."""
        return any(map(_is_event, head_rows(head)))

    def reader(self, path: str, state: dict[str, Any] | None) -> CopilotReader:
        """A reader, new or resumed."""
        return CopilotReader(path, state)

    def side_files(self, path: str) -> tuple[str, ...]:
        """The session's name and folder."""
        return (os.path.join(os.path.dirname(path), _WORKSPACE),) if os.path.basename(path) == "events.jsonl" else ()


class CopilotReader:
    """Reads one session's events, its sub-agents' included."""

    def __init__(self, path: str, state: dict[str, Any] | None) -> None:
        kept = dict_of(state)
        self._path = path
        facts = dict_of(kept.get("session"))
        self._session = Session(**facts) if facts else Session(CopilotCli.agent, _id_in_path(path))
        self._agents = {key: Session(**dict_of(saved)) for key, saved in dict_of(kept.get("agents")).items()}
        self._tools = Tools(dict_of(kept.get("tools")))
        self._blocked = text_of(kept.get("blocked"))
        """Digest of why a hook sent the agent on: that comes back as a message of the user."""
        self._titled = text_of(kept.get("titled"))
        """The last title that an event gave; until then workspace.yaml names the session."""
        self._handlers: dict[str, Handler] = {
            "session.start": self._start,
            "session.resume": self._start,
            "session.context_changed": self._start,
            "session.model_change": self._model,
            "session.title_changed": self._title,
            "session.compaction_complete": self._compaction,
            "session.task_complete": self._task_complete,
            "session.handoff": self._task_complete,
            "session.plan_changed": self._plan,
            "user.message": self._user,
            "assistant.message": self._assistant,
            "tool.user_requested": self._tools.started,
            "tool.execution_start": self._tools.started,
            "tool.execution_complete": self._tools.completed,
            "subagent.started": self._subagent,
            "hook.end": self._hook_end,
        }

    def state(self) -> dict[str, Any] | None:
        """Facts of the session and its sub-agents, calls without a result, a hook's pending reason."""
        agents = {key: session.to_json() for key, session in self._agents.items()}
        kept = {"session": self._session.to_json(), "agents": agents, "tools": self._tools.state()}
        return kept | {"blocked": self._blocked, "titled": self._titled}

    def read(self, source: Source) -> Iterator[Record]:
        """Yield the records of all sessions in file order."""
        self._workspace()
        for _, row in json_rows(source, _needless):
            kind = text_of(row.get("type"))
            handler = self._handlers.get(kind)
            if handler is not None:
                data = dict_of(row.get("data"))
                time = utc(row.get("timestamp"))
                session = self._of(text_of(row.get("agentId")) or text_of(data.get("parentToolCallId")))
                session.saw(time)
                yield from handler(data, session, time)
            elif kind not in _SILENT:
                source.tally.unknown[type_name(row.get("type"))] += 1

    def _of(self, agent: str) -> Session:
        """The session of an event: the main one, or a sub-agent's."""
        if not agent:
            return self._session
        if agent not in self._agents:
            main = self._session
            session = Session(CopilotCli.agent, f"{main.id}/{agent}", main.id, subagent=True, cwd=main.cwd, branch=main.branch)
            session.repository, session.model, session.version = main.repository, main.model, main.version
            self._agents[agent] = session
            while len(self._agents) > _MOST_AGENTS:
                del self._agents[next(iter(self._agents))]
        return self._agents[agent]

    def _workspace(self) -> None:
        """Facts from workspace.yaml, which is flat: `key: value` lines."""
        facts = _flat_yaml(os.path.join(os.path.dirname(self._path), _WORKSPACE))
        session = self._session
        session.cwd = session.cwd or facts.get("cwd", "")
        session.branch = session.branch or facts.get("branch", "")
        session.repository = session.repository or facts.get("repository", "")
        session.origin = facts.get("client_name", "") or session.origin
        session.title = self._titled or facts.get("name", "") or facts.get("summary", "") or session.title

    def _start(self, data: dict[str, Any], _: Session, time: str) -> Iterator[Record]:
        session = self._session
        session.id = text_of(data.get("sessionId")) or session.id
        session.version = text_of(data.get("copilotVersion")) or session.version
        session.model = text_of(data.get("selectedModel")) or session.model
        session.saw(utc(data.get("startTime")) or time)
        context = dict_of(data.get("context")) or data
        for key in ("cwd", "branch", "repository"):
            setattr(session, key, text_of(context.get(key)) or getattr(session, key))
        yield from ()

    def _model(self, data: dict[str, Any], session: Session, _: str) -> Iterator[Record]:
        session.model = text_of(data.get("newModel")) or session.model
        yield from ()

    def _title(self, data: dict[str, Any], _: Session, time: str) -> Iterator[Record]:
        session = self._session
        title = text_of(data.get("title")).strip()
        if title and title != self._titled:
            session.title = self._titled = title
            yield Record(session, TITLE, title, time)

    def _compaction(self, data: dict[str, Any], session: Session, time: str) -> Iterator[Record]:
        yield from _said(session, SUMMARY, data.get("summaryContent"), time)

    def _task_complete(self, data: dict[str, Any], session: Session, time: str) -> Iterator[Record]:
        yield from _said(session, SUMMARY, data.get("summary"), time)

    def _plan(self, data: dict[str, Any], session: Session, time: str) -> Iterator[Record]:
        yield from _said(session, PLAN, data.get("plan"), time)

    def _hook_end(self, data: dict[str, Any], _: Session, __: str) -> Iterator[Record]:
        output = dict_of(data.get("output"))
        if output.get("decision") == "block" and data.get("hookType") in ("agentStop", "subagentStop"):
            self._blocked = _digest(text_of(output.get("reason")))
        yield from ()

    def _user(self, data: dict[str, Any], session: Session, time: str) -> Iterator[Record]:
        text = text_of(data.get("content"))
        if self._blocked and _digest(text) == self._blocked:
            self._blocked = ""
        elif not _is_injected(data, text):
            if session.subagent:
                yield from _said(session, TASK, text, time)
            elif not text_of(data.get("source")).startswith(_FROM_AGENT):
                yield from _said(session, HUMAN, text, time)

    def _assistant(self, data: dict[str, Any], session: Session, time: str) -> Iterator[Record]:
        session.model = text_of(data.get("model")) or session.model
        yield from _said(session, THINKING, data.get("reasoningText"), time)
        yield from _said(session, ASSISTANT, data.get("content"), time)
        for request in dicts_of(data.get("toolRequests")):
            yield from self._tools.requested(request, session, time)

    def _subagent(self, data: dict[str, Any], session: Session, time: str) -> Iterator[Record]:
        key = text_of(data.get("toolCallId"))
        told = session.subagent
        if not told:
            # Older versions name the sub-agent by the call alone, and keep its prompt in the call's arguments.
            session = self._of(key)
            session.saw(time)
        session.title = session.title or text_of(data.get("agentDisplayName"))
        session.model = text_of(data.get("model")) or session.model
        prompt = self._tools.prompt(key)
        if prompt and not told:
            yield Record(session, TASK, prompt, time)


def _said(session: Session, kind: str, text: object, time: str) -> Iterator[Record]:
    if isinstance(text, str) and text.strip():
        yield Record(session, kind, text, time)


def _is_injected(data: dict[str, Any], text: str) -> bool:
    return text_of(data.get("source")).startswith(_INJECTED) or data.get("isAutopilotContinuation") is True or text.startswith(_SKILL_BODY)


def _digest(text: str) -> str:
    return hashlib.sha256(text.strip().encode("utf-8", "replace")).hexdigest()


def _is_event(row: dict[str, Any]) -> bool:
    kind = text_of(row.get("type"))
    shaped = isinstance(row.get("data"), dict) and isinstance(row.get("id"), str) and "timestamp" in row
    return shaped and kind.partition(".")[0] in {"session", "user", "assistant", "tool", "hook", "system"} and "." in kind


def _needless(line: bytes) -> bool:
    if not line.endswith(b"\n") or b"}{" in line or _GLUED.search(line, 1):
        return False
    return _DROP.match(line) is not None or (_DROP_HOOK_END.match(line) is not None and b'"reason"' not in line)


def _id_in_path(path: str) -> str:
    name = os.path.basename(path).removesuffix(".jsonl")
    return os.path.basename(os.path.dirname(path)) or name if name == "events" else name


def _flat_yaml(path: str) -> dict[str, str]:
    """The `key: value` lines of a small YAML file; lists, nesting and block texts are left out."""
    if not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        text = file.read(_SIDE_FILE).decode("utf-8", "replace")
    facts = {}
    for line in text.splitlines():
        key, colon, value = line.partition(": ")
        value = value.strip()
        if colon and key.isidentifier() and value not in {"", "|", "|-", ">", ">-", "null", "~"}:
            quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
            facts[key] = value[1:-1] if quoted else value
    return facts
