"""How one agent tells its events: which it has, where in a payload the facts stand, which of them are phantoms."""

from __future__ import annotations

from libtool.domain.agent_event import AgentEvent

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    Payload = Mapping[str, Any]

LONGEST_NAME = 300
"""Characters that an id may have; a path may have more."""
LONGEST_PATH = 4096
_QUIET = ""
"""The kind of an event that an agent has and we have nothing to do at."""


class UnknownEventError(ValueError):
    """The agent has, as far as we know, no such event, or its payload names no session."""


def text_at(payload: Payload, *names: str) -> str:
    """The first text that stands under one of these names (`a.b` for one inside another, `a.0` for a list's first); '' for none."""
    for name in names:
        value: object = payload
        for part in name.split("."):
            if isinstance(value, list):
                value = value[0] if value and part == "0" else None
            else:
                value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, str) and value:
            return value
    return ""


def not_at_all(_payload: Payload) -> bool:
    """For an agent without phantoms."""
    return False


class Shape:
    """One agent. `events` maps its names to our kinds, '' for those that we have nothing to do at.

    `session`, `path`, `folder`, `detail` and `summary` are names in a payload, the first that holds a text counts; `is_phantom` knows
    the events that no session of the person's stands behind; `prompt` gives a text that is to be added to a compaction's prompt the
    form in which the agent takes it, None where the agent takes none; `context` does that with a text for the model at a session's start.
    """

    def __init__(
        self,
        agent: str,
        events: Mapping[str, str],
        names: Mapping[str, tuple[str, ...]],
        is_phantom: Callable[[Payload], bool] = not_at_all,
        prompt: Callable[[str], str] | None = None,
        context: Callable[[str], str] | None = None,
    ) -> None:
        self.agent = agent
        self._events = {_plain(name): kind for name, kind in events.items()}
        self._names = names
        self._is_phantom = is_phantom
        self.prompt = prompt
        self.context = context

    def read(self, name: str, payload: Payload) -> AgentEvent | None:
        """The event in our words; None for a phantom and where there is nothing to do. Raises UnknownEventError."""
        kind = self._events.get(_plain(name) or _plain(text_at(payload, *self._names.get("event", ()))))
        if kind is None:
            raise UnknownEventError(name)
        if kind == _QUIET or self._is_phantom(payload):
            return None
        session = text_at(payload, *self._names["session"])
        if not session or len(session) > LONGEST_NAME or not session.isprintable():
            raise UnknownEventError(name)
        texts = {one: text_at(payload, *self._names.get(one, ())) for one in ("path", "folder", "detail", "summary")}
        for one in ("path", "folder"):
            if len(texts[one]) > LONGEST_PATH or not texts[one].startswith("/") or not texts[one].isprintable():
                texts[one] = ""
        return AgentEvent(self.agent, kind, session, **texts)


def _plain(name: str) -> str:
    """Names of events are spelled `SessionStart`, `sessionStart`, `session_start` and `session.start`."""
    return "".join(filter(str.isalnum, name)).lower()


def as_it_is(text: str) -> str:
    """Plain text on standard output."""
    return text


def as_context(event: str) -> Callable[[str], str]:
    """The JSON that Claude Code and its relatives take for context."""

    def written(text: str) -> str:
        import json  # noqa: PLC0415 - most events add nothing

        return json.dumps({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})

    return written


def as_flat_context(name: str) -> Callable[[str], str]:
    """The JSON that others take: an object of one text."""

    def written(text: str) -> str:
        import json  # noqa: PLC0415 - as above

        return json.dumps({name: text})

    return written


CLAUDE_NAMES = {
    "event": ("hook_event_name",),
    "session": ("session_id",),
    "path": ("agent_transcript_path", "transcript_path"),
    "folder": ("cwd",),
    "detail": ("source", "reason", "trigger"),
    "summary": ("compact_summary",),
}
"""Claude Code's payloads, which codex, gemini-cli and qwen-code have taken over."""
CLAUDE_QUIET = (
    "UserPromptSubmit UserPromptExpansion PreToolUse PostToolUse PostToolUseFailure PostToolBatch PermissionRequest Notification"
    " SubagentStart TaskCompleted TeammateIdle ConfigChange InstructionsLoaded WorktreeCreate WorktreeRemove"
).split()
CLAUDE_EVENTS = {
    **dict.fromkeys(CLAUDE_QUIET, ""),
    "SessionStart": "start",
    "Stop": "turn",
    "StopFailure": "turn",
    "SubagentStop": "turn",
    "PreCompact": "compacting",
    "PostCompact": "compacted",
    "SessionEnd": "end",
}
