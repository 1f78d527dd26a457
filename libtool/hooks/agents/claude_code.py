"""Claude Code (2.1.197 and 2.1.332 were seen)."""

from __future__ import annotations

from libtool.hooks.agents.shape import CLAUDE_EVENTS, CLAUDE_NAMES, Shape, as_context, as_it_is

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.hooks.agents.shape import Payload


def is_phantom(payload: Payload) -> bool:
    """A compaction ends as a sub-agent without a type would, and names a transcript that does not exist."""
    return payload.get("agent_type") == ""


SHAPE = Shape("claude-code", CLAUDE_EVENTS, CLAUDE_NAMES, is_phantom, as_it_is, as_context("SessionStart"))
