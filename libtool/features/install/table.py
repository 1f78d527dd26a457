"""Every agent that `lib install` knows: to add one, its templates in hooks/agent and one row here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.adapters.registry import ADAPTERS
from libtool.features.install.json_hooks import JsonHooks
from libtool.features.install.own_file import OwnFile
from libtool.features.install.part import Agent, Place
from libtool.features.install.toml_keys import TomlKeys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

CODEX, CODEX_CONFIG = "codex", "config.toml"
_TRIAL, _LOG = "lib-doctor-trial", "lib-doctor.jsonl"


def _folder(default: str, variable: str = "") -> Callable[[str, Mapping[str, str]], str]:
    """A folder below the home, in whose place a variable may name another one."""

    def folder(home: str, environ: Mapping[str, str]) -> str:
        return environ.get(variable) or os.path.join(home, *default.split("/"))

    return folder


def _gemini_folder(home: str, environ: Mapping[str, str]) -> str:
    """The variable stands for the home, not for the folder in it."""
    return os.path.join(environ.get("GEMINI_CLI_HOME") or home, ".gemini")


def _opencode_folder(home: str, environ: Mapping[str, str]) -> str:
    config = environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    return environ.get("OPENCODE_CONFIG_DIR") or os.path.join(config, "opencode")


def _as_claude_tells(event: str, where: str) -> dict[str, object]:
    return {"session_id": _TRIAL, "transcript_path": os.path.join(where, _LOG), "cwd": where, "hook_event_name": event}


def _as_copilot_tells(_event: str, where: str) -> dict[str, object]:
    return {"sessionId": _TRIAL, "cwd": where, "transcriptPath": os.path.join(where, _LOG)}


def _as_cursor_tells(event: str, where: str) -> dict[str, object]:
    return {"conversation_id": _TRIAL, "generation_id": "1", "hook_event_name": event, "cwd": where}


def _as_our_plugin_tells(_event: str, where: str) -> dict[str, object]:
    return {"sessionID": _TRIAL, "directory": where}


def _as_our_extension_tells(event: str, where: str) -> dict[str, object]:
    return {"event": {"type": event}, "ctx": {"cwd": where, "sessionFile": os.path.join(where, _LOG), "sessionId": _TRIAL}}


def _all_hooks_off(settings: Mapping[str, object]) -> str:
    return "disableAllHooks" if settings.get("disableAllHooks") is True else ""


_AGENTS = (
    Agent(
        "claude-code",  # 2.1.197 and 2.1.332 were seen
        _folder(".claude", "CLAUDE_CONFIG_DIR"),
        # The project's own settings.json is shared through git; the local one is this machine's.
        (Place(JsonHooks("claude-code/settings.json"), "settings.json", ".claude/settings.local.json"),),
        _as_claude_tells,
        "Stop",
        skills=(".claude/skills",),
        off=_all_hooks_off,
        known_by="`CLAUDE_CODE_SESSION_ID`",
    ),
    Agent(
        CODEX,  # 0.171.0 was seen: `notify` needs no trust
        _folder(".codex", "CODEX_HOME"),
        (
            Place(JsonHooks("codex/hooks.json"), "hooks.json", ".codex/hooks.json"),
            Place(TomlKeys("codex/config.toml"), CODEX_CONFIG, ""),
        ),
        _as_claude_tells,
        "Stop",
        todo="start `codex`, type /hooks and trust lib's hooks: until then Codex skips them, without a word",
        known_by="`CODEX_THREAD_ID`",
    ),
    Agent(
        "gemini-cli",  # 0.61.0 was seen: timeouts in milliseconds, and standard output of hooks must be JSON
        _gemini_folder,
        (Place(JsonHooks("gemini-cli/settings.json"), "settings.json", ".gemini/settings.json"),),
        _as_claude_tells,
        "AfterAgent",
        known_by="what its hook notes at each prompt (Linux only)",
        told="no: it would stand before the first prompt, as the person's words",
    ),
    Agent(
        "opencode",  # 1.18.33 was seen: a plugin, which it loads at its start
        _opencode_folder,
        (Place(OwnFile("opencode/lib.js"), "plugins/lib.js", ".opencode/plugins/lib.js"),),
        _as_our_plugin_tells,
        "session.idle",
        # It loads the skills of Claude Code too: where ours is there, a second one would be listed beside it.
        skills=(".agents/skills", ".claude/skills"),
        known_by="`LIB_SESSION`, which lib's plugin sets",
    ),
    Agent(
        "pi",  # 0.73.1 was seen: an extension, which it loads at its start
        _folder(".pi/agent", "PI_CODING_AGENT_DIR"),
        (Place(OwnFile("pi/lib.ts"), "extensions/lib.ts", ".pi/extensions/lib.ts"),),
        _as_our_extension_tells,
        "agent_end",
        known_by="`LIB_SESSION`, which lib's extension sets",
    ),
    Agent(
        "qwen-code",  # 0.24.4 was seen
        _folder(".qwen", "QWEN_HOME"),
        (Place(JsonHooks("qwen-code/settings.json"), "settings.json", ".qwen/settings.json"),),
        _as_claude_tells,
        "Stop",
        off=_all_hooks_off,
        known_by="`QWEN_CODE_SESSION_ID` (not yet in 0.15)",
    ),
    Agent(
        "copilot-cli",  # 1.0.102 was seen: each file in its folder of hooks is read, so ours is one of its own
        _folder(".copilot", "COPILOT_HOME"),
        (Place(OwnFile("copilot-cli/lib.json", is_shell=True), "hooks/lib.json", ".github/hooks/lib.json"),),
        _as_copilot_tells,
        "agentStop",
        known_by="`COPILOT_AGENT_SESSION_ID`",
    ),
    Agent(
        "cursor",  # not run by us: after its documentation
        _folder(".cursor"),
        (Place(JsonHooks("cursor/hooks.json"), "hooks.json", ".cursor/hooks.json"),),
        _as_cursor_tells,
        "stop",
        known_by="`CURSOR_CONVERSATION_ID` (as others report)",
        told="yes (after its documentation)",
    ),
)
AGENTS = {agent.name: agent for agent in _AGENTS}


def present(home: str, environ: Mapping[str, str]) -> list[Agent]:
    """The agents that have a folder of settings or of transcripts on this machine: they were started at least once."""
    return [agent for agent in AGENTS.values() if os.path.isdir(agent.folder(home, environ)) or _has_transcripts(agent.name, home, environ)]


def _has_transcripts(name: str, home: str, environ: Mapping[str, str]) -> bool:
    return any(os.path.isdir(place.root) for place in ADAPTERS[name].places(home, environ))
