from __future__ import annotations

import json
import os
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from libtool.config import load
from libtool.domain.raw_reads import LOOKUP, RAW
from libtool.errors import LibError, UsageError
from libtool.features import audit, audit_plot, index
from libtool.features.audit import Read, Saving, Spent
from tests.features.machine import CWD, sid

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from libtool.config import Config

RAW_COMMAND = "cat ~/.codex/sessions/a.jsonl"
Call = tuple[str, str, dict[str, Any], str | None]
# id, tool, arguments, what came back.


def session(home: Path, number: int, calls: Sequence[Call], *, day: str = "2026-03-04", copied: int = 0) -> Path:
    """A session of Claude Code with one prompt, then tool calls, their results, then an answer.

    `copied` gives the same rows the id of another session."""
    shared = {"sessionId": sid(number), "cwd": CWD, "version": "2.1.332", "gitBranch": "main", "isSidechain": False, "userType": "external"}
    rows: list[dict[str, Any]] = [
        {
            "type": "user",
            "uuid": "u0",
            "timestamp": f"{day}T09:00:00.000Z",
            "message": {"role": "user", "content": "How does the kiln cool?"},
        }
    ]
    for at, (name, tool, arguments, _) in enumerate(calls):
        content = [{"type": "tool_use", "id": name, "name": tool, "input": arguments}]
        message = {"id": f"m{at}", "type": "message", "role": "assistant", "model": "opus", "content": content}
        rows.append({"type": "assistant", "uuid": f"a{at}", "timestamp": f"{day}T09:01:{at:02}.000Z", "message": message})
    for at, (name, _, _, result) in enumerate(calls):
        if result is not None:
            given = [{"type": "tool_result", "tool_use_id": name, "content": result}]
            rows.append(
                {"type": "user", "uuid": f"r{at}", "timestamp": f"{day}T09:02:{at:02}.000Z", "message": {"role": "user", "content": given}}
            )
    said = {"id": "m99", "type": "message", "role": "assistant", "model": "opus", "content": [{"type": "text", "text": "Slowly."}]}
    rows.append({"type": "assistant", "uuid": "a99", "timestamp": f"{day}T09:02:59.000Z", "message": said})
    path = home / ".claude/projects/-home-ada-work-kiln" / f"{sid(number + copied)}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row | shared | {"sessionId": sid(number + copied)}) + "\n" for row in rows), encoding="utf-8")
    return path


def raw(name: str, result: str | None) -> Call:
    return name, "Bash", {"command": RAW_COMMAND}, result


def lookup(name: str, result: str | None) -> Call:
    return name, "Bash", {"command": "lib search kiln"}, result


@pytest.fixture
def machine(home: Path) -> Config:
    session(home, 1, [raw("t1", "x" * 4000), ("t2", "Read", {"file_path": "/home/ada/notes.md"}, "n"), raw("t3", None)])
    session(home, 2, [lookup("t1", "y" * 400), raw("t2", "z" * 100)], day="2026-04-01")
    session(home, 3, [("t1", "Bash", {"command": "ls"}, "a")])
    config = load({}, str(home))
    index.run(config, {})
    return config


def test_what_came_back_is_measured_in_the_transcript(machine: Config) -> None:
    found = audit.audit(machine, {})
    one, two = f"claude-code:{sid(1)}", f"claude-code:{sid(2)}"
    assert (found.sessions, found.unreadable) == (3, ())
    assert [(read.session, read.kind, read.tokens, read.measured) for read in found.reads] == [
        (one, RAW, 1000, True),
        (one, RAW, 0, True),
        (two, LOOKUP, 100, True),
        (two, RAW, 25, True),
    ]
    assert found.reads[0].time == "2026-03-04T09:01:00.000Z"
    assert audit.spent(found.reads, RAW) == Spent(2, 3, 1025, 0)
    assert audit.spent(found.reads, LOOKUP) == Spent(1, 1, 100, 0)
    assert {month: len(reads) for month, reads in audit.grouped(found.reads, "month").items()} == {"2026-03": 2, "2026-04": 2}
    assert list(audit.grouped(found.reads, "agent")) == ["claude-code"]
    assert audit.saving(found.reads) == Saving(1, 1000, 125, 875)


def test_earlier_calls_can_be_left_out_and_progress_is_told(machine: Config) -> None:
    steps: list[tuple[int, int]] = []
    found = audit.audit(machine, {}, since="2026-04-01", progress=lambda done, total: steps.append((done, total)))
    assert (found.sessions, len(found.reads), steps) == (1, 2, [(1, 1)])
    assert audit.saving(found.reads) is None


