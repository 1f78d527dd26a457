"""Which agent's session runs this process: what agents tell their tools in variables, the nearest agent being the one that counts.

An agent that another one has started inherits what that one told its tools, as does a terminal that an agent opened and a person works in.
So a variable counts for as much as the process that set it is near; where that leaves a doubt, nobody asks.
"""

from __future__ import annotations

from libtool.storage import current, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config

OURS = "LIB_SESSION"
"""`<agent>:<id>`: set by our plugins for the agents that have no variable of their own, and by whoever else has a tool run in a session."""
SESSIONS = {
    "CLAUDE_CODE_SESSION_ID": "claude-code",
    "CODEX_THREAD_ID": "codex",
    "GEMINI_SESSION_ID": "gemini-cli",
    "QWEN_CODE_SESSION_ID": "qwen-code",
    "COPILOT_AGENT_SESSION_ID": "copilot-cli",
    "CURSOR_CONVERSATION_ID": "cursor",
}
"""Variable in which an agent tells a session's id (Codex a sub-agent's own; Gemini CLI tells hooks, and no tools): whose it is."""
SIGNS = {
    "CLAUDECODE": "claude-code",
    "CODEX_CI": "codex",
    "GEMINI_CLI": "gemini-cli",
    "OPENCODE": "opencode",
    "PI_CODING_AGENT": "pi",
    "QWEN_CODE": "qwen-code",
    "COPILOT_CLI": "copilot-cli",
    "CURSOR_AGENT": "cursor",
}
"""Variable that says which agent runs a tool, and not in which session: what one further off told is not of this one then."""


def find(config: Config, environ: Mapping[str, str]) -> tuple[str, str]:
    """(agent, id) of the session that runs this process; ('', '') where no agent tells, or it cannot be known which one we are of."""
    told = {name: environ[name] for name in (OURS, *SESSIONS, *SIGNS) if environ.get(name)}
    named = {_named(name, told[name]) for name in processes.nearest(told)} if told else set()
    if len({agent for agent, _ in named}) != 1:
        return "", ""
    agent, sid = max(named)
    if sid:
        return (agent, sid) if len({sid for _, sid in named if sid}) == 1 else ("", "")
    # The agent did not say it here; its hook may have.
    noted = current.of(config, processes.agent())
    return noted if noted[0] == agent else ("", "")


def _named(name: str, value: str) -> tuple[str, str]:
    """(agent, id or '') of a variable."""
    if name == OURS:
        agent, _, sid = value.partition(":")
        return agent, sid
    return (SESSIONS[name], value) if name in SESSIONS else (SIGNS[name], "")
