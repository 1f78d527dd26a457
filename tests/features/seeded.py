"""A home in which every kind of record of several agents holds a text that may hold a login."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from tests.features.machine import CWD

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Row = dict[str, Any]

TIME = "2026-03-04T11:00:{:02}.000Z"


def session_id(number: int) -> str:
    """The id of the session that holds the text with this number."""
    return f"{number:08x}-aaaa-4bbb-8ccc-0123456789ab"


def _write(path: Path, rows: list[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def claude(home: Path, number: int, kind: str, text: str) -> None:
    """One session of Claude Code."""
    sid = session_id(number)
    shared = {"sessionId": sid, "cwd": CWD, "version": "2.1.332", "gitBranch": "main", "isSidechain": False, "userType": "external"}
    shared |= {"gitBranch": text} if kind == "branch" else {"cwd": f"{CWD}/{text}"} if kind == "folder" else {}
    prompt = text if kind == "prompt" else "How does the kiln cool?"
    blocks: list[Row] = [{"type": "text", "text": text if kind == "answer" else "Slowly."}]
    if kind in ("call", "result"):
        blocks.append(
            {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": text if kind == "call" else "cat notes"}},
        )
    rows: list[Row] = [
        {"type": "user", "uuid": "u1", "timestamp": TIME.format(1), "message": {"role": "user", "content": prompt}, **shared},
        {
            "type": "assistant",
            "uuid": "a1",
            "timestamp": TIME.format(2),
            "message": {"id": "m1", "type": "message", "role": "assistant", "model": "opus", "content": blocks},
            **shared,
        },
    ]
    if kind in ("call", "result"):
        given = [{"type": "tool_result", "tool_use_id": "toolu_1", "content": text if kind == "result" else "done"}]
        rows.append(
            {"type": "user", "uuid": "u2", "timestamp": TIME.format(3), "message": {"role": "user", "content": given}, **shared},
        )
    if kind == "title":
        rows.append({"type": "custom-title", "customTitle": text, "sessionId": sid})
    if kind == "summary":
        rows.append(
            {
                "type": "user",
                "uuid": "u3",
                "timestamp": TIME.format(4),
                "isCompactSummary": True,
                "message": {"role": "user", "content": text},
                **shared,
            },
        )
    name = text if kind == "name" else sid
    _write(home / ".claude/projects/-home-ada-work-kiln" / f"{name}.jsonl", rows)


def codex(home: Path, number: int, kind: str, text: str) -> None:
    """One session of Codex."""
    sid = session_id(number)
    git = {"branch": text if kind == "branch" else "main"}
    meta = {
        "id": sid,
        "timestamp": TIME.format(0),
        "cwd": CWD,
        "originator": "codex-tui",
        "cli_version": "0.140.0",
        "source": "cli",
        "git": git,
    }
    prompt = text if kind == "prompt" else "How does the kiln cool?"
    items: list[Row] = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": prompt}]}]
    if kind in ("call", "result"):
        arguments = json.dumps({"cmd": text if kind == "call" else "cat notes"})
        items += [
            {"type": "function_call", "name": "exec_command", "arguments": arguments, "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": text if kind == "result" else "done"},
        ]
    answer = text if kind == "answer" else "Slowly."
    items.append({"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": answer}]})
    rows: list[Row] = [{"timestamp": TIME.format(0), "type": "session_meta", "payload": meta}]
    rows += [{"timestamp": TIME.format(second), "type": "response_item", "payload": item} for second, item in enumerate(items, 1)]
    if kind == "summary":
        rows.append({"timestamp": TIME.format(9), "type": "compacted", "payload": {"message": text}})
    _write(home / ".codex/sessions/2026/03/04" / f"rollout-2026-03-04T11-00-00-{sid}.jsonl", rows)


def pi(home: Path, number: int, kind: str, text: str) -> None:
    """One session of pi."""
    sid = session_id(number)
    said = [("user", text if kind == "prompt" else "How does the kiln cool?"), ("assistant", text if kind == "answer" else "Slowly.")]
    rows: list[Row] = [{"type": "session", "version": 3, "id": sid, "timestamp": TIME.format(0), "cwd": CWD}]
    for second, (role, words) in enumerate(said, 1):
        message = {"role": role, "content": [{"type": "text", "text": words}], "timestamp": 1777885201000}
        parent = f"m{second - 1}" if second > 1 else None
        rows.append({"type": "message", "id": f"m{second}", "parentId": parent, "timestamp": TIME.format(second), "message": message})
    if kind == "title":
        rows.append({"type": "session_info", "id": "m9", "parentId": "m2", "timestamp": TIME.format(3), "name": text})
    if kind == "summary":
        rows.append({"type": "compaction", "id": "m8", "parentId": "m2", "timestamp": TIME.format(3), "summary": text})
    _write(home / ".pi/agent/sessions/--home-ada-work-kiln--" / f"2026-03-04T11-00-00-000Z_{sid}.jsonl", rows)


PLACES: tuple[tuple[Callable[[Path, int, str, str], None], str], ...] = (
    *((claude, kind) for kind in ("prompt", "answer", "call", "result", "title", "summary", "branch", "name", "folder")),
    *((codex, kind) for kind in ("prompt", "answer", "call", "result", "branch", "summary")),
    *((pi, kind) for kind in ("prompt", "answer", "title", "summary")),
)


def plant(home: Path, number: int, text: str) -> tuple[str, str]:
    """Put a text into the place whose turn it is; (agent, kind). A name of a file or folder must be one: such a text goes into a prompt."""
    write, kind = PLACES[number % len(PLACES)]
    if kind in ("name", "folder") and ("/" in text or "\0" in text or len(os.fsencode(text)) > 200):
        kind = "prompt"
    write(home, number, kind, text)
    return write.__name__, kind
