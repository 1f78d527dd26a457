"""Cursor (not run by us: after its documentation)."""

from __future__ import annotations

from libtool.hooks.agents.shape import Shape, as_flat_context

SHAPE = Shape(
    "cursor",
    {
        "sessionStart": "start",
        "stop": "turn",
        "subagentStop": "turn",
        "sessionEnd": "end",
        **dict.fromkeys(
            (
                "beforeSubmitPrompt preToolUse postToolUse postToolUseFailure beforeShellExecution afterShellExecution beforeMCPExecution"
                " afterMCPExecution beforeReadFile afterFileEdit afterAgentResponse afterAgentThought subagentStart preCompact"
                " beforeTabFileRead afterTabFileEdit"
            ).split(),
            "",
        ),
    },
    {
        "event": ("hook_event_name",),
        "session": ("conversation_id", "session_id"),
        "path": ("transcript_path",),
        "folder": ("cwd", "workspace_roots.0"),
        "detail": ("status", "reason", "source"),
    },
    context=as_flat_context("additional_context"),
)
