from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.cline import Cline
from libtool.adapters.cline_text import assistant_records, feedback, same_words, typed_parts
from libtool.domain.session import ASSISTANT, CALL, HUMAN, RESULT, THINKING
from tests.adapters.reading import read

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = Cline()
API, UI = "api_conversation_history.json", "ui_messages.json"


def task(tmp_path: Path, api: Any) -> Path:
    folder = tmp_path / "1790000000000"
    folder.mkdir(exist_ok=True)
    (folder / API).write_text(json.dumps(api))
    return folder / API


def test_places_of_all_editors() -> None:
    roots = [place.root for place in ADAPTER.places("/h", {})]
    assert "/h/.config/Code/User/globalStorage" in roots
    assert "/h/Library/Application Support/Cursor/User/globalStorage" in roots
    assert "/c/VSCodium/User/globalStorage" in [place.root for place in ADAPTER.places("/h", {"XDG_CONFIG_HOME": "/c"})]


def test_known_by_content() -> None:
    assert ADAPTER.sniff(b'[{"role": "user", "content": [{"type": "text", "text": "<task>x</task>"}]}]', "/x.json")
    assert ADAPTER.sniff(b'[{"role":"user","content":"x"}]', f"/t/1/{API}")
    assert not ADAPTER.sniff(b'[{"role": "user", "content": "x"}]', "/x.json")
    assert not ADAPTER.sniff(b'[{"role": "user"}]', f"/t/1/{API}")
    assert ADAPTER.sniff(b'[{"ts":1790000000000,"type":"say","say":"text","text":"x"}]', "/x.json")
    assert not ADAPTER.sniff(b'[{"ts": 17, "type": "say"}]', "/x.json")


def test_the_window_counts_as_part_of_the_task() -> None:
    assert ADAPTER.side_files(f"/t/1/{API}") == (f"/t/1/{UI}",)
    assert ADAPTER.side_files(f"/t/1/{UI}") == ()


def test_a_folder_does_not_tell_twice(tmp_path: Path) -> None:
    path = task(tmp_path, [{"role": "user", "content": "<task>x</task>"}])
    (path.parent / UI).write_text('[{"ts": 1790000000000, "type": "say", "say": "task", "text": "x"}]')
    assert [record.text for record in read(ADAPTER, path).records] == ["x"]
    assert read(ADAPTER, path.parent / UI).records == []


def test_the_first_working_folder_counts(tmp_path: Path) -> None:
    block = "<environment_details>\n# Current Workspace Directory (%s) Files\n</environment_details>"
    path = task(tmp_path, [{"role": "user", "content": ["<x>", {"type": "text", "text": block % folder}]} for folder in ("/a", "/b")])
    path.write_text(path.read_text().replace('"<x>", ', '{"type": "text", "text": "<task>x</task>"}, '))
    assert read(ADAPTER, path).records[0].session.cwd == "/a"


def test_empty_pieces_are_left_out(tmp_path: Path) -> None:
    path = task(
        tmp_path,
        [
            {"role": "user", "content": "<task> </task>"},
            {"role": "assistant", "content": [{"type": "tool_use", "name": "attempt_completion", "input": None}, {"type": "thinking"}]},
            {"role": "user", "content": [{"type": "text", "text": "[read_file] Result:"}, {"type": "tool_result", "content": None}]},
        ],
    )
    assert read(ADAPTER, path).records == []


def test_a_sub_task_seen_only_in_the_window(tmp_path: Path) -> None:
    folder = tmp_path / "2"
    folder.mkdir()
    (folder / "history_item.json").write_text('{"parentTaskId": "1"}')
    shown = [{"ts": 1790000000000, "type": "say", "say": "text", "text": "count"}]
    (folder / UI).write_text(json.dumps(shown))
    (record,) = read(ADAPTER, folder / UI).records
    assert (record.kind, record.session.parent, record.session.subagent) == ("task", "1", True)


@given(words=st.lists(st.text(st.characters(exclude_characters="<>")).map(str.strip).filter(bool), max_size=4))
def test_each_typed_piece_is_found_once(words: list[str]) -> None:
    text = "\n".join(f"program text <feedback>\n{each}\n</feedback>" for each in words)
    assert typed_parts(text) == [("feedback", each) for each in words]


def test_typed_pieces() -> None:
    assert typed_parts("<task>show <feedback> tags</task>") == [("task", "show <feedback> tags")]
    assert typed_parts("<answer>never closed") == [("answer", "never closed")]
    assert typed_parts("<task>a</task><file_content path='x'><task>b</task>") == [("task", "a")]
    assert feedback("output with <feedback>x</feedback>") == ""
    assert same_words("see 'a.ts' (see below for file content) now", "see @/a.ts now")
    assert not same_words("see 'a.ts' now", "see b.ts now")
    assert not same_words("x", "?")


def test_replies() -> None:
    assert assistant_records("a <thinking>b</thinking> c") == [
        (ASSISTANT, "a ", "", None),
        (THINKING, "b", "", None),
        (ASSISTANT, " c", "", None),
    ]
    write = "<write_to_file>\n<path>x</path>\n<content>\n<p><content>y</content></p>\n</content>\n</write_to_file>"
    assert assistant_records(write) == [(CALL, "", "write_to_file", {"path": "x", "content": "<p><content>y</content></p>"})]
    assert assistant_records("<read_file>\n<path>a.ts") == [(CALL, "", "read_file", {"path": "a.ts"})]
    assert assistant_records("<thinking>open") == [(THINKING, "open", "", None)]
    assert assistant_records("") == []


@pytest.mark.parametrize("failed", [True, False])
def test_native_results_name_their_tool(tmp_path: Path, failed: bool) -> None:
    path = task(
        tmp_path,
        [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "read_file", "input": {"path": "x"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "text", "is_error": failed}]},
        ],
    )
    call, result = read(ADAPTER, path).records
    assert (call.kind, call.tool, result.kind, result.tool, result.failed) == (CALL, "read_file", RESULT, "read_file", failed)


def test_a_prompt_without_a_partner_keeps_its_place(tmp_path: Path) -> None:
    path = task(tmp_path, [{"role": "user", "content": "<task>only the model saw this</task>"}])
    (path.parent / UI).write_text('[{"ts": 1790000000000, "type": "say", "say": "task", "text": "only the window"}]')
    assert [(r.kind, r.text) for r in read(ADAPTER, path).records] == [(HUMAN, "only the model saw this"), (HUMAN, "only the window")]