def test_what_a_deleted_transcript_held_is_estimated(home: Path, machine: Config) -> None:
    next(home.rglob(f"{sid(2)}.jsonl")).unlink()
    found = audit.audit(machine, {})
    assert [(read.kind, read.tokens, read.measured) for read in found.reads] == [
        (RAW, 1000, True),
        (RAW, 0, True),
        (LOOKUP, 0, False),
        (RAW, 500, False),
    ]
    assert audit.spent(found.reads, RAW) == Spent(2, 3, 1500, 1)


def test_what_cannot_be_read_is_estimated_and_named(home: Path, machine: Config) -> None:
    path = next(home.rglob(f"{sid(1)}.jsonl"))
    path.unlink()
    path.mkdir()
    found = audit.audit(machine, {})
    assert [reason for _, reason in found.unreadable] == ["Is a directory"]
    assert audit.spent(found.reads, RAW) == Spent(2, 3, 75, 2)


def test_what_a_fork_copied_is_counted_once(home: Path) -> None:
    session(home, 1, [raw("t1", "x" * 4000)])
    session(home, 1, [raw("t1", "x" * 4000)], copied=7)
    config = load({}, str(home))
    index.run(config, {})
    assert audit.spent(audit.audit(config, {}).reads, RAW) == Spent(1, 1, 1000, 0)


def test_a_fork_that_was_given_times_of_its_own_is_counted_once(home: Path) -> None:
    name = "toolu_01" + "x" * 16
    session(home, 1, [raw(name, "x" * 4000)])
    session(home, 2, [raw(name, "x" * 4000)], day="2026-03-05")
    session(home, 3, [raw("call_0", "x" * 400)], day="2026-03-06")
    session(home, 4, [raw("call_0", "x" * 400)], day="2026-03-07")
    config = load({}, str(home))
    index.run(config, {})
    assert [read.tokens for read in audit.audit(config, {}).reads] == [1000, 100, 100]


def test_results_may_come_in_another_order(home: Path) -> None:
    path = session(home, 1, [raw("t1", "x" * 4000), ("t2", "Bash", {"command": "ls"}, "y" * 400)])
    rows = path.read_text(encoding="utf-8").splitlines()
    path.write_text("\n".join([*rows[:3], rows[4], rows[3], *rows[5:]]) + "\n", encoding="utf-8")
    config = load({}, str(home))
    index.run(config, {})
    assert [read.tokens for read in audit.audit(config, {}).reads] == [1000]


def test_without_ids_results_come_in_the_order_of_their_calls(home: Path) -> None:
    path = session(home, 1, [])
    first, *rest = path.read_text(encoding="utf-8").splitlines()
    said = ["<bash-input>cat ~/.codex/sessions/a.jsonl</bash-input>", f"<bash-stdout>{'x' * 400}</bash-stdout><bash-stderr></bash-stderr>"]
    typed = [json.loads(first) | {"uuid": f"b{at}", "message": {"role": "user", "content": text}} for at, text in enumerate(said)]
    path.write_text("\n".join([first, *rest, *map(json.dumps, typed)]) + "\n", encoding="utf-8")
    config = load({}, str(home))
    index.run(config, {})
    assert [read.tokens for read in audit.audit(config, {}).reads] == [100]


def test_commands_that_a_program_of_codex_gave_share_its_result(home: Path) -> None:
    folder = home / ".codex/sessions/2026/03/04"
    folder.mkdir(parents=True)
    name = "01a2297a-1c79-7d03-813d-ede4650798ad"
    program = 'const r = await tools.exec_command({cmd: "cat ~/.claude/projects/k/a.jsonl"}); text(r.output)'
    payloads: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", {"id": name, "cwd": "/home/ada/kiln", "originator": "codex_cli_rs", "cli_version": "0.171.0", "source": "cli"}),
        ("response_item", {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "How does the kiln cool?"}]}),
        ("response_item", {"type": "custom_tool_call", "name": "exec", "call_id": "call_abc", "input": program}),
        ("response_item", {"type": "custom_tool_call_output", "call_id": "call_abc", "output": "x" * 800}),
    ]
    rows = [{"timestamp": f"2026-03-04T09:00:0{at}.000Z", "type": kind, "payload": given} for at, (kind, given) in enumerate(payloads)]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    (folder / f"rollout-2026-03-04T09-00-00-{name}.jsonl").write_text(text, encoding="utf-8")
    config = load({}, str(home))
    index.run(config, {})
    assert [(read.kind, read.tokens) for read in audit.audit(config, {}).reads] == [(RAW, 200)]


