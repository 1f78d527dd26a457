from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.gemini_cli import GeminiCli, _bare
from libtool.domain.session import HUMAN
from tests.adapters.reading import Pass, read
from tests.adapters.sampled import check_samples

if TYPE_CHECKING:
    from pathlib import Path

HEADER = {"sessionId": "s1", "projectHash": "h1", "startTime": "2026-05-04T09:00:00Z", "kind": "main"}
ASK = {"id": "1", "name": "ask_user", "args": {"questions": [{"question": "Which?"}]}, "status": "success"}


def user(key: str, text: str, shown: str | None = None) -> dict[str, Any]:
    row: dict[str, Any] = {"id": key, "timestamp": "2026-05-04T09:00:01Z", "type": "user", "content": [{"text": text}]}
    return row if shown is None else row | {"displayContent": [{"text": shown}]}


def log(folder: Path, *rows: object, name: str = "session-x.jsonl", root: str = "") -> Pass:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return read(GeminiCli(), path, root)


def said(result: Pass) -> list[str]:
    return [record.text for record in result.records if record.kind == HUMAN]


def test_places_follow_the_environment() -> None:
    adapter = GeminiCli()
    assert adapter.places("/home/x", {})[0].root == "/home/x/.gemini"
    assert adapter.places("/home/x", {"GEMINI_CLI_HOME": "/srv/g"})[0].root == "/srv/g/.gemini"
    assert adapter.side_files("/x/chats/y.jsonl") == ()


@pytest.mark.parametrize(
    ("head", "known"),
    [
        (json.dumps(HEADER), True),
        (json.dumps({"projectHash": "h", "sessionId": "s"}), True),
        (json.dumps(HEADER | {"messages": []}, indent=2), True),
        (json.dumps(HEADER) + " cut {", True),
        (json.dumps({"sessionId": "s", "type": "user", "message": {}}), False),
        (json.dumps({"sessionId": 1, "projectHash": 2}), False),
        ('{"sessionId":', False),
    ],
)
def test_sniff(head: str, known: bool) -> None:
    assert GeminiCli().sniff(head.encode(), "/x/a.json") is known


def test_a_damaged_header_leaves_the_form_to_the_name(tmp_path: Path) -> None:
    rows = json.dumps(user("u1", "hello")) + "\n" + json.dumps(user("u2", "again")) + "\n"
    path = tmp_path / "session-x.jsonl"
    path.write_text('{"sessionId":"s1","proj\n' + rows)
    result = read(GeminiCli(), path)
    assert said(result) == ["hello", "again"]
    assert result.tally == {"damaged": 1}
    assert result.records[0].session.id == "session-x"
    path = tmp_path / "session-x.json"
    path.write_text('{"sessionId":"s1","proj\n')
    assert read(GeminiCli(), path).tally == {"damaged": 1}


def test_the_same_prompt_twice_is_two_turns_but_a_retry_of_a_hook_is_none(tmp_path: Path) -> None:
    prompt = user("u1", "look at @a\nbody of a", "look at @a")
    retried = user("u2", "now run the tests", "look at @a")
    again = user("u3", "look at @a\nnew body of a", "look at @a")
    command = [user("c1", "long text one", "/check"), user("c2", "long text two", "/check")]
    assert said(log(tmp_path, HEADER, prompt, retried, again, *command)) == ["look at @a", "look at @a", "/check", "/check"]


def test_a_pasted_wrapper_inside_a_prompt_stays(tmp_path: Path) -> None:
    assert said(log(tmp_path, HEADER, user("u1", "why is <hook_context>x</hook_context> here?"))) == [
        "why is <hook_context>x</hook_context> here?"
    ]


@given(st.text(alphabet="<>/hook_context \n", max_size=80))
def test_no_wrapper_is_left_at_the_head(text: str) -> None:
    assert not _bare(text).lstrip().startswith("<hook_context>")


def folder_of(home: Path) -> str:
    result = log(home, HEADER, user("u1", "hi"), name="tmp/slug/chats/session-x.jsonl", root=str(home))
    return result.records[0].session.cwd


def test_project_folder_from_side_files(tmp_path: Path) -> None:
    assert folder_of(tmp_path) == ""
    (tmp_path / "projects.json").write_text('{"projects": {"/srv/a": "slug"')
    assert folder_of(tmp_path) == ""
    (tmp_path / "projects.json").write_text('{"projects": {"/srv/b": "else", "/srv/a": "slug"}}')
    assert folder_of(tmp_path) == "/srv/a"
    (tmp_path / "tmp/slug/.project_root").write_text("/srv/c")
    assert folder_of(tmp_path) == "/srv/c"
    (tmp_path / "projects.json").unlink()
    (tmp_path / "tmp/slug/.project_root").write_text("")
    assert folder_of(tmp_path) == ""


def test_a_file_that_is_no_folder_of_a_project_has_none(tmp_path: Path) -> None:
    assert log(tmp_path, HEADER, user("u1", "hi")).records[0].session.cwd == ""


def test_a_sub_agent_without_the_clients_heading_reports_as_it_is(tmp_path: Path) -> None:
    call = {"id": "1", "name": "delegate_to_agent", "status": "success", "result": "all good"}
    [_, record] = log(tmp_path, HEADER, {"id": "g", "type": "gemini", "content": "", "toolCalls": [call]}).records
    assert (record.kind, record.text) == ("summary", "all good")


def test_setup_without_a_folder_and_an_unclosed_wrapper_are_no_turns(tmp_path: Path) -> None:
    setup = user("c1", "This is the Gemini CLI. We are setting up the context for our chat.\nMy operating system is: linux")
    assert said(log(tmp_path, HEADER, setup, user("u1", "<session_context>\nnever closed"), user("u2", "hi"))) == ["hi"]


@pytest.mark.parametrize("output", ["no JSON", "[1]", '{"answers": []}', '{"answers": {}}', "[" * 100_000])
def test_a_question_without_an_answer_failed(tmp_path: Path, output: str) -> None:
    call = ASK | {"result": [{"functionResponse": {"id": "1", "response": {"output": output}}}]}
    [record] = log(tmp_path, HEADER, {"id": "g", "type": "gemini", "content": "", "toolCalls": [call]}).records
    assert (record.kind, record.failed) == ("result", True)


@pytest.mark.shared
def test_human_turns_of_the_samples(update_golden: bool) -> None:
    check_samples(GeminiCli(), update=update_golden)
