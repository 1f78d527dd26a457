"""What an agent's hook told: one event of one session, in our words. Imports nothing: it stands on the path of every turn."""

from __future__ import annotations

START = "start"
"""A session begins, or goes on."""
PROMPT = "prompt"
"""The person has asked something: what the agent runs from now on is of this session."""
TURN = "turn"
"""The agent, or a sub-agent of it, has ended its answer."""
END = "end"
"""The session is over."""
COMPACTING = "compacting"
"""A compaction may follow: the moment to add to its prompt. Nothing may come of it."""
COMPACTED = "compacted"
"""A compaction has happened."""

KINDS = (START, PROMPT, TURN, END, COMPACTING, COMPACTED)

AGAIN = "compact"
"""The `detail` of a START that is none: some agents tell one after each compaction."""


class AgentEvent:
    """One event. All texts are foreign and unredacted: this object stays in memory."""

    __slots__ = ("agent", "detail", "folder", "kind", "path", "session", "summary")

    def __init__(self, agent: str, kind: str, session: str, **texts: str) -> None:
        self.agent = agent
        self.kind = kind
        self.session = session
        """The agent's id of the session."""
        self.path = texts.get("path", "")
        """Its transcript, where the agent says so."""
        self.folder = texts.get("folder", "")
        """The session's working folder."""
        self.detail = texts.get("detail", "")
        """The agent's own word for how it began, ended or was compacted."""
        self.summary = texts.get("summary", "")
        """What the model wrote when it compacted, where the agent hands it over."""
