"""Copilot CLI (1.0.102 was seen)."""

from __future__ import annotations

from libtool.hooks.agents.shape import Shape, as_flat_context

SHAPE = Shape(
    "copilot-cli",
    {
        "sessionStart": "start",
        "agentStop": "turn",
        "subagentStop": "turn",
        "errorOccurred": "turn",
        "sessionEnd": "end",
        # What preCompact prints has no effect; the summary stands in the transcript.
        **dict.fromkeys(
            "preCompact userPromptSubmitted preToolUse postToolUse postToolUseFailure permissionRequest notification subagentStart".split(),
            "",
        ),
    },
    {
        "event": ("hook_event_name", "hookName"),
        "session": ("sessionId",),
        "path": ("transcriptPath",),
        "folder": ("cwd",),
        "detail": ("source", "reason", "stopReason"),
    },
    context=as_flat_context("additionalContext"),
)
