"""Codex (0.171.0 was seen): hooks, and `notify`, which hands its payload over as an argument."""

from __future__ import annotations

import os

from libtool.hooks.agents.shape import CLAUDE_EVENTS, CLAUDE_NAMES, Shape, as_context, text_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.hooks.agents.shape import Payload


def is_phantom(payload: Payload) -> bool:
    """Codex' own agent for memories fires the person's hooks; a session without a file (`--ephemeral`) leaves nothing to read."""
    folder = os.path.basename(text_at(payload, "cwd").rstrip("/"))
    return folder.startswith("memories") or ("transcript_path" in payload and not text_at(payload, "transcript_path"))


SHAPE = Shape(
    "codex",
    {**CLAUDE_EVENTS, "Interrupt": "turn", "notify": "turn", "agent-turn-complete": "turn", "approval-requested": ""},
    {
        **CLAUDE_NAMES,
        "event": ("hook_event_name", "type"),
        "session": ("session_id", "thread-id"),
    },
    is_phantom,
    context=as_context("SessionStart"),
)
"""What its PreCompact prints has no effect; `compact_prompt` in its configuration asks for the section."""
