"""Gemini CLI (0.61.0 was seen): timeouts in milliseconds, and standard output of hooks must be JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.install.claude_code import payload
from libtool.features.install.json_hooks import JsonHooks
from libtool.features.install.part import Agent, Place

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(home: str, environ: Mapping[str, str]) -> str:
    """`.gemini` below the home, or below GEMINI_CLI_HOME."""
    return os.path.join(environ.get("GEMINI_CLI_HOME") or home, ".gemini")


AGENT = Agent(
    "gemini-cli",
    "Gemini CLI",
    folder,
    (Place(JsonHooks("gemini-cli/settings.json"), "settings.json", ".gemini/settings.json"),),
    payload,
    "AfterAgent",
    known_by="what its hook notes at each prompt (Linux only)",
    told="no: it would stand before the first prompt, as the person's words",
)
