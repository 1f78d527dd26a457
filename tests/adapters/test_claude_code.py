"""Claude Code: what the fixtures do not show."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.base import Place
from libtool.adapters.claude_code import ClaudeCode
from libtool.adapters.claude_code_queue import PromptQueue
from libtool.adapters.claude_code_raw import load, skip
from libtool.adapters.claude_code_text import UI_COMMANDS, feedback, result, said, slash_command, summary
from libtool.domain.session import ANSWER, CALL, HUMAN, PLAN, RESULT
from tests.adapters.reading import FIXTURES, read
from tests.adapters.sampled import check_samples

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = ClaudeCode()
SESSION = "11111111-2222-4333-8444-555555555555"
TIME = "2026-05-01T10:00:00.000Z"
REMINDER = "<system-reminder>\nx\n</system-reminder>"


def row(kind: str, content: object, **more: object) -> dict[str, Any]:
    return {"type": kind, "sessionId": SESSION, "timestamp": TIME, "message": {"role": kind, "content": content}, **more}


def write(folder: Path, *rows: dict[str, Any], name: str = SESSION) -> Path:
    path = folder / f"{name}.jsonl"
    path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in rows))
    return path


def test_the_configured_folder_is_the_place() -> None:
    (place,) = ADAPTER.places("/home/ada", {"CLAUDE_CONFIG_DIR": "/srv/claude"})
    assert place.root == "/srv/claude"
    assert ADAPTER.places("/home/ada", {}) == [Place("/home/ada/.claude", place.patterns)]


def test_only_a_sub_agent_has_a_side_file() -> None:
    assert ADAPTER.side_files("/p/s/subagents/agent-a1.jsonl") == ("/p/s/subagents/agent-a1.meta.json",)
    assert ADAPTER.side_files(f"/p/{SESSION}.jsonl") == ()


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b'{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"long', True),
        (b'{"type":"mode","mode":"normal","sessionId":"x"}\n{"parentUuid":nu', True),
        (b'not json\n{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role"\n', True),
        (b'{"type":"system","parentUuid":null}\n{"type":"user","uuid":"1","message":{"content":"x"}}\n', True),
        (b'{"type":"summary","summary":"x","leafUuid":"y"}\n', True),
        (b'{"type":"progress","parentUuid":null,"data":{}}\n', True),
        (b'{"type":"system","parentUuid":null}\n', False),
        (b'{"type":"system"}\n', False),
        (b'{"type":["user"]}\n', False),
        (b'{"type":"user","uuid":"1","message":{"parts":[]}}\n', False),
        (b'{"type":"message","message":{"role":"user","content":[]}}\n', False),
        (b"[1]\n", False),
    ],
)
def test_known_by_content(head: bytes, known: bool) -> None:
    assert ADAPTER.sniff(head, "/x/y.jsonl") is known


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", [(HUMAN, "plain")]),
        ("  < 3 > 2 ", [(HUMAN, "< 3 > 2")]),
        ("a" + REMINDER + "b", [(HUMAN, "ab")]),
        ("<tick>x</tick>\n<ide_selection>y</ide_selection> now", [(HUMAN, "now")]),
        ("/model opus", []),
        ("/models are hard", [(HUMAN, "/models are hard")]),
        ("/ alone", [(HUMAN, "/ alone")]),
        ("/", [(HUMAN, "/")]),
        ("<command-name>/exit</command-name>", []),
        ("<command-name>/plan</command-name>\n            <command-message>plan</command-message>\n <command-args></command-args>", []),
        ("<command-message>init is analyzing</command-message>\n<command-name>/init</command-name>", [(HUMAN, "/init")]),
        ("Implement the following plan:\n\n# P", [(HUMAN, "Implement the following plan:"), (PLAN, "# P")]),
        ("<bash-stdout>out</bash-stdout><bash-stderr>err</bash-stderr>", [(RESULT, "out\nerr")]),
        ("<command-message>branch</command-message>\n<command-name>/branch</command-name>", [(HUMAN, "/branch")]),
        ("<bash-input>ls</bash-input>", [(CALL, "ls")]),
        ("[Request interrupted by user]", []),
    ],
)
def test_what_was_said(text: str, expected: list[tuple[str, str]]) -> None:
    assert said(text) == expected


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not text.strip().startswith(("<", "/", "[", "{"))))
def test_text_without_wrappers_is_said_as_typed(text: str) -> None:
    assert said(text) == ([(HUMAN, text.strip())] if text.strip() else [])
    assert said(REMINDER + text + REMINDER) == said(text)


def test_commands_of_the_program_are_no_prompts() -> None:
    assert not any(said(f"/{name} argument") for name in UI_COMMANDS)
    assert not slash_command("clear")


@given(st.text("ab \n<"), st.integers(0, 4))
def test_reminders_at_the_end_of_a_result_go(text: str, count: int) -> None:
    whole = text + "".join(f"\n{REMINDER}" for _ in range(count))
    assert result(whole) == (text.rstrip() if count else text)


def test_an_opened_reminder_is_needed_to_cut() -> None:
    assert result("x </system-reminder>") == "x </system-reminder>"


def test_many_wrappers_in_a_big_text_cost_linear_time() -> None:
    assert said("<tick></tick>" * 200_000) == []
    assert said(REMINDER * 200_000) == []
    assert result(REMINDER * 200_000) == ""


def test_feedback_is_only_what_the_person_typed() -> None:
    refused = "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nsmaller"
    assert feedback(refused) == "smaller"
    assert feedback(refused + "\n\nNote: The user's next message may contain a correction") == "smaller"
    assert feedback("Exit code 1\nthe user said:\nno") == ""


def test_a_summary_loses_its_frame_only() -> None:
    assert summary("It began.\nMore.") == "It began.\nMore."
    assert (
        summary("This session is being continued from a previous conversation.\nFacts.\nContinue the conversation from where it left off.")
        == "Facts."
    )


def test_a_line_that_is_skipped_holds_nothing_wanted() -> None:
    mode = b'{"type":"mode","mode":"normal","sessionId":"x"}'
    user = json.dumps(row("user", "hi"), separators=(",", ":")).encode()
    assert skip(mode)
    assert not skip(mode + user)
    assert not skip(mode[:20] + b'{"parentUuid":null,' + user[1:])
    assert not skip(user)
    assert not skip(b'{"type":"new-type"}')
    nested = {"message": {"role": "user", "content": [{"attachment": {"type": "x"}}]}, "type": "user"}
    assert not skip(json.dumps(nested, separators=(",", ":")).encode())
    quoted = {"parentUuid": None, "message": {"role": "user", "content": '"type":"progress","data":{"type":"hook_progress"'}}
    assert not skip(json.dumps(quoted, separators=(",", ":")).encode())


@given(st.text(), st.text(), st.booleans())
def test_a_result_is_the_same_without_its_second_copy(content: str, copy: str, structural: bool) -> None:
    block: dict[str, Any] = {"type": "tool_result", "tool_use_id": "t1", "content": content}
    if structural:
        block["toolUseResult"] = {"nested": copy}
        block["last"] = 1
    whole = row("user", [block], toolUseResult={"stdout": copy + ',"toolUseResult":'})
    line = json.dumps(whole, separators=(",", ":")).encode()
    read_back: Any = load(line, frozenset())
    assert read_back["message"] == whole["message"]
    assert load(line, {"t1"}) == whole


def test_queued_prompts_stay_bounded_and_are_found_joined() -> None:
    queue = PromptQueue()
    for number in range(200):
        queue.enqueue(f"p{number}", given=True)
        queue.wait("w", TIME)
    assert len(json.dumps(queue.state())) < 8192
    assert queue.repeats("p198\np199")
    assert not queue.repeats("p198\np199")
    assert not queue.repeats("p3")
    queue.enqueue("/branch x", given=False)
    assert not queue.repeats("/branch x")
    for _ in range(200):
        queue.dequeue()
        queue.remove()
    assert queue.repeats("p150")


def test_calls_and_threads_stay_bounded(tmp_path: Path) -> None:
    rows = [row("assistant", [{"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {}}]) for n in range(400)]
    rows += [row("user", f"task {n}", isSidechain=True, uuid=f"u{n}", parentUuid=None) for n in range(400)]
    state = read(ADAPTER, write(tmp_path, *rows)).state
    assert state is not None
    assert len(state["calls"]) <= 256
    assert len(state["sessions"]["links"]) <= 256
    assert len(state["sessions"]["agents"]) <= 64


def test_an_agent_id_on_an_inline_row_names_its_session(tmp_path: Path) -> None:
    records = read(ADAPTER, write(tmp_path, row("user", "go"), row("user", "sub", isSidechain=True, agentId="a5"))).records
    assert [(record.kind, record.session.id) for record in records] == [("human", SESSION), ("task", f"{SESSION}/a5")]


def test_an_answer_survives_that_its_call_was_read_in_another_run(tmp_path: Path) -> None:
    call = row("assistant", [{"type": "tool_use", "id": "t1", "name": "AskUserQuestion", "input": {}}])
    answer = row("user", [{"type": "tool_result", "tool_use_id": "t1", "content": "x"}], toolUseResult={"answers": {"Q?": "A"}})
    first = read(ADAPTER, write(tmp_path, call))
    second = read(ADAPTER, write(tmp_path, call, answer), start=first.source.offset, state=first.state)
    assert [(record.kind, record.text) for record in second.records] == [(ANSWER, "Q?\nA")]


def test_a_big_result_is_read_at_its_ends_and_only_inside_the_session(tmp_path: Path) -> None:
    folder = tmp_path / "projects" / "p"
    results = folder / SESSION / "tool-results"
    results.mkdir(parents=True)
    (results / "big.txt").write_text("A" * 9000 + "Z" * 9000)
    (results / "folder.txt").mkdir()
    (tmp_path / "outside.txt").write_text("outside")
    (results / "link.txt").symlink_to(tmp_path / "outside.txt")

    def text(name: str, root: str) -> str:
        pointer = f"<persisted-output>\nOutput too large (18KB). Full output saved to: /elsewhere/{name}\n\nPreview"
        path = write(folder, row("user", [{"type": "tool_result", "tool_use_id": "t", "content": pointer}]))
        return read(ADAPTER, path, root).records[0].text

    assert text("big.txt", "") == "A" * 4096 + "\n[...]\n" + "Z" * 4096
    assert text("big.txt", str(tmp_path)).endswith("Z")
    assert text("big.txt", str(tmp_path / "other")).startswith("<persisted-output>")
    for name in ("link.txt", "absent.txt", "folder.txt", "\x00.txt"):
        assert text(name, str(tmp_path)).startswith("<persisted-output>")


@pytest.mark.parametrize("meta", [None, "not json", "[1]", '{"description": 5}'])
def test_a_sub_agent_without_facts_beside_it(tmp_path: Path, meta: str | None) -> None:
    folder = tmp_path / "subagents"
    folder.mkdir()
    path = write(folder, row("user", "task", isSidechain=True), name="agent-a1")
    if meta is not None:
        (folder / "agent-a1.meta.json").write_text(meta)
    (record,) = read(ADAPTER, path).records
    assert (record.kind, record.session.id, record.session.title) == ("task", f"{SESSION}/a1", "")


def test_a_sub_agent_whose_parent_is_unknown(tmp_path: Path) -> None:
    path = write(tmp_path, {"type": "user", "uuid": "1", "message": {"content": "task"}}, name="agent-a1")
    (record,) = read(ADAPTER, path).records
    assert record.session.id == "agent-a1"


def test_one_human_turn_in_fifty_megabytes(tmp_path: Path) -> None:
    big = row(
        "user", [{"type": "tool_result", "tool_use_id": "t", "content": "x" * (25 << 20)}], toolUseResult={"stdout": "x" * (25 << 20)}
    )
    records = read(ADAPTER, write(tmp_path, row("user", "before"), big, row("user", "after"))).records
    assert [record.text[:10] for record in records] == ["before", "x" * 10, "after"]


def test_fixtures_hold_every_kind_of_record() -> None:
    found = {
        record[0]
        for golden in FIXTURES.glob("claude-code/*/expected.json")
        for file in json.loads(golden.read_text())["files"].values()
        for session in file["sessions"]
        for record in session["records"]
    }
    assert found >= {"human", "task", "answer", "assistant", "plan", "summary", "title", "thinking", "call", "result"}


def test_a_plan_that_comes_again_is_told_once(tmp_path: Path) -> None:
    plan = {"type": "tool_use", "id": "p1", "name": "ExitPlanMode", "input": {"plan": "# Bees\n"}}
    again = "Implement the following plan:\n\n# Bees"
    path = write(
        tmp_path, row("assistant", [plan]), row("user", again), row("user", again), row("assistant", [plan]), row("user", f"{again}!")
    )
    found = read(ADAPTER, path)
    assert [(record.kind, record.text) for record in found.records if record.kind != HUMAN] == [
        (PLAN, "# Bees"),
        (CALL, ""),
        (PLAN, "# Bees!"),
    ]
    assert sum(record.kind == HUMAN for record in found.records) == 3
    assert found.state is not None
    assert len(found.state["plans"]) == 2


@pytest.mark.shared
def test_human_turns_of_real_sessions(update_golden: bool) -> None:
    check_samples(ADAPTER, update=update_golden)


def test_a_session_of_one_row_of_the_client_is_known() -> None:
    row = {"parentUuid": None, "isSidechain": False, "type": "system", "subtype": "info", "sessionId": SESSION}
    assert ADAPTER.sniff(json.dumps(row).encode(), "/x/y.jsonl")
    assert not ADAPTER.sniff(json.dumps({"systemPayload": {}} | row).encode(), "/x/y.jsonl")