def test_a_result_of_nobody_and_a_call_that_was_never_answered(home: Path) -> None:
    path = session(home, 1, [raw("t1", None), ("t2", "Read", {"file_path": "a"}, "r")])
    rows = path.read_text(encoding="utf-8").splitlines()
    again = json.loads(rows[0]) | {"uuid": "u9", "timestamp": "2026-03-04T09:03:00.000Z"}
    path.write_text("\n".join([*rows, json.dumps(again), rows[-2].replace("r1", "r9")]) + "\n", encoding="utf-8")
    config = load({}, str(home))
    index.run(config, {})
    assert [(read.kind, read.tokens) for read in audit.audit(config, {}).reads] == [(RAW, 0)]


def read(kind: str, tokens: int, *, at: str = "2026-03-04", name: str = "a:1") -> Read:
    return Read(name, "a", "kiln", at, kind, tokens, measured=True, root=name)


def test_groups_are_in_order_and_unknown_is_said() -> None:
    reads = [read(RAW, 1, at=""), read(RAW, 5, at="2026-04-01"), read(LOOKUP, 9)._replace(project="")]
    assert list(audit.grouped(reads, "month")) == ["2026-03", "2026-04", "unknown"]
    assert list(audit.grouped(reads, "project")) == ["kiln", "unknown"]


def test_the_marks_come_from_the_adapters_and_the_environment(home: Path) -> None:
    config = load({"LIB_LIBRARY": str(home / "books")}, str(home))
    found = audit.marks(config, {"CODEX_HOME": "/srv/codex", "CLAUDE_CONFIG_DIR": str(home / "elsewhere")})
    paths = {"/".join(one.parts) for one in found.transcripts}
    assert {"~/.claude/projects/*/*.jsonl", "~/.codex/sessions/**/rollout-*.jsonl", ".specstory/history/*.md"} <= paths
    assert {"/srv/codex/sessions/**/rollout-*.jsonl", "~/elsewhere/projects/*/*.jsonl"} <= paths
    assert not any("memory" in path or path.startswith("*") for path in paths)
    assert (found.library, found.home) == (("~", "books"), str(home))
    given = {"CODEX_HOME": "/srv/codex", "CLAUDE_CONFIG_DIR": str(home / "elsewhere"), "LIB_LIBRARY": str(home / "books")}
    assert found.variables == given
    more = {"HOME": str(home), "PATH": "/usr/bin:/bin", "ROOT": "/", "EDITOR": "vi", **given}
    assert audit.marks(config, more).variables == given
    assert audit.marks(load({"LIB_LIBRARY": "/srv/books"}, str(home)), {}).library == ("", "srv", "books")


def test_the_whole_of_a_long_command_counts(home: Path) -> None:
    program = "python3 - <<'EOF'\n" + "# a comment\n" * 100 + "print(open('/home/ada/.codex/sessions/a.jsonl').read())\nEOF"
    session(home, 1, [("t1", "Bash", {"command": program}, "x" * 400)])
    session(home, 2, [("t1", "Bash", {"command": "ls"}, "x" * 400)])
    config = load({}, str(home))
    index.run(config, {})
    assert [(read.kind, read.tokens) for read in audit.audit(config, {}).reads] == [(RAW, 100)]


def test_a_transcript_of_several_sessions_is_searched_once(home: Path) -> None:
    said = "\n#### How does the kiln cool, and how slowly?\n\nVery slowly: three days.\n"
    runs = [f"# aider chat started at 2026-03-0{day} 09:00:00\n{said}" for day in (4, 5)]
    (home / "kiln").mkdir()
    (home / "kiln" / ".aider.chat.history.md").write_text("\n".join(runs), encoding="utf-8")
    config = load({}, str(home))
    index.run(config, {})
    assert audit.audit(config, {}) == (2, (), ())


