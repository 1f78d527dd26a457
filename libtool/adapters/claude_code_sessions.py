"""Which session a Claude Code row belongs to, and the facts that rows state of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from libtool.adapters.shapes import utc
from libtool.domain.session import Session

if TYPE_CHECKING:
    from libtool.adapters.claude_code_files import SidePath

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE | re.ASCII)
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z?", re.ASCII).fullmatch
_AGENT = "claude-code"
_KEPT = 64
_LINKS = 256


class Sessions:
    """The session of a file and those of its sub-agents that lie in the same file."""

    def __init__(self, path: SidePath, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self._path = path
        self._own: Session | None = Session(**state["own"]) if state.get("own") else None
        self._agents: dict[str, Session] = {session["id"]: Session(**session) for session in state.get("agents", [])}
        self._links: dict[str, str] = state.get("links", {})
        """Id of a row of a sub-agent inside this file, to the sub-agent's key: the latest rows."""
        self._threads: int = state.get("threads", 0)
        self._last = state.get("last", "")
        self._noted: Session | None = None
        self._header: tuple[object, ...] = ()
        """What the last row stated of its session: mostly the same as the row before."""
        self.agent_facts: dict[str, str] = {}

    def state(self) -> dict[str, Any]:
        """What `__init__` needs; bounded."""
        agents = [session.to_json() for session in list(self._agents.values())[-_KEPT:]]
        own = self._own.to_json() if self._own else None
        return {"own": own, "agents": agents, "links": self._links, "threads": self._threads, "last": self._last}

    def of(self, row: dict[str, Any]) -> tuple[Session, str]:
        """The session of a row, with the row's facts noted, and the row's time."""
        session = self._own or self._begin(row)
        get = row.get
        if get("isSidechain") is True and not self._path.agent:
            session = self.agent(session, self._thread(row))
        if (time := row_time(get("timestamp"))) > session.ended or not session.started or time < session.started:
            session.saw(time)
        header = (get("gitBranch"), get("sessionId"), get("cwd"), get("version"), get("entrypoint"), get("requestSessionId"))
        if header != self._header or session is not self._noted or "forkedFrom" in row:
            self._header, self._noted = header, session
            _note(session, row)
            self._note_fork(session, row)
        return session, time

    @property
    def own(self) -> Session:
        """The session of the file; known once a row was read."""
        return self._own or self._begin({})

    def agent(self, parent: Session, key: str) -> Session:
        """The session of a sub-agent inside its parent's file."""
        name = f"{parent.id}/{key}"
        if name not in self._agents:
            self._agents[name] = Session(
                _AGENT, name, parent.id, subagent=True, cwd=parent.cwd, branch=parent.branch, version=parent.version, origin="agent"
            )
        return self._agents[name]

    def _begin(self, row: dict[str, Any]) -> Session:
        path = self._path
        stated = _clean(row.get("sessionId"))
        if path.agent:
            parent = path.parent if _UUID.fullmatch(path.parent) else stated or path.parent
            self._own = Session(_AGENT, f"{parent}/{path.agent}" if parent else path.stem, parent, subagent=True)
            self._own.title = self.agent_facts.get("description", "")
            self._own.origin = self.agent_facts.get("agentType", "") or "agent"
        else:
            self._own = Session(_AGENT, path.stem if _UUID.fullmatch(path.stem) else stated or path.stem or "unnamed")
        return self._own

    def _thread(self, row: dict[str, Any]) -> str:
        """The key of the sub-agent that a side chain's row belongs to: its id, or an ordinal found through the row before it."""
        agent, uuid, before = row.get("agentId"), row.get("uuid"), row.get("parentUuid")
        key = self._links.get(before[:40], "") if isinstance(before, str) else ""
        if isinstance(agent, str) and agent:
            key = _clean(agent)[:100]
        elif not key:
            if before is None or not self._last:
                self._threads += 1
                key = str(self._threads)
            else:
                key = self._last
        if isinstance(uuid, str):
            self._links[uuid[:40]] = key
            if len(self._links) > _LINKS:
                del self._links[next(iter(self._links))]
        self._last = key
        return key

    def _note_fork(self, session: Session, row: dict[str, Any]) -> None:
        """A copied row names the session that it came from."""
        if session.subagent or session.forked_from:
            return
        origin = row.get("forkedFrom")
        sources = (origin.get("sessionId") if isinstance(origin, dict) else None, row.get("requestSessionId"), row.get("sessionId"))
        for source in sources:
            if isinstance(source, str) and source != session.id and _UUID.fullmatch(source):
                session.forked_from = source
                return


def row_time(value: object) -> str:
    """A row's time in UTC; one without a zone (as other programs write them) is UTC too."""
    if isinstance(value, str) and len(value) < 40 and _TIME(value):
        return value if value[-1] == "Z" else value + "Z"
    return utc(value)


def _note(session: Session, row: dict[str, Any]) -> None:
    session.cwd = session.cwd or _clean(row.get("cwd"))
    session.branch = _clean(row.get("gitBranch")) or session.branch
    session.version = _clean(row.get("version")) or session.version
    session.origin = session.origin or _clean(row.get("entrypoint"))


def _clean(value: object) -> str:
    return value.replace("\x00", "")[:4096] if isinstance(value, str) else ""
