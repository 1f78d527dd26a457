"""A session as every adapter delivers it: facts, and records in the order of the conversation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

HUMAN = "human"
"""Typed by the person: a prompt, also a queued one. Begins a turn. Never injected text."""
TASK = "task"
"""The prompt that one agent gave to a sub-agent. Begins a turn of the sub-agent's session."""
ANSWER = "answer"
"""What the person chose or typed when the agent asked: the question and the chosen answer, never the other options."""
ASSISTANT = "assistant"
"""Prose of the model."""
PLAN = "plan"
"""A plan that the model put before the person."""
SUMMARY = "summary"
"""A compaction summary, an away summary, or a sub-agent's final report handed back to its parent."""
TITLE = "title"
"""A title that the agent gave to the session; emitted only when it changes."""
THINKING = "thinking"
"""The model's reasoning; left out unless the configuration asks for it."""
CALL = "call"
"""A tool call: `tool` is its name, `input` its arguments (a mapping, or text where the agent stores text)."""
RESULT = "result"
"""What a tool gave back: whole text (the condenser cuts it), `tool` the name of the tool, `failed` when it failed."""
NOTE = "note"
"""A passage of a note file (memory file, worklog, docs or handoff file)."""

KINDS = (HUMAN, TASK, ANSWER, ASSISTANT, PLAN, SUMMARY, TITLE, THINKING, CALL, RESULT, NOTE)
TURN_KINDS = frozenset({HUMAN, TASK})


@dataclass(slots=True)
class Session:
    """The facts of one session. The reader keeps filling them while it reads; empty means unknown."""

    agent: str
    id: str
    parent: str = ""
    """Session id of the parent, for a sub-agent's session."""
    subagent: bool = False
    forked_from: str = ""
    """Session id whose history this one copied or continues, where the agent says so."""
    cwd: str = ""
    branch: str = ""
    repository: str = ""
    """Git remote URL or `owner/name`, only where the transcript itself states it."""
    model: str = ""
    version: str = ""
    """Version of the agent."""
    title: str = ""
    origin: str = ""
    """How the session was started, in the agent's own word: `cli`, `sdk-cli`, `exec`, `review` ..."""
    started: str = ""
    ended: str = ""
    """First and last time seen, RFC 3339 in UTC."""

    def saw(self, time: str) -> None:
        """Widen started and ended by one RFC 3339 UTC time (compared as text); empty is ignored."""
        if time:
            if not self.started or time < self.started:
                self.started = time
            self.ended = max(self.ended, time)

    def to_json(self) -> dict[str, Any]:
        """All fields as a JSON object: `Session(**that)` gives it back."""
        return asdict(self)


@dataclass(slots=True)
class Record:
    """One message, answer, tool call or tool result of a session, unredacted and uncut."""

    session: Session
    kind: str
    text: str = ""
    time: str = ""
    """RFC 3339 UTC, or empty."""
    tool: str = ""
    input: object = None
    failed: bool = False
    line: int = 0
    """Notes only: the first line of the passage, counted from 1."""
    call: str = ""
    """The id that a call and its result share, where the agent gives one. A fork keeps it."""
    given: int = -1
    """Bytes that the model was given of a result, where `text` holds more or other: output that the agent put aside."""

    @property
    def shown(self) -> int:
        """Bytes of the text that the model was given."""
        return self.given if self.given >= 0 else len(self.text.encode("utf-8", "replace"))