def test_output_that_was_put_aside_counts_as_what_the_model_was_given(home: Path) -> None:
    name = "b1.txt"
    told = f"<persisted-output>\nOutput too large (340.7KB). Full output saved to: /x/tool-results/{name}\n\nPreview:\n{'y' * 300}"
    path = session(home, 1, [raw("t1", told)])
    aside = path.with_suffix("") / "tool-results"
    aside.mkdir(parents=True)
    (aside / name).write_text("z" * 340_000, encoding="utf-8")
    config = load({}, str(home))
    index.run(config, {})
    assert [read.tokens for read in audit.audit(config, {}).reads] == [len(told) // 4]


def test_every_transcript_of_a_session_is_looked_at(home: Path) -> None:
    longest = session(home, 1, [raw("t1", "x" * 400), raw("t2", "x" * 80)])
    other = longest.parent.parent / "-home-ada-work-other" / longest.name
    other.parent.mkdir()
    # The same session, gone on with in another folder: it repeats a row, and has one of its own.
    first, *rows = longest.read_text(encoding="utf-8").splitlines()
    own = [row.replace('"t1"', '"t9"').replace("T09:0", "T10:0").replace('"u0', '"v0').replace('"r0', '"s0') for row in (rows[0], rows[2])]
    other.write_text("\n".join([first, rows[0], rows[2], *own]) + "\n", encoding="utf-8")
    config = load({}, str(home))
    index.run(config, {})
    assert sorted(read.tokens for read in audit.audit(config, {}).reads) == [20, 100, 100]


def test_what_a_sub_agent_read_is_the_cost_of_the_session_that_it_works_for(home: Path, machine: Config) -> None:
    session(home, 5, [lookup("t1", "y" * 400)], day="2026-05-01")
    path = session(home, 6, [raw("t1", "x" * 40_000)], day="2026-05-01")
    below = path.parent / sid(5) / "subagents" / "agent-a1b2c3d.jsonl"
    below.parent.mkdir(parents=True)
    text = (
        path.read_text(encoding="utf-8")
        .replace(sid(6), sid(5))
        .replace('"isSidechain": false', '"isSidechain": true, "agentId": "a1b2c3d"')
    )
    below.write_text(text, encoding="utf-8")
    path.unlink()
    index.run(machine, {})
    found = audit.audit(machine, {})
    assert {one.root for one in found.reads if one.time > "2026-05"} == {f"claude-code:{sid(5)}"}
    assert audit.saving(found.reads) == Saving(2, 1000, 100 + 25 + 100 + 10_000, 2000 - 10_225)


def test_parents_in_a_circle_end(home: Path, machine: Config) -> None:
    assert home.exists()
    with sqlite3.connect(machine.store_db) as store:
        store.execute("UPDATE session SET parent = ? WHERE sid = ?", (sid(2), sid(1)))
        store.execute("UPDATE session SET parent = ? WHERE sid = ?", (sid(1), sid(2)))
    assert len({one.root for one in audit.audit(machine, {}).reads}) == 2


def test_one_session_that_read_very_much_does_not_make_the_saving() -> None:
    reads = [read(RAW, 100, name="a:1"), read(RAW, 200, name="a:2"), read(RAW, 90_000, name="a:3"), read(LOOKUP, 50, name="a:4")]
    assert audit.saving(reads) == Saving(1, 200, 50, 150)


def test_nothing_is_saved_by_what_was_never_measured() -> None:
    raw_read, looked_up = read(RAW, 100, name="a:1"), read(LOOKUP, 0, name="a:2")
    assert audit.saving([raw_read, looked_up]) is not None
    assert audit.saving([raw_read, looked_up._replace(measured=False)]) is None
    assert audit.saving([raw_read._replace(measured=False), looked_up]) is None


def test_a_plot_is_the_same_for_the_same_calls(home: Path) -> None:
    reads = [read(RAW, 1000), read(LOOKUP, 100), read(RAW, 5, at="2026-05-01")]
    for name in ("a.svg", "b.svg"):
        audit_plot.write(reads, str(home / name))
    drawn = (home / "a.svg").read_text(encoding="utf-8")
    assert drawn == (home / "b.svg").read_text(encoding="utf-8")
    assert all(text in drawn for text in ("2026-03", "2026-05", "raw transcripts", "lookups through lib"))
    assert os.stat(home / "a.svg").st_mode & 0o777 == 0o644
    (home / "file").touch()
    with pytest.raises(LibError, match="cannot be written"):
        audit_plot.write(reads, str(home / "file" / "a.svg"))
    with pytest.raises(LibError, match="No such file"):
        audit_plot.write(reads, str(home / "new" / "a.svg"))
    assert not (home / "new").exists()


def test_without_the_extra_a_plot_says_what_it_needs(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(UsageError) as failed:
        audit_plot.write([], str(home / "a.svg"))
    assert "lib-sessions[plot]" in failed.value.hint
