"""Cursor (not run by us: after its documentation)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.install.json_hooks import JsonHooks
from libtool.features.install.part import Agent, Place

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(home: str, _environ: Mapping[str, str]) -> str:
    """`~/.cursor`."""
    return os.path.join(home, ".cursor")


def payload(event: str, where: str) -> dict[str, object]:
    """As it tells an event."""
    return {"conversation_id": "lib-doctor-trial", "generation_id": "1", "hook_event_name": event, "cwd": where}


AGENT = Agent(
    "cursor",
    "Cursor",
    folder,
    (Place(JsonHooks("cursor/hooks.json"), "hooks.json", ".cursor/hooks.json"),),
    payload,
    "stop",
    known_by="`CURSOR_CONVERSATION_ID` (as others report)",
    told="yes (after its documentation)",
)
