"""Claude Code (2.1.197 and 2.1.332 were seen)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.install.json_hooks import JsonHooks
from libtool.features.install.part import Agent, Place

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(home: str, environ: Mapping[str, str]) -> str:
    """`~/.claude`, or CLAUDE_CONFIG_DIR."""
    return environ.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")


def payload(event: str, where: str) -> dict[str, object]:
    """As it tells an event."""
    path = os.path.join(where, "lib-doctor.jsonl")
    return {"session_id": "lib-doctor-trial", "transcript_path": path, "cwd": where, "hook_event_name": event}


def off(settings: Mapping[str, object]) -> str:
    """`disableAllHooks`."""
    return "disableAllHooks" if settings.get("disableAllHooks") is True else ""


AGENT = Agent(
    "claude-code",
    "Claude Code",
    folder,
    # The project's own settings.json is shared through git; the local one is this machine's.
    (Place(JsonHooks("claude-code/settings.json"), "settings.json", ".claude/settings.local.json"),),
    payload,
    "Stop",
    skills=(".claude/skills",),
    off=off,
    known_by="`CLAUDE_CODE_SESSION_ID`",
)
