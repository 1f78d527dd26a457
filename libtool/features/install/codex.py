"""Codex (0.171.0 was seen): it asks a person to trust each hook, once; `notify` needs no trust."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.install.claude_code import payload
from libtool.features.install.json_hooks import JsonHooks
from libtool.features.install.part import Agent, Place
from libtool.features.install.toml_keys import TomlKeys

if TYPE_CHECKING:
    from collections.abc import Mapping


def folder(home: str, environ: Mapping[str, str]) -> str:
    """`~/.codex`, or CODEX_HOME."""
    return environ.get("CODEX_HOME") or os.path.join(home, ".codex")


CONFIG = "config.toml"
AGENT = Agent(
    "codex",
    "Codex",
    folder,
    (
        Place(JsonHooks("codex/hooks.json"), "hooks.json", ".codex/hooks.json"),
        Place(TomlKeys("codex/config.toml"), CONFIG, ""),
    ),
    payload,
    "Stop",
    todo="start `codex`, type /hooks and trust lib's hooks: until then Codex skips them, without a word",
    known_by="`CODEX_THREAD_ID`",
)
