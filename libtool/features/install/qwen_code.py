"""Qwen Code (0.24.4 was seen)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.install.claude_code import off, payload
from libtool.features.install.json_hooks import JsonHooks
from libtool.features.install.part import Agent, Place

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(home: str, environ: Mapping[str, str]) -> str:
    """`~/.qwen`, or QWEN_HOME."""
    return environ.get("QWEN_HOME") or os.path.join(home, ".qwen")


AGENT = Agent(
    "qwen-code",
    "Qwen Code",
    folder,
    (Place(JsonHooks("qwen-code/settings.json"), "settings.json", ".qwen/settings.json"),),
    payload,
    "Stop",
    off=off,
    known_by="`QWEN_CODE_SESSION_ID` (not yet in 0.15)",
)
