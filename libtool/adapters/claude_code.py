"""Claude Code: append-only JSONL below `~/.claude/projects`, versions 1.0.95 to 2.1.332 (an undocumented format).

A session's file, its sub-agents' files `<session>/subagents/agent-<id>.jsonl`, and big tool results in `<session>/tool-results/`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Place
from libtool.adapters.claude_code_raw import known
from libtool.adapters.claude_code_rows import ClaudeCodeReader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.adapters.base import Reader


class ClaudeCode(Adapter):
    """The adapter of Claude Code."""

    agent = "claude-code"

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:
        """`projects/` below CLAUDE_CONFIG_DIR or `~/.claude`: sessions, and sub-agents in their session's folder."""
        root = env.get("CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
        return [Place(root, ("projects/*/*.jsonl", "projects/*/*/subagents/**/*.jsonl"))]

    def sniff(self, head: bytes, path: str) -> bool:  # noqa: ARG002 - the content decides
        """Known by the keys of the first rows."""
        return known(head)

    def reader(self, path: str, state: dict[str, Any] | None) -> Reader:
        """A reader for one file; it can be resumed."""
        return ClaudeCodeReader(path, state)

    def side_files(self, path: str) -> tuple[str, ...]:
        """A sub-agent's `.meta.json`, which names its type and task."""
        stem, _ = os.path.splitext(path)
        return (stem + ".meta.json",) if os.path.basename(path).startswith("agent-") else ()
