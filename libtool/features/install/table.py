"""Every agent that `lib install` knows: to add one, its module, its templates in hooks/agent and one line here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.adapters.registry import ADAPTERS
from libtool.features.install import claude_code, codex, copilot_cli, cursor, gemini_cli, opencode, pi, qwen_code

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.features.install.part import Agent

AGENTS = {
    one.AGENT.name: one.AGENT
    for one in (
        claude_code,
        codex,
        gemini_cli,
        opencode,
        pi,
        qwen_code,
        copilot_cli,
        cursor,
    )
}


def present(home: str, environ: Mapping[str, str]) -> list[Agent]:
    """The agents that have a folder of settings or of transcripts on this machine: they were started at least once."""
    return [agent for agent in AGENTS.values() if os.path.isdir(agent.folder(home, environ)) or _has_transcripts(agent.name, home, environ)]


def _has_transcripts(name: str, home: str, environ: Mapping[str, str]) -> bool:
    return any(os.path.isdir(place.root) for place in ADAPTERS[name].places(home, environ))
