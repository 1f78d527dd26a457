from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.raw_reads import LOOKUP, RAW, Marks, may_count, purpose, purpose_of_line

MARKS = Marks((".claude/projects", ".specstory/history", ".codex/sessions"), ("/home/ada/library/INDEX.md", "/home/ada/library/entries/"))
COMMANDS = [
    (RAW, "cat ~/.claude/projects/kiln/a.jsonl | head -50"),
    (RAW, "cd ~/.claude/projects/kiln && cat a.jsonl"),
    (RAW, "cd ~/.claude/projects/kiln; python3 count.py"),
    (RAW, "find ~/.claude/projects -name '*.jsonl' | xargs -n 1 grep glaze"),
    (RAW, "find ~/.claude/projects -name '*.jsonl' -exec grep glaze {} +"),
    (RAW, "for f in ~/.claude/projects/*/*.jsonl; do jq -r .type $f; done"),
    (RAW, "ls ~/.codex/sessions | while read f; do head $f; done"),
    (RAW, "f=~/.codex/sessions/a.jsonl; sudo tail $f"),
    (RAW, "rg -e glaze ~/.codex/sessions"),
    (RAW, "rg --regexp=glaze ~/.codex/sessions"),
    (RAW, "timeout 10 grep -A 3 glaze .specstory/history/*.md 2>/dev/null"),
    (RAW, "cat < ~/.codex/sessions/a.jsonl"),
    (RAW, "echo $(cat ~/.codex/sessions/a.jsonl)"),
    (RAW, 'bash -lc "grep -r glaze ~/.codex/sessions"'),
    (RAW, "python3 - <<'EOF'\nfor line in open('/home/ada/.codex/sessions/a.jsonl'):\n    print(line)\nEOF"),
    (RAW, "lib search glaze; cat ~/.codex/sessions/a.jsonl"),
    ("", "ls ~/.claude/projects | head"),
    ("", "find ~/.claude/projects -name '*.jsonl' | xargs rm"),
    ("", "find ~/.claude/projects -exec rm {} +"),
    ("", "cd ~/.claude/projects && ls"),
    ("", "cd ~/.claude/projects; make | tail"),
    ("", "rm -rf ~/.claude/projects/kiln"),
    ("", "cat notes > ~/.claude/projects/a"),
    ("", "grep -rn '.claude/projects' src/"),
    ("", "grep -e .claude/projects src/"),
    ("", "git commit -m 'read ~/.claude/projects'"),
    ("", "cat ~/.claude/projects/kiln/memory/MEMORY.md"),
    ("", "cat x.claude/projects"),
    ("", "python3 -c \"skip = ['.specstory/history']\""),
    ("", "bash run.sh ~/.claude/projects"),
    ("", "bash"),
    ("", "ls . | xargs cat; X=1 ; | true"),
    ("", 'bash -c \'bash -c "bash -c \\"bash -c \\\\\\"cat ~/.codex/sessions/a\\\\\\"\\""\''),
    (LOOKUP, "lib search glaze | head"),
    (LOOKUP, "timeout 5s lib --json topics glaze"),
    (LOOKUP, "python3 -m libtool.cli.main show claude-code:3f2a9c1e"),
    (LOOKUP, "cat /home/ada/library/INDEX.md"),
    ("", "lib status"),
    ("", "grep lib setup.py"),
    ("", "./configure --prefix=lib"),
]


@pytest.mark.parametrize(("kind", "command"), COMMANDS)
def test_what_a_command_reads(kind: str, command: str) -> None:
    assert purpose("Bash", {"command": command, "description": "d"}, MARKS) == kind
    assert purpose("shell", {"command": ["bash", "-lc", command]}, MARKS) == kind
    assert purpose("bash", command, MARKS) == kind


@pytest.mark.parametrize(
    ("kind", "tool", "given"),
    [
        (RAW, "Read", {"file_path": "/home/ada/.claude/projects/kiln/a.jsonl"}),
        (RAW, "Grep", {"pattern": "glaze", "path": "~/.codex/sessions"}),
        (RAW, "read_many_files", {"paths": ["a.md", ".specstory/history/b.md", 3]}),
        (RAW, "Read", "`/home/ada/.claude/projects/kiln/a.jsonl`"),
        (RAW, "Read", "/home/ada/.claude/projects/kiln/a.jsonl"),
        (RAW, "Bash", "Look\n\n```bash\ncat ~/.codex/sessions/a\n```"),
        (RAW, "anything", "```\ncat ~/.codex/sessions/a"),
        (RAW, "shell", {"command": ["cat", "/home/ada/.codex/sessions/a", 1]}),
        (LOOKUP, "Read", {"file_path": "/home/ada/library/entries/glaze.md"}),
        ("", "Read", {"file_path": "/home/ada/.claude/projects/kiln/1/tool-results/a.txt"}),
        ("", "Read", "about .claude/projects\nand more"),
        ("", "Grep", {"pattern": ".claude/projects", "path": "src"}),
        ("", "Write", {"file_path": "~/.claude/projects/kiln/a.jsonl"}),
        ("", "edit", "~/.claude/projects/kiln/a.jsonl"),
        ("", "Read", None),
        ("", "Read", ["/home/ada/.codex/sessions/a"]),
    ],
)
def test_what_a_tool_reads(kind: str, tool: str, given: object) -> None:
    assert purpose(tool, given, MARKS) == kind


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        (RAW, "$ cat ~/.codex/sessions/a.jsonl"),
        (RAW, "Read /home/ada/.codex/sessions/a.jsonl"),
        (LOOKUP, "$ lib search glaze"),
        ("", "Grep glaze.codex/sessions"),
        ("", "Write ~/.codex/sessions/a.jsonl"),
        ("", "Read notes.md"),
        ("", ""),
    ],
)
def test_what_a_stored_call_read(kind: str, line: str) -> None:
    assert purpose_of_line(line, MARKS) == kind


WORDS = st.sampled_from(
    [
        "cat",
        "grep",
        "~/.codex/sessions/a",
        "|",
        ";",
        "&&",
        "\n",
        "<<",
        ">",
        "<",
        "'",
        '"',
        "\\",
        "lib",
        "search",
        "-e",
        "xargs",
        "bash",
        "-c",
        "for",
    ]
)


@given(st.lists(WORDS | st.text(max_size=6), max_size=20).map(" ".join))
def test_no_command_is_too_odd_and_a_quick_look_misses_nothing(command: str) -> None:
    kind = purpose("Bash", {"command": command}, MARKS)
    assert kind in (RAW, LOOKUP, "")
    assert may_count(command, MARKS) or not kind
