"""opencode (1.18.33 was seen): a plugin, which it loads at its start."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.install.own_file import OwnFile
from libtool.features.install.part import Agent, Place

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(home: str, environ: Mapping[str, str]) -> str:
    """`~/.config/opencode`, or OPENCODE_CONFIG_DIR."""
    config = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return environ.get("OPENCODE_CONFIG_DIR") or os.path.join(config, "opencode")


def payload(_event: str, where: str) -> dict[str, object]:
    """As our plugin passes an event on."""
    return {"sessionID": "lib-doctor-trial", "directory": where}


AGENT = Agent(
    "opencode",
    "opencode",
    folder,
    (Place(OwnFile("opencode/lib.js"), "plugins/lib.js", ".opencode/plugins/lib.js"),),
    payload,
    "session.idle",
    # It loads the skills of Claude Code too: where ours is there, a second one would be listed beside it.
    skills=(".agents/skills", ".claude/skills"),
    known_by="`LIB_SESSION`, which lib's plugin sets",
)
