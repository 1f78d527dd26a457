"""Every adapter, by agent name. To add an agent: its module, one line here, fixtures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.adapters.aider import Aider
from libtool.adapters.chat_export import ChatExport
from libtool.adapters.claude_code import ClaudeCode
from libtool.adapters.cline import Cline
from libtool.adapters.codex import Codex
from libtool.adapters.copilot_cli import CopilotCli
from libtool.adapters.crush import Crush
from libtool.adapters.cursor import Cursor
from libtool.adapters.gemini_cli import GeminiCli
from libtool.adapters.notes import Notes
from libtool.adapters.opencode import OpenCode
from libtool.adapters.pi import Pi
from libtool.adapters.qwen_code import QwenCode
from libtool.adapters.specstory import SpecStory
from libtool.adapters.terminal import TerminalLog

if TYPE_CHECKING:
    from libtool.adapters.base import Adapter

ADAPTERS: dict[str, Adapter] = {
    adapter.agent: adapter
    for adapter in (
        ClaudeCode(),
        Codex(),
        GeminiCli(),
        OpenCode(),
        Pi(),
        QwenCode(),
        CopilotCli(),
        Cursor(),
        Cline(),
        Crush(),
        SpecStory(),
        Aider(),
        TerminalLog(),
        ChatExport(),
        Notes(),
    )
}
"""In the order in which `detect` asks them: exact formats first, loose text formats last."""


def detect(head: bytes, path: str) -> Adapter | None:
    """The adapter whose `sniff` knows this head (the first SNIFF_BYTES of a file), or None."""
    return next((adapter for adapter in ADAPTERS.values() if adapter.sniff(head, path)), None)
