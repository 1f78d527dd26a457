"""Every agent whose hooks we take, by its name: to add one, its module and one line here. Only the one that called is imported."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.hooks.agents.shape import Shape

AGENTS = {
    "claude-code": "libtool.hooks.agents.claude_code",
    "codex": "libtool.hooks.agents.codex",
    "gemini-cli": "libtool.hooks.agents.gemini_cli",
    "opencode": "libtool.hooks.agents.opencode",
    "pi": "libtool.hooks.agents.pi",
    "qwen-code": "libtool.hooks.agents.qwen_code",
    "copilot-cli": "libtool.hooks.agents.copilot_cli",
    "cursor": "libtool.hooks.agents.cursor",
}


def shape_of(agent: str) -> Shape | None:
    """How this agent tells its events; None for one that we do not know."""
    if agent not in AGENTS:
        return None
    __import__(AGENTS[agent])
    shape: Shape = sys.modules[AGENTS[agent]].SHAPE
    return shape
