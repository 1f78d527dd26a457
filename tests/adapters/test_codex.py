"""Codex: what the fixtures do not show."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.base import SNIFF_BYTES, Place
from libtool.adapters.codex import Codex
from libtool.adapters.codex_base import MAX_DEPTH, Base
from libtool.adapters.codex_raw import IGNORED_EVENTS, skip
from libtool.adapters.codex_text import answers, output, plain, plan, questions, reports, said, script
from libtool.domain.session import CALL, HUMAN, RESULT
from tests.adapters.reading import FIXTURES, read
from tests.adapters.sampled import check_samples

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = Codex()
TIME = "2026-05-01T10:00:00.000Z"


def row(kind: str, **payload: object) -> dict[str, Any]:
    return {"timestamp": TIME, "type": kind, "payload": payload}


def user(text: str) -> dict[str, Any]:
    return row("response_item", type="message", role="user", content=[{"type": "input_text", "text": text}])


def thread(number: int) -> str:
    return f"01900000-0000-7000-8000-{number:012d}"


def write(folder: Path, number: int, *rows: dict[str, Any]) -> Path:
    path = folder / f"rollout-2026-05-01T10-00-00-{thread(number)}.jsonl"
    path.write_text("".join(json.dumps(each, separators=(",", ":")) + "\n" for each in rows))
    return path


def test_the_configured_folder_is_the_place() -> None:
    (place,) = ADAPTER.places("/home/ada", {"CODEX_HOME": "/srv/codex"})
    assert place.root == "/srv/codex"
    assert ADAPTER.places("/home/ada", {}) == [Place("/home/ada/.codex", place.patterns)]
    assert ADAPTER.side_files("/x") == ()


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (b'{"timestamp":"t","type":"session_meta","payload":{"id":"x"}}\n', True),
        (b'{"timestamp":"t","type":"session_meta","payload":{"base_instructions":"' + b"x" * SNIFF_BYTES, True),
        (b'{"timestamp": "t", "type": "event_msg", "payload": {}}\n', True),
        (b'{"id":"x","timestamp":"t","instructions":null}\n', True),
        (b'{"type":"message","role":"user","content":[{"type":"input_text","text":"x"}]}\n', True),
        (b'{"type":"message","role":"user","content":["x"]}\n', False),
        (b'{"type":"message","role":"user","content":[]}\n', False),
        (b'{"type":"session_meta","payload":{}}\n', False),
        (b'{"timestamp":"t","type":["x"],"payload":{}}\n', False),
        (b'{"timestamp":"t","type":"user","payload":{}}\n', False),
        (b'{"id":"x","timestamp":"t","type":"user","instructions":null}\n', False),
        (b'{"session_id":"x","ts":1,"text":"y"}\n', False),
    ],
)
def test_known_by_content(head: bytes, known: bool) -> None:
    assert ADAPTER.sniff(head, "/x/y.jsonl") is known


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not text.strip().startswith(("<", "#", "[", "Warning"))))
def test_text_without_wrappers_is_said_as_typed(text: str) -> None:
    assert said(text) == ([(HUMAN, text.strip())] if text.strip() else [])


@pytest.mark.parametrize(
    ("value", "text", "failed"),
    [
        ("whole", "whole", False),
        ("Exit code: 0\nno more", "Exit code: 0\nno more", False),
        ("Exit code: 1\nOutput:\n" + "x" * 9000, "x" * 9000, True),
        ("Wall time: 1.0 seconds\nOutput:\nok", "ok", False),
        ('{"output":"x","metadata":{"exit_code":"odd"}}', "x", False),
        ('{"output":"x","metadata":5}', "x", False),
        ('{"output": broken', "", False),
        ({"content": "x", "success": False}, "x", True),
        ({"content": '{"output":"x"}', "success": False}, "x", True),
        (["a\n", {"text": "b"}, {"text": 5}, 7, {"type": "input_image"}], "a\nb", False),
        ("aborted by user after 3.1s", "aborted by user after 3.1s", True),
        (None, "", False),
    ],
)
def test_outputs(value: object, text: str, failed: bool) -> None:
    assert output(value) == (text, failed)


PATCH = '*** Begin Patch\n*** Update File: hive.py\n@@\n-"a"\n+b\n*** End Patch'


@pytest.mark.parametrize(
    ("source", "calls"),
    [
        (
            'const r = await tools.exec_command({"cmd":"ls \\"a b\\"\\n","workdir":"/w"});\ntext(r.output);',
            [("exec_command", {"cmd": 'ls "a b"\n'})],
        ),
        (
            'await Promise.all([tools.exec_command({cmd: "a"}),\n tools.exec_command({ cmd:"b", workdir:"/w"})])',
            [("exec_command", {"cmd": "a"}), ("exec_command", {"cmd": "b"})],
        ),
        (f"const patch = {json.dumps(PATCH)};\nawait tools.apply_patch(patch);", [("apply_patch", PATCH)]),
        (
            f'await tools.apply_patch({json.dumps(PATCH)}); await tools.exec_command({{"cmd":"make"}})',
            [("apply_patch", PATCH), ("exec_command", {"cmd": "make"})],
        ),
        ('names.map(name => tools.exec_command({cmd:"ls "+name}))', []),
        ('await tools.exec_command({"cmd":"a"}); await tools.view_image({"path":"x"})', []),
        (f"const patch = {json.dumps(PATCH)}; await tools.view_image({{path: patch}})", []),
        ('await tools.exec_command({"cmd":"\\x41"})', []),
        ('text("nothing");', []),
        ("ls", []),
    ],
)
def test_scripts_of_code_mode(source: str, calls: list[tuple[str, object]]) -> None:
    assert script(source) == calls


def test_a_script_is_told_by_what_it_ran(tmp_path: Path) -> None:
    sources = ['text((await tools.exec_command({"cmd":"ls"})).output)', f"await tools.apply_patch({json.dumps(PATCH)})", "text(1)"]
    rows = []
    for at, source in enumerate(sources):
        rows.append(row("response_item", type="custom_tool_call", name="exec", call_id=f"c{at}", input=source))
        rows.append(row("response_item", type="custom_tool_call_output", call_id=f"c{at}", output=f"out {at}"))
    found = [(record.kind, record.tool, record.input or record.text) for record in read(ADAPTER, write(tmp_path, 1, *rows)).records]
    assert found == [
        (CALL, "exec_command", {"cmd": "ls"}),
        (RESULT, "exec", "out 0"),
        (CALL, "apply_patch", PATCH),
        (RESULT, "apply_patch", "out 1"),
        (CALL, "exec", "text(1)"),
        (RESULT, "exec", "out 2"),
    ]


def test_odd_shapes_of_plans_questions_reports() -> None:
    assert plan({"plan": [5, {"step": 6}, {"step": " x ", "status": 7}, {"step": ""}]}) == "- x\n- "
    assert questions({"questions": [5, {"id": 1}, {"id": "a", "question": None}]}) == {}
    assert answers("[1]", {}) == []
    assert answers('{"answers":{"a":{"answers":[5]},"b":{"answers":"x"}}}', {"b": "B?"}) == ["B?\nx"]
    assert reports('{"status":{"completed":" done "}}') == ["done"]
    assert reports('{"status":{"a":{"completed":5},"b":7}}') == []
    assert reports("no json") == []
    assert plain("a\x00b") == "ab"


def test_a_line_that_is_skipped_holds_nothing_wanted() -> None:
    def line(each: dict[str, Any]) -> bytes:
        return json.dumps(each, separators=(",", ":")).encode() + b"\n"

    noise = line(row("event_msg", type="token_count", info=None))
    assert skip(noise)
    assert all(skip(line(row("event_msg", type=name))) for name in IGNORED_EVENTS)
    assert not skip(noise.rstrip() + line(user("hi")))
    assert not skip(noise[:-9] + line(user("hi")))
    assert not skip(line(user("hi")))
    assert not skip(line(row("event_msg", type="agent_message", message="x")))
    assert not skip(line(row("event_msg", type="item_completed", item={"type": "Plan"})))
    assert not skip(line(row("event_msg", type="item_completed", other={})))
    assert not skip(b'{"timestamp":"no type here"}')
    assert not skip(b'{"type":"world_state"}')


@pytest.mark.parametrize(
    ("base", "each", "offset", "ends"),
    [
        (Base("t", 5, 100), {"ordinal": 4}, 999, False),
        (Base("t", 5, 100), {"ordinal": 5}, 0, True),
        (Base("t", 5, 100), {}, 99, False),
        (Base("t", None, 100), {"ordinal": 4}, 100, True),
        (Base("t", None, None), {"ordinal": 4}, 100, False),
    ],
)
def test_where_a_base_ends(base: Base, each: dict[str, Any], offset: int, ends: bool) -> None:
    assert base.ends(each, offset) is ends


def chain(folder: Path, length: int) -> Path:
    path = write(folder, 0, row("session_meta", id=thread(0)), user("0"))
    for number in range(1, length):
        size = os.stat(path).st_size
        base = {"thread_id": thread(number - 1), "end_byte_offset": size}
        path = write(folder, number, row("session_meta", id=thread(number), history_base=base), user(str(number)))
    return path


def test_bases_nest_up_to_a_bound(tmp_path: Path) -> None:
    result = read(ADAPTER, chain(tmp_path, MAX_DEPTH + 1))
    assert [record.text for record in result.records] == [str(number) for number in range(MAX_DEPTH + 1)]
    assert len({id(record.session) for record in result.records}) == 1
    assert not result.tally
    deeper = read(ADAPTER, chain(tmp_path, MAX_DEPTH + 3))
    assert [record.text for record in deeper.records] == [str(number) for number in range(2, MAX_DEPTH + 3)]
    assert deeper.tally["notes"]


def test_a_base_that_cannot_be_read_is_noted(tmp_path: Path) -> None:
    (tmp_path / f"rollout-2026-05-01T10-00-00-{thread(1)}.jsonl").symlink_to(tmp_path / "gone")
    path = write(tmp_path, 2, row("session_meta", id=thread(2), history_base={"thread_id": thread(1)}), user("own"))
    result = read(ADAPTER, path)
    assert [record.text for record in result.records] == ["own"]
    assert result.tally == {"notes": ["the rollout that a fork continues cannot be read"]}


def test_a_resumed_fork_does_not_read_its_base_again(tmp_path: Path) -> None:
    path = chain(tmp_path, 3)
    first = read(ADAPTER, path)
    with path.open("a") as file:
        file.write(json.dumps(user("more")) + "\n")
    second = read(ADAPTER, path, start=first.source.offset, state=first.state)
    assert [record.text for record in second.records] == ["more"]
    assert second.records[0].session == first.records[0].session


def test_a_damaged_line_of_a_base_is_counted(tmp_path: Path) -> None:
    path = chain(tmp_path, 2)
    base = tmp_path / f"rollout-2026-05-01T10-00-00-{thread(0)}.jsonl"
    base.write_bytes(b"{broken}\n" + base.read_bytes())
    assert read(ADAPTER, path).tally["damaged"] == 1


def test_a_title_comes_only_from_the_index_of_its_own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "session_index.jsonl").write_text(json.dumps({"id": thread(1), "thread_name": "Named"}) + "\n")
    path = write(tmp_path, 1, row("session_meta", id=thread(1)), user("hi"))
    assert read(ADAPTER, path).records[0].session.title == ""
    assert read(ADAPTER, path, str(tmp_path)).records[0].session.title == "Named"


def test_calls_stay_bounded(tmp_path: Path) -> None:
    rows = [row("response_item", type="function_call", name="x", arguments="{}", call_id=f"c{number}") for number in range(400)]
    state = read(ADAPTER, write(tmp_path, 1, *rows)).state
    assert state is not None
    assert len(state["calls"]) <= 256


def test_a_file_without_its_first_row_is_named_by_the_thread(tmp_path: Path) -> None:
    (record,) = read(ADAPTER, write(tmp_path, 7, user("hi"))).records
    assert record.session.id == thread(7)


def test_a_name_without_a_threads_id_is_taken_whole(tmp_path: Path) -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "x"}]}
    path = tmp_path / ("rollout-2026-01-02T03-04-05-" + "ghx_" + "a1B2" * 9 + ".jsonl")
    path.write_text(json.dumps({"timestamp": "t", "type": "response_item", "payload": said}))
    assert read(ADAPTER, path).records[0].session.id == path.stem


def test_a_sub_agents_message_without_text_is_nothing(tmp_path: Path) -> None:
    rows = [row("response_item", type="agent_message", content=[]), row("response_item", type="message", role="assistant", content=[])]
    assert read(ADAPTER, write(tmp_path, 7, *rows)).records == []


def test_fixtures_hold_every_kind_of_record() -> None:
    found = {
        record[0]
        for golden in FIXTURES.glob("codex/*/expected.json")
        for file in json.loads(golden.read_text())["files"].values()
        for session in file["sessions"]
        for record in session["records"]
    }
    assert found >= {"human", "task", "answer", "assistant", "plan", "summary", "title", "thinking", "call", "result"}


@pytest.mark.shared
def test_human_turns_of_real_sessions(update_golden: bool) -> None:
    check_samples(ADAPTER, update=update_golden)
