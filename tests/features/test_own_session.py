from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.config import Config, load
from libtool.features import own_session
from libtool.features.install.table import AGENTS
from libtool.storage import current, processes

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SID = "5f0c2a10-11aa-4b6c-9d01-0a1b2c3d4e5f"
NONE = ("", "")
ASK = """
import os
from libtool.config import load
from libtool.features import own_session
print(*own_session.find(load(os.environ, "/nowhere"), os.environ))
"""
needs_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes through /proc")


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return load({"LIB_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))


def asked(*agents: Sequence[str]) -> tuple[str, ...]:
    """What is told to a tool of the last of these agents, each of which sets `NAME=value` variables and runs the next one in a shell."""
    words = [sys.executable, "-c", ASK]
    for variables in reversed(agents):
        # A process of its own for each, that waits as an agent does.
        inner = ["sh", "-c", '"$@"; exit $?', "sh", "env", *variables, *words]
        words = [sys.executable, "-c", "import subprocess, sys; sys.exit(subprocess.run(sys.argv[1:]).returncode)", *inner]
    environ = {"PATH": os.defpath, "PYTHONPATH": os.getcwd()}
    said = subprocess.run(words, env=environ, capture_output=True, text=True, check=True).stdout
    return tuple(said.split())


@pytest.mark.parametrize(("variable", "agent"), own_session.SESSIONS.items())
def test_an_agent_that_tells(config: Config, variable: str, agent: str) -> None:
    assert own_session.find(config, {variable: SID, "PATH": "/bin"}) == (agent, SID)


def test_a_plugin_of_ours_that_tells(config: Config) -> None:
    assert own_session.find(config, {own_session.OURS: "opencode:ses_1", "OPENCODE": "1"}) == ("opencode", "ses_1")


@pytest.mark.parametrize(
    "environ",
    [
        {},
        {"CLAUDE_CODE_SESSION_ID": ""},
        {"OPENCODE": "1"},
        {"OPENCODE": "1", "CLAUDE_CODE_SESSION_ID": SID},
        {"CODEX_THREAD_ID": SID, "CLAUDE_CODE_SESSION_ID": SID},
        {own_session.OURS: "claude-code:another", "CLAUDE_CODE_SESSION_ID": SID},
        {own_session.OURS: "no reference"},
    ],
)
def test_what_cannot_be_known_is_nobodys(config: Config, environ: dict[str, str]) -> None:
    # Whatever these say was set by the same process, as far as can be seen.
    assert not own_session.find(config, environ)[1]


@needs_proc
@pytest.mark.parametrize(
    ("agents", "wanted"),
    [
        ((["CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=outer"],), ("claude-code", "outer")),
        ((["CLAUDE_CODE_SESSION_ID=outer"], ["CODEX_THREAD_ID=inner", "CODEX_CI=1"]), ("codex", "inner")),
        ((["CODEX_THREAD_ID=outer"], ["CLAUDE_CODE_SESSION_ID=inner"]), ("claude-code", "inner")),
        ((["CLAUDE_CODE_SESSION_ID=outer"], ["CLAUDE_CODE_SESSION_ID=inner"]), ("claude-code", "inner")),
        ((["LIB_SESSION=pi:outer", "PI_CODING_AGENT=true"], ["LIB_SESSION=opencode:inner", "OPENCODE=1"]), ("opencode", "inner")),
        # One that names no session has none of the sessions of who started it.
        ((["CLAUDE_CODE_SESSION_ID=outer"], ["OPENCODE=1"]), ()),
        ((["LIB_SESSION=pi:outer", "PI_CODING_AGENT=true"], ["LIB_SESSION="]), ()),
        # What is no agent is nothing that stands between.
        ((["CLAUDE_CODE_SESSION_ID=outer"], ["MAKELEVEL=1"]), ("claude-code", "outer")),
    ],
)
def test_the_nearest_agent_counts(agents: tuple[list[str], ...], wanted: tuple[str, ...]) -> None:
    assert asked(*agents) == wanted


def test_what_a_hook_has_noted_of_this_process_counts_where_its_agent_tells_nothing(config: Config) -> None:
    here = processes.agent()
    gemini = {"GEMINI_CLI": "1"}
    assert own_session.find(config, gemini) == NONE
    current.put(config, here, "gemini-cli", SID)
    found = ("gemini-cli", SID) if " " in here else NONE
    assert own_session.find(config, gemini) == found
    # Of another agent, or in no agent at all, it says nothing.
    assert own_session.find(config, {"QWEN_CODE": "1"}) == NONE
    assert own_session.find(config, {}) == NONE
    assert own_session.find(config, {**gemini, "GEMINI_SESSION_ID": "told"}) == ("gemini-cli", "told")


@given(st.dictionaries(st.sampled_from([own_session.OURS, *own_session.SESSIONS, *own_session.SIGNS]), st.text(max_size=20), max_size=5))
def test_never_an_id_that_nobody_told_and_never_without_an_agent(environ: dict[str, str]) -> None:
    agent, sid = own_session.find(load({}, "/nowhere"), environ)
    assert not sid or any(value.endswith(sid) for value in environ.values())
    assert bool(sid) or not agent


def test_what_the_page_of_agents_says_is_what_is_looked_at() -> None:
    for agent in AGENTS.values():
        (name,) = re.findall("`(.+)`", agent.known_by) or [""]
        own = {variable for variable, other in own_session.SESSIONS.items() if other == agent.name}
        assert name in ({own_session.OURS} if agent.name in ("opencode", "pi") else {""} if agent.name == "gemini-cli" else own)
    assert set(own_session.SIGNS.values()) == set(AGENTS) >= set(own_session.SESSIONS.values())
