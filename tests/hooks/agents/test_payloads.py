"""Payloads of every agent, in our words; all that the real agents sent are looked at too, where they are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from libtool.adapters.registry import ADAPTERS
from libtool.domain.agent_event import COMPACTED, COMPACTING, END, KINDS, PROMPT, START, TURN, AgentEvent
from libtool.features.install.table import AGENTS as INSTALLED
from libtool.hooks.agents.shape import UnknownEventError
from libtool.hooks.agents.table import AGENTS, shape_of

SID = "5f0c2a10-11aa-4b6c-9d01-0a1b2c3d4e5f"
FILE = f"/home/ada/.agent/{SID}.jsonl"
CHILD = "/home/ada/.agent/child.jsonl"
CLAUDE = {"session_id": SID, "transcript_path": FILE, "cwd": "/home/ada/kiln"}
COPILOT = {"sessionId": SID, "timestamp": 1_795_992_619_217, "cwd": "/home/ada/kiln"}
PI = {"cwd": "/home/ada/kiln", "sessionFile": FILE, "sessionId": SID, "hasUI": False}
OPENCODE_SID = "ses_dd6760c5dffeuU1sV18Oa0HTAe"


def opencode(name: str, **properties: object) -> dict[str, Any]:
    return {"input": {"event": {"id": "evt_1", "type": name, "properties": {"sessionID": OPENCODE_SID, **properties}}}, "env": {}}


TOLD: list[tuple[str, str, dict[str, Any], tuple[str, ...]]] = [
    ("claude-code", "SessionStart", {**CLAUDE, "source": "startup"}, (START, SID, FILE, "/home/ada/kiln", "startup", "")),
    ("claude-code", "Stop", {**CLAUDE, "stop_hook_active": True}, (TURN, SID, FILE, "/home/ada/kiln", "", "")),
    (
        "claude-code",
        "SubagentStop",
        {**CLAUDE, "agent_type": "general-purpose", "agent_transcript_path": CHILD},
        (TURN, SID, CHILD, "/home/ada/kiln", "", ""),
    ),
    ("claude-code", "PreCompact", {**CLAUDE, "trigger": "auto"}, (COMPACTING, SID, FILE, "/home/ada/kiln", "auto", "")),
    (
        "claude-code",
        "PostCompact",
        {**CLAUDE, "trigger": "manual", "compact_summary": "We fire slowly."},
        (COMPACTED, SID, FILE, "/home/ada/kiln", "manual", "We fire slowly."),
    ),
    ("claude-code", "SessionEnd", {**CLAUDE, "reason": "clear"}, (END, SID, FILE, "/home/ada/kiln", "clear", "")),
    ("codex", "Stop", {**CLAUDE, "turn_id": "t"}, (TURN, SID, FILE, "/home/ada/kiln", "", "")),
    (
        "codex",
        "notify",
        {"type": "agent-turn-complete", "thread-id": SID, "turn-id": "t", "cwd": "/home/ada/kiln", "input-messages": ["hi"]},
        (TURN, SID, "", "/home/ada/kiln", "", ""),
    ),
    ("gemini-cli", "BeforeAgent", {**CLAUDE, "prompt": "How hot?"}, (PROMPT, SID, FILE, "/home/ada/kiln", "", "")),
    ("gemini-cli", "AfterAgent", {**CLAUDE, "prompt_response": "x x"}, (TURN, SID, FILE, "/home/ada/kiln", "", "")),
    ("gemini-cli", "SessionEnd", {**CLAUDE, "reason": "exit"}, (END, SID, FILE, "/home/ada/kiln", "exit", "")),
    # Qwen Code names the parent's file for the sub-agent's.
    ("qwen-code", "SubagentStop", {**CLAUDE, "agent_transcript_path": CHILD}, (TURN, SID, FILE, "/home/ada/kiln", "", "")),
    (
        "qwen-code",
        "PostCompact",
        {**CLAUDE, "compact_summary": "<state_snapshot>slow</state_snapshot>"},
        (COMPACTED, SID, FILE, "/home/ada/kiln", "", "<state_snapshot>slow</state_snapshot>"),
    ),
    ("copilot-cli", "sessionStart", {**COPILOT, "source": "new"}, (START, SID, "", "/home/ada/kiln", "new", "")),
    ("copilot-cli", "agentStop", {**COPILOT, "transcriptPath": FILE}, (TURN, SID, FILE, "/home/ada/kiln", "", "")),
    ("copilot-cli", "sessionEnd", {**COPILOT, "reason": "user_exit"}, (END, SID, "", "/home/ada/kiln", "user_exit", "")),
    (
        "cursor",
        "sessionStart",
        {"conversation_id": SID, "workspace_roots": ["/home/ada/kiln", "/srv"]},
        (START, SID, "", "/home/ada/kiln", "", ""),
    ),
    ("cursor", "sessionStart", {"conversation_id": SID, "workspace_roots": []}, (START, SID, "", "", "", "")),
    ("cursor", "stop", {"conversation_id": SID, "generation_id": "g", "status": "completed"}, (TURN, SID, "", "", "completed", "")),
    ("opencode", "session.idle", {"sessionID": OPENCODE_SID, "directory": "/srv"}, (TURN, OPENCODE_SID, "", "/srv", "", "")),
    ("opencode", "session.idle", opencode("session.idle"), (TURN, OPENCODE_SID, "", "", "", "")),
    ("opencode", "session.compacting", {"input": {"sessionID": OPENCODE_SID}}, (COMPACTING, OPENCODE_SID, "", "", "", "")),
    (
        "opencode",
        "session.created",
        opencode("session.created", info={"directory": "/srv"}),
        (START, OPENCODE_SID, "", "/srv", "", ""),
    ),
    ("pi", "agent_end", {"event": {"type": "agent_end"}, "ctx": PI}, (TURN, SID, FILE, "/home/ada/kiln", "", "")),
    (
        "pi",
        "session_compact",
        {"event": {"type": "session_compact", "compactionEntry": {"summary": "We fire slowly."}}, "ctx": PI},
        (COMPACTED, SID, FILE, "/home/ada/kiln", "", "We fire slowly."),
    ),
    ("pi", "session_shutdown", {"event": {"reason": "quit"}, "ctx": PI}, (END, SID, FILE, "/home/ada/kiln", "quit", "")),
]
NOTHING: list[tuple[str, str, dict[str, Any]]] = [
    # A compaction of Claude Code ends as a sub-agent that there was none of.
    ("claude-code", "SubagentStop", {**CLAUDE, "agent_type": "", "agent_transcript_path": CHILD}),
    ("claude-code", "UserPromptSubmit", {**CLAUDE, "prompt": "How hot?"}),
    ("codex", "SessionStart", {**CLAUDE, "cwd": "/home/ada/.codex/memories_v2", "transcript_path": None}),
    ("codex", "SessionEnd", {**CLAUDE, "transcript_path": None}),
    ("qwen-code", "UserPromptSubmit", {**CLAUDE, "prompt": ""}),
    ("gemini-cli", "PreCompress", {**CLAUDE, "trigger": "auto"}),
    ("copilot-cli", "preCompact", COPILOT),
    ("opencode", "message.updated", opencode("message.updated")),
    ("pi", "turn_end", {"event": {}, "ctx": PI}),
]


def read(agent: str, name: str, payload: dict[str, Any]) -> AgentEvent | None:
    shape = shape_of(agent)
    assert shape is not None
    return shape.read(name, payload)


@pytest.mark.parametrize(("agent", "name", "payload", "wanted"), TOLD)
def test_an_event_in_our_words(agent: str, name: str, payload: dict[str, Any], wanted: tuple[str, ...]) -> None:
    event = read(agent, name, payload)
    assert event is not None
    assert event.agent == agent
    assert (event.kind, event.session, event.path, event.folder, event.detail, event.summary) == wanted


@pytest.mark.parametrize(("agent", "name", "payload"), NOTHING)
def test_phantoms_and_events_with_nothing_to_do(agent: str, name: str, payload: dict[str, Any]) -> None:
    assert read(agent, name, payload) is None


def test_every_agent_has_an_adapter_of_its_name_and_knows_a_turn_and_a_start() -> None:
    assert set(AGENTS) <= set(ADAPTERS)
    for agent in AGENTS:
        shape = shape_of(agent)
        assert shape is not None
        assert shape.agent == agent
        assert {START, TURN, END} <= set(shape._events.values()) <= {*KINDS, ""}


def test_an_agent_that_nobody_knows() -> None:
    assert shape_of("abacus") is None


def test_the_payload_says_which_event_it_is_when_the_call_does_not() -> None:
    event = read("claude-code", "", {**CLAUDE, "hook_event_name": "Stop"})
    assert event is not None
    assert event.kind == TURN


@pytest.mark.parametrize("name", ["session-start", "SESSION_START", "session.start"])
def test_spelling_is_no_matter(name: str) -> None:
    event = read("claude-code", name, CLAUDE)
    assert event is not None
    assert event.kind == START


@pytest.mark.parametrize(
    ("name", "payload"),
    [
        ("Imagined", CLAUDE),
        ("", CLAUDE),
        ("Stop", {}),
        ("Stop", {**CLAUDE, "session_id": 7}),
        ("Stop", {**CLAUDE, "session_id": "x" * 301}),
        ("Stop", {**CLAUDE, "session_id": "two\nlines"}),
    ],
)
def test_what_cannot_be_told(name: str, payload: dict[str, Any]) -> None:
    with pytest.raises(UnknownEventError):
        read("claude-code", name, payload)


@pytest.mark.parametrize("path", ["relative.jsonl", "/a\0b", "/" + "x" * 5000, "/\ud800", 7, None])
def test_a_path_that_is_none_is_left_out(path: object) -> None:
    event = read("claude-code", "Stop", {**CLAUDE, "transcript_path": path})
    assert event is not None
    assert event.path == ""


def test_what_is_asked_of_a_compaction_goes_in_the_form_that_the_agent_takes() -> None:
    prompts = {agent: shape.prompt for agent in AGENTS if (shape := shape_of(agent)) is not None and shape.prompt is not None}
    assert set(prompts) == {"claude-code", "opencode", "qwen-code"}
    assert prompts["claude-code"]("ask") == prompts["opencode"]("ask") == "ask"
    assert json.loads(prompts["qwen-code"]("ask")) == {"hookSpecificOutput": {"hookEventName": "PreCompact", "additionalContext": "ask"}}


def test_the_page_says_whose_model_is_told_of_the_library() -> None:
    told = {agent for agent in AGENTS if (shape := shape_of(agent)) is not None and shape.context is not None}
    assert told == {name for name, one in INSTALLED.items() if one.told.startswith("yes")} == set(AGENTS) - {"gemini-cli"}


SAMPLES = Path(__file__).parents[4] / "shared" / "samples" / "clients"
PHANTOMS = {"SubagentStop.EMPTY", "SessionStart.startup.memories_v2", "SessionEnd.other.memories_v2", "UserPromptSubmit.memories_v2"}
AT_WORK = {
    **dict.fromkeys(("SessionStart", "sessionStart", "session_start", "event.session.created"), START),
    **dict.fromkeys("Stop SubagentStop AfterAgent agentStop subagentStop agent_end session_before_switch event.session.idle".split(), TURN),
    **dict.fromkeys(("SessionEnd", "sessionEnd", "session_shutdown"), END),
    "BeforeAgent": PROMPT,
    **dict.fromkeys(("PreCompact", "session.compacting"), COMPACTING),
    **dict.fromkeys(("PostCompact", "session_compact", "event.session.compacted"), COMPACTED),
}


@pytest.mark.shared
@pytest.mark.skipif(not SAMPLES.is_dir(), reason="the samples are not here")
def test_every_payload_that_a_real_agent_sent() -> None:
    looked_at = 0
    for path in sorted(SAMPLES.glob("*/payloads/*.json")):
        agent = path.parents[1].name.removesuffix("-2.1.197")
        name = path.stem.partition(".")[0] if agent != "opencode" else path.stem
        payload = json.loads(path.read_text(encoding="utf-8"))
        event = read(agent, name.removeprefix("event."), payload)
        wanted = None if path.stem in PHANTOMS else AT_WORK.get(name)
        assert (event.kind if event else None) == wanted, path
        if event is not None:
            assert event.session in path.read_text(encoding="utf-8")
        looked_at += 1
    assert looked_at > 100
