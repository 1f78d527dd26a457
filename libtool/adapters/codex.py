"""Codex CLI: append-only JSONL rollouts below `$CODEX_HOME/sessions`, versions 0.2x to 0.171 (an undocumented format)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from libtool.adapters.base import Adapter, Place
from libtool.adapters.codex_raw import ENVELOPES
from libtool.adapters.codex_rows import CodexReader
from libtool.adapters.shapes import head_rows

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.adapters.base import Reader

_LONG_META = (b'{"timestamp":"', b'"type":"session_meta","payload":{')


class Codex(Adapter):
    """The adapter of Codex CLI."""

    agent = "codex"

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:
        """`sessions/` and `archived_sessions/` below CODEX_HOME or `~/.codex`."""
        root = env.get("CODEX_HOME") or os.path.join(home, ".codex")
        return [Place(root, ("sessions/**/rollout-*.jsonl", "archived_sessions/**/rollout-*.jsonl"))]

    def sniff(self, head: bytes, path: str) -> bool:  # noqa: ARG002 - the content decides
        """Known by the envelope of a row, or by the bare rows of versions before 0.30."""
        # The first row holds the system prompt and the tools, and may be longer than a head.
        cut = head.removeprefix(b"\xef\xbb\xbf").startswith(_LONG_META[0]) and _LONG_META[1] in head[:200]
        return cut or any(map(_is_row, head_rows(head)))

    def reader(self, path: str, state: dict[str, Any] | None) -> Reader:
        """A reader for one rollout; it can be resumed."""
        return CodexReader(path, state)


def _is_row(row: dict[str, Any]) -> bool:
    kind = row.get("type")
    if isinstance(row.get("payload"), dict):
        return isinstance(kind, str) and kind in ENVELOPES and "timestamp" in row
    if kind is None:
        return {"id", "timestamp", "instructions"} <= row.keys()
    parts = row.get("content")
    first = parts[0] if kind == "message" and isinstance(parts, list) and parts else None
    return isinstance(first, dict) and first.get("type") in ("input_text", "output_text")
