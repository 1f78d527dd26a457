"""pi (0.73.1 was seen): our extension passes on an event and where its session lies."""

from __future__ import annotations

from libtool.hooks.agents.shape import Shape, as_it_is

SHAPE = Shape(
    "pi",
    {
        "session_start": "start",
        "agent_end": "turn",
        "session_before_switch": "turn",
        "session_compact": "compacted",
        "session_shutdown": "end",
        **dict.fromkeys(
            (
                "input before_agent_start context agent_start turn_start turn_end tool_call tool_result session_before_compact"
                " session_before_fork session_before_tree session_tree message_start message_update message_end"
            ).split(),
            "",
        ),
    },
    {
        "event": ("event.type",),
        "session": ("ctx.sessionId",),
        "path": ("ctx.sessionFile",),
        "folder": ("ctx.cwd",),
        "detail": ("event.reason",),
        "summary": ("event.compactionEntry.summary",),
    },
    context=as_it_is,
)
"""An extension can give the whole summary of a compaction, not add to its prompt."""
