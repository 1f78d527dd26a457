"""Gemini CLI (0.61.0 was seen)."""

from __future__ import annotations

from libtool.hooks.agents.shape import CLAUDE_NAMES, Shape

SHAPE = Shape(
    "gemini-cli",
    {
        "SessionStart": "start",
        # Its tools are not told of which session they are, and it goes over to another one without an event.
        "BeforeAgent": "prompt",
        "AfterAgent": "turn",
        "SessionEnd": "end",
        # PreCompress fires before every request to a model, whether a compression follows or not.
        **dict.fromkeys("BeforeTool AfterTool BeforeToolSelection BeforeModel AfterModel PreCompress Notification".split(), ""),
    },
    CLAUDE_NAMES,
)
"""No hook can change its compression's prompt; a start's context would stand before the first prompt, which then is no command any more."""
