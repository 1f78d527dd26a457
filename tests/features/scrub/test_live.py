"""Whether a session may be open right now."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.adapters.live_marks import live_sessions
from libtool.features.scrub.live import Watch, is_open

if TYPE_CHECKING:
    from pathlib import Path


def test_marks_name_sessions_of_running_processes(tmp_path: Path) -> None:
    for name, text in {
        "sessions/1.json": '{"pid": 7, "sessionId": "one"}',
        "sessions/2.json": '{"pid": 8, "sessionId": "two"}',
        "sessions/3.json": '{"pid": "7", "sessionId": "three"}',
        "sessions/4.json": "[7]",
        "sessions/5.json": "{",
        "sessions/6.json": '{"pid": 7}',
        "session-state/four/inuse.7.lock": "",
        "session-state/five/inuse.8.lock": "",
        "projects/p/chats/six.runtime.json": '{"pid": 7, "session_id": "six"}',
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    found = {
        agent: live_sessions(agent, str(tmp_path), lambda process: process == 7)
        for agent in ("claude-code", "copilot-cli", "qwen-code", "pi")
    }
    assert found == {"claude-code": {"one"}, "copilot-cli": {"four"}, "qwen-code": {"six"}, "pi": set()}


def test_a_file_is_young_for_the_quiet_time(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("")
    os.utime(path, (1000, 1000))
    wal = tmp_path / "x-wal"
    assert Watch(60, clock=lambda: 1059).reason("pi", str(tmp_path), str(path)) == "changed in the last 1 minutes"
    assert Watch(60, clock=lambda: 1061).reason("pi", str(tmp_path), str(path), beside=(str(wal),)) == ""
    wal.write_text("")
    os.utime(wal, (1050, 1050))
    assert Watch(60, clock=lambda: 1061).reason("pi", str(tmp_path), str(path), beside=(str(wal),))
    # A time to come may be the clock's fault, or that of a file just written.
    assert Watch(60, clock=lambda: 10).reason("pi", str(tmp_path), str(path))


def test_open_files_as_linux_lists_them(tmp_path: Path) -> None:
    folder = tmp_path / "proc" / "1" / "fd"
    folder.mkdir(parents=True)
    (tmp_path / "proc" / "self").mkdir()
    (tmp_path / "proc" / "2").write_text("no folder")
    (folder / "0").write_text("no link")
    (folder / "1").symlink_to("/somewhere/a")
    proc = str(tmp_path / "proc")
    assert is_open(["/somewhere/a", "/somewhere/b"], proc)
    assert not is_open(["/somewhere/b"], proc)
    assert not Watch(0, proc=proc).sees_open_files
    assert not is_open(["/somewhere/a"], str(tmp_path / "none"))


def test_what_this_process_has_open_does_not_count(tmp_path: Path) -> None:
    path = tmp_path / "x"
    with path.open("w"):
        assert not is_open([str(path)])


def test_marks_are_read_once_until_forgotten(tmp_path: Path) -> None:
    watch = Watch(0)
    (tmp_path / "sessions").mkdir()
    assert watch.reason("claude-code", str(tmp_path), "/none/s-17.jsonl") == ""
    (tmp_path / "sessions" / "1.json").write_text(f'{{"pid": {os.getpid()}, "sessionId": "s-17"}}')
    assert watch.reason("claude-code", str(tmp_path), "/none/s-17.jsonl") == ""
    watch.forget()
    assert watch.reason("claude-code", str(tmp_path), "/none/s-17.jsonl")
    assert watch.reason("claude-code", str(tmp_path), "/none/x.jsonl", ["s-17"])
    assert watch.reason("claude-code", str(tmp_path), "/none/x.jsonl", ["two"]) == ""
