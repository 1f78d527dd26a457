from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.base import SNIFF_BYTES
from libtool.adapters.qwen_code import QwenCode, _needless
from libtool.domain.session import ANSWER, HUMAN
from tests.adapters.reading import Pass, read
from tests.adapters.sampled import check_samples

if TYPE_CHECKING:
    from pathlib import Path


def row(kind: str, **more: Any) -> dict[str, Any]:
    return {"uuid": "u", "parentUuid": None, "sessionId": "s1", "timestamp": "2026-05-04T09:00:00Z", "type": kind} | more


def user(text: str, **more: Any) -> dict[str, Any]:
    return row("user", message={"role": "user", "parts": [{"text": text}]}, **more)


def call(key: str, name: str, **given_arguments: Any) -> dict[str, Any]:
    return row("assistant", message={"parts": [{"functionCall": {"id": key, "name": name, "args": given_arguments}}]})


def result(key: str, name: str, output: str) -> dict[str, Any]:
    return row("tool_result", message={"parts": [{"functionResponse": {"id": key, "name": name, "response": {"output": output}}}]})


def chat(folder: Path, *rows: object, name: str = "s1.jsonl") -> Pass:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read(QwenCode(), path)


def test_places_follow_the_environment() -> None:
    adapter = QwenCode()
    assert adapter.places("/home/x", {})[0].root == "/home/x/.qwen"
    assert adapter.places("/home/x", {"QWEN_HOME": "/srv/q"})[0].root == "/srv/q"
    assert adapter.places("/home/x", {"QWEN_HOME": "/srv/q", "QWEN_RUNTIME_DIR": "/srv/r"})[0].root == "/srv/r"
    assert adapter.side_files("/p/chats/s.jsonl") == ()
    assert adapter.side_files("/p/subagents/s/agent-a.jsonl") == ("/p/subagents/s/agent-a.meta.json",)


def test_a_first_prompt_longer_than_the_head_is_known() -> None:
    adapter = QwenCode()
    head = json.dumps(user("x" * SNIFF_BYTES), separators=(",", ":")).encode()[:SNIFF_BYTES]
    assert adapter.sniff(head, "")
    assert not adapter.sniff(head.replace(b'"parts"', b'"content"'), "")
    assert not adapter.sniff(json.dumps(row("user", message={"content": "a Claude row"})).encode(), "")


@pytest.mark.parametrize("meta", ["", "[]", "{", "[" * 100_000, '{"description": 3}'])
def test_a_sub_agent_needs_no_meta_file(tmp_path: Path, meta: str) -> None:
    name = "subagents/s1/agent-a1.jsonl"
    rows = [user("do it", agentId="a1", isSidechain=True)]
    assert chat(tmp_path, *rows, name=name).records[0].session.title == ""
    (tmp_path / "subagents/s1/agent-a1.meta.json").write_text(meta)
    [record] = chat(tmp_path, *rows, name=name).records
    facts = record.session
    assert (record.kind, facts.id, facts.parent, facts.subagent, facts.title) == ("task", "s1/a1", "s1", True, "")


def test_a_question_waits_for_its_answer_in_bounded_memory(tmp_path: Path) -> None:
    asked = [call(f"c{at}", "ask_user_question", questions=[{"question": f"Q{at} " + "x" * 9000}]) for at in range(80)]
    answers = [result(f"c{at}", "ask_user_question", f"User has provided the following answers:\n\n**A**: {at}") for at in (0, 79)]
    read_whole = chat(tmp_path, *asked)
    assert len(json.dumps(read_whole.state)) < 256 << 10
    first, last = [record.text for record in chat(tmp_path, *asked, *answers).records if record.kind == ANSWER]
    assert first == "**A**: 0"
    assert last.startswith("Q79 ")
    assert last.endswith("**A**: 79")


def test_hooks_words_behind_a_shell_result_are_left_out(tmp_path: Path) -> None:
    outputs = ["Output: a\nProcess Group PGID: 7\n\nfrom a hook", "Output: b\nProcess Group PGID: 8", "Output: c"]
    rows = [result(f"c{at}", "run_shell_command", output) for at, output in enumerate(outputs)]
    texts = [record.text for record in chat(tmp_path, *rows, row("tool_result", message={"parts": [{"text": "x"}]})).records]
    assert texts == ["a", "b", "c"]


def test_slash_commands_of_the_client_are_no_turns(tmp_path: Path) -> None:
    asked = {"phase": "invocation", "rawCommand": "/model", "sentToModel": False}
    result_row = {"phase": "result", "rawCommand": "/model"}
    rows = [row("system", subtype="slash_command", systemPayload=payload) for payload in (asked, result_row)]
    assert [record.text for record in chat(tmp_path, *rows, user("hi")).records if record.kind == HUMAN] == ["hi"]


def test_a_command_too_long_to_keep_gives_its_body(tmp_path: Path) -> None:
    asked = {"phase": "invocation", "rawCommand": "/x " + "y" * 60_000, "sentToModel": True}
    read_whole = chat(tmp_path, row("system", subtype="slash_command", systemPayload=asked), user("the body"))
    assert [record.text for record in read_whole.records] == ["the body"]


@given(st.text(max_size=200))
def test_a_prompt_is_never_dropped_unparsed(text: str) -> None:
    line = json.dumps(user(text + '","type":"system","subtype":"ui_telemetry"'), ensure_ascii=False).encode("utf-8", "replace") + b"\n"
    assert not _needless(line)


def test_what_is_dropped_unparsed() -> None:
    line = json.dumps(row("system", cwd="/x", subtype="ui_telemetry", systemPayload={})).encode()
    assert _needless(line + b"\n")
    assert not _needless(line)
    assert not _needless(line + line + b"\n")
    assert not _needless(line[:-3] + b'{"uuid":"x"}\n')


@pytest.mark.shared
def test_human_turns_of_the_samples(update_golden: bool) -> None:
    check_samples(QwenCode(), update=update_golden)
