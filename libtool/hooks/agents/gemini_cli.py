"""Gemini CLI (0.61.0 was seen)."""

from __future__ import annotations

from libtool.hooks.agents.shape import CLAUDE_NAMES, Shape

SHAPE = Shape(
    "gemini-cli",
    {
        "SessionStart": "start",
        "AfterAgent": "turn",
        "SessionEnd": "end",
        # PreCompress fires before every request to a model, whether a compression follows or not.
        **dict.fromkeys("BeforeAgent BeforeTool AfterTool BeforeToolSelection BeforeModel AfterModel PreCompress Notification".split(), ""),
    },
    CLAUDE_NAMES,
)
"""No hook can change its compression's prompt."""
