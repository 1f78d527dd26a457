from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.copilot_cli import CopilotCli, _needless
from libtool.adapters.copilot_tools import _without_hooks
from libtool.domain.session import HUMAN, TASK
from tests.adapters.reading import Pass, read
from tests.adapters.sampled import check_samples

if TYPE_CHECKING:
    from pathlib import Path


def event(kind: str, agent: str = "", **data: Any) -> dict[str, Any]:
    row = {"type": kind, "data": data, "id": "e", "timestamp": "2026-05-04T09:00:00Z", "parentId": None}
    return row | {"agentId": agent} if agent else row


def asked(key: str, name: str, **given_arguments: Any) -> dict[str, Any]:
    return event("assistant.message", content="", toolRequests=[{"toolCallId": key, "name": name, "arguments": given_arguments}])


def events(folder: Path, *rows: object, name: str = "s1/events.jsonl") -> Pass:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read(CopilotCli(), path)


def test_places_follow_the_environment() -> None:
    adapter = CopilotCli()
    assert adapter.places("/home/x", {})[0].root == "/home/x/.copilot"
    assert adapter.places("/home/x", {"COPILOT_HOME": "/srv/c"})[0].root == "/srv/c"
    assert adapter.side_files("/srv/c/session-state/s/events.jsonl") == ("/srv/c/session-state/s/workspace.yaml",)
    assert adapter.side_files("/srv/c/session-state/s.jsonl") == ()


@pytest.mark.parametrize("change", [{"data": []}, {"id": 3}, {"type": "session"}, {"type": "weather.rain"}, {"type": None}])
def test_only_events_are_known(change: dict[str, object]) -> None:
    good = event("session.start", sessionId="s")
    assert CopilotCli().sniff(json.dumps(good).encode(), "")
    assert not CopilotCli().sniff(json.dumps(good | change).encode(), "")


def test_a_session_without_its_start_is_named_by_its_folder_or_file(tmp_path: Path) -> None:
    hello = event("user.message", content="hello")
    assert events(tmp_path, hello).records[0].session.id == "s1"
    assert events(tmp_path, hello, name="s2.jsonl").records[0].session.id == "s2"


def test_workspace_names_the_session_until_an_event_does(tmp_path: Path) -> None:
    (tmp_path / "s1").mkdir()
    yaml = tmp_path / "s1" / "workspace.yaml"
    yaml.write_bytes(b"name: 'A name'\ncwd: /srv/a\nbroken\n- list: x\nbranch: null\nrepository: \"dev/a\"\nclient_name: '\n\xff: 1\n")
    facts = events(tmp_path, event("user.message", content="hi")).records[0].session
    assert (facts.title, facts.cwd, facts.branch, facts.repository, facts.origin) == ("A name", "/srv/a", "", "dev/a", "'")
    yaml.write_text("summary: An older name\n")
    assert events(tmp_path, event("user.message", content="hi")).records[0].session.title == "An older name"
    result = events(tmp_path, event("session.title_changed", title="Told"))
    assert result.records[0].session.title == "Told"


def test_the_task_of_a_sub_agent_is_never_human(tmp_path: Path) -> None:
    result = events(tmp_path, event("user.message", "a1", content="count"), event("user.message", content="person", parentAgentTaskId="t"))
    assert [(record.kind, record.session.subagent) for record in result.records] == [(TASK, True), (HUMAN, False)]


def test_state_stays_small_with_many_agents_and_open_calls(tmp_path: Path) -> None:
    agents = [event("user.message", f"agent-{at}", content="x") for at in range(400)]
    calls = [asked(f"t{at}", "task", prompt="y" * 9000) for at in range(200)]
    result = events(tmp_path, *agents, *calls)
    assert len(json.dumps(result.state)) < 256 << 10
    assert len({record.session.id for record in result.records}) == 401


def test_an_answer_with_no_known_question(tmp_path: Path) -> None:
    done = event("tool.execution_complete", toolCallId="q", success=True, result={"content": "User responded: yes"})
    [alone] = events(tmp_path, done).records
    assert (alone.kind, alone.tool) == ("result", "")
    [answer] = events(tmp_path, asked("q", "ask_user", question="Well?"), done).records
    assert (answer.kind, answer.text) == ("answer", "Well?\nyes")


def test_hooks_words_behind_a_result_are_left_out() -> None:
    tail = '\n\nTool "bash" succeeded. Additional guidance from postToolUse hooks:\nwords'
    assert _without_hooks("out" + tail) == "out"
    far = '\n\nTool "bash" said:' + " " * 300 + ". Additional guidance from postToolUse"
    assert _without_hooks("out" + far) == "out" + far
    assert _without_hooks("see . Additional guidance from postToolUse") == "see . Additional guidance from postToolUse"


@given(st.text(max_size=200))
def test_a_prompt_is_never_dropped_unparsed(text: str) -> None:
    row = event("user.message", content=text + '"type":"hook.start"')
    assert not _needless(json.dumps(row).encode() + b"\n")


def test_what_is_dropped_unparsed() -> None:
    start = json.dumps(event("hook.start", input={})).encode()
    blocked = json.dumps(event("hook.end", output={"decision": "block", "reason": "go on"})).encode()
    assert _needless(start + b"\n")
    assert not _needless(start)
    assert not _needless(start + start + b"\n")
    assert not _needless(start[:30] + b'{"type":"user.message","data":{}}\n')
    assert not _needless(blocked + b"\n")
    assert _needless(json.dumps(event("hook.end", success=True)).encode() + b"\n")


@pytest.mark.shared
def test_human_turns_of_the_samples(update_golden: bool) -> None:
    check_samples(CopilotCli(), update=update_golden)
