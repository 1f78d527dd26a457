"""Qwen Code (0.24.4 was seen)."""

from __future__ import annotations

from libtool.hooks.agents.shape import CLAUDE_EVENTS, CLAUDE_NAMES, Shape, as_context

SHAPE = Shape(
    "qwen-code",
    # UserPromptSubmit, which also comes without a prompt after each tool, is nothing to us.
    CLAUDE_EVENTS,
    # The transcript that SubagentStop names for the sub-agent is its parent's.
    {**CLAUDE_NAMES, "path": ("transcript_path",)},
    prompt=as_context("PreCompact"),
    context=as_context("SessionStart"),
)
