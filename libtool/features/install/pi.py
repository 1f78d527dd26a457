"""pi (0.73.1 was seen): an extension, which it loads at its start."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.install.own_file import OwnFile
from libtool.features.install.part import Agent, Place

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(home: str, environ: Mapping[str, str]) -> str:
    """`~/.pi/agent`, or PI_CODING_AGENT_DIR."""
    return environ.get("PI_CODING_AGENT_DIR") or os.path.join(home, ".pi", "agent")


def payload(event: str, where: str) -> dict[str, object]:
    """As our extension passes an event on."""
    path = os.path.join(where, "lib-doctor.jsonl")
    return {"event": {"type": event}, "ctx": {"cwd": where, "sessionFile": path, "sessionId": "lib-doctor-trial"}}


AGENT = Agent(
    "pi",
    "pi",
    folder,
    (Place(OwnFile("pi/lib.ts"), "extensions/lib.ts", ".pi/extensions/lib.ts"),),
    payload,
    "agent_end",
    known_by="`LIB_SESSION`, which lib's extension sets",
)
