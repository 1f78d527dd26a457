"""Copilot CLI (1.0.102 was seen): each file in its folder of hooks is read, so ours is one of its own."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.install.own_file import OwnFile
from libtool.features.install.part import Agent, Place

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(home: str, environ: Mapping[str, str]) -> str:
    """`~/.copilot`, or COPILOT_HOME."""
    return environ.get("COPILOT_HOME") or os.path.join(home, ".copilot")


def payload(_event: str, where: str) -> dict[str, object]:
    """As it tells an event."""
    return {"sessionId": "lib-doctor-trial", "cwd": where, "transcriptPath": os.path.join(where, "lib-doctor.jsonl")}


AGENT = Agent(
    "copilot-cli",
    "Copilot CLI",
    folder,
    (Place(OwnFile("copilot-cli/lib.json", is_shell=True), "hooks/lib.json", ".github/hooks/lib.json"),),
    payload,
    "agentStop",
    known_by="`COPILOT_AGENT_SESSION_ID`",
)
