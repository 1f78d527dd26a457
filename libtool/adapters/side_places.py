"""Files beside the transcripts that repeat what was said in a session: where each agent keeps them. Data, and one adapter-like view of it.

Seen by running the agents (versions in docs/agents.md), or named in their documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libtool.adapters.base import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.adapters.base import Adapter


class Sides(NamedTuple):
    """An agent's side files, as patterns below the roots of its places (`Place.patterns`)."""

    covered: tuple[str, ...] = ()
    """Rewritten with the transcripts."""
    left: tuple[tuple[str, str], ...] = ()
    """(pattern, why it is never rewritten)."""
    projects: tuple[str, ...] = ()
    """Files in projects, beside the agent's history there."""
    tables: tuple[str, ...] = ()
    """Of its databases, the tables that hold sessions; () for all."""


_REWIND = "going back to it would put placeholders into your files"
_SOURCED = "the agent runs it before each command"
_OWN_DATABASE = "its text index cannot be rewritten from outside"
_NOTES = "notes: `lib redact --in-place FILE`"

SIDES: dict[str, Sides] = {
    "claude-code": Sides(
        (
            "history.jsonl",
            "projects/*/*/tool-results/**/*",
            "projects/*/*/subagents/**/*.meta.json",
            "paste-cache/**/*",
            "todos/*.json",
            "tasks/**/*.json",
            "plans/*.md",
            "debug/*.txt",
        ),
        (("file-history/**/*", _REWIND), ("shell-snapshots/*", _SOURCED), ("projects/*/memory/*.md", _NOTES)),
    ),
    "codex": Sides(
        ("history.jsonl", "session_index.jsonl", "log/*.log", "state_*.sqlite", "thread_history_*.sqlite"),
        (("shell_snapshots/*", _SOURCED), ("memories*/**/*.md", _NOTES), ("memories*.sqlite", _NOTES)),
    ),
    "gemini-cli": Sides(
        (
            "tmp/*/logs.json",
            "tmp/*/checkpoint*.json",
            "tmp/*/checkpoints/*.json",
            "tmp/*/tool-outputs/**/*",
            "tmp/*/tool_output/**/*",
            "tmp/*/shell_history",
        ),
        (("history/*/*", _REWIND), ("GEMINI.md", _NOTES)),
    ),
    "qwen-code": Sides(
        (
            "usage_record.jsonl",
            "projects/*/subagents/*/*.meta.json",
            "tmp/*/logs.json",
            "tmp/*/checkpoints/*.json",
            "tmp/*/tool-outputs/**/*",
            "debug/*.txt",
        ),
        (("file-history/**/*", _REWIND), ("projects/*/memory/*.md", _NOTES)),
    ),
    "copilot-cli": Sides(
        (
            "session-state/*/workspace.yaml",
            "session-state/*/plan.md",
            "session-state/*/checkpoints/*.md",
            "session-state/*/session.db",
            "command-history-state.json",
            "logs/*.log",
        ),
        (
            ("session-state/*/rewind-file-snapshots/**/*", _REWIND),
            ("session-state/*/rewind-snapshots/**/*", _REWIND),
            ("session-store.db", _OWN_DATABASE),
        ),
    ),
    "opencode": Sides(
        (
            "storage/message/*/*.json",
            "storage/part/*/*.json",
            "storage/session_diff/*.json",
            "storage/todo/*.json",
            "tool-output/*",
            "log/*.log",
        ),
        (("snapshot/*/*", _REWIND),),
        tables=("session", "message", "part", "todo", "event", "session_message", "session_entry", "session_input", "project"),
    ),
    "cline": Sides(
        ("*/tasks/*/task_metadata.json", "*/tasks/*/context_history.json", "*/state/taskHistory.json", "state/taskHistory.json"),
        (("*/checkpoints/*/*", _REWIND),),
    ),
    "crush": Sides(projects=(".crush/logs/*.log",), tables=("sessions", "messages", "files")),
    "aider": Sides(projects=(".aider.input.history", ".aider.llm.history")),
}
"""By agent; one that is not named has its transcripts alone."""


class SidePlaces:
    """An agent's side files, to be looked for as its transcripts are (`discover.find`)."""

    def __init__(self, adapter: Adapter, patterns: tuple[str, ...], projects: tuple[str, ...] = ()) -> None:
        self.agent = adapter.agent
        self.project_patterns = projects
        self._adapter = adapter
        self._patterns = patterns

    def places(self, home: str, env: Mapping[str, str]) -> list[Place]:
        """The roots of the agent's places, with the patterns of its side files."""
        return [Place(place.root, self._patterns) for place in self._adapter.places(home, env)]
