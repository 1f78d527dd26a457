from __future__ import annotations

import pytest

from libtool.domain.transcript_paths import Marks, Pattern, is_library, is_transcript, parts_of

MARKS = Marks(
    (
        Pattern(("~", ".codex", "sessions", "**", "rollout-*.jsonl"), 2),
        Pattern(("", "srv", "claude", "projects", "*", "*.jsonl"), 3),
        Pattern((".specstory", "history", "*.md")),
    ),
    ("~", "library"),
    "/srv/ada",
)


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("", ()),
        ("~/a/./b//c/../d", ("~", "a", "b", "d")),
        ("/home/bob/a", ("~", "a")),
        ("/home/bob", ("~",)),
        ("/homes/bob", ("", "homes", "bob")),
        ("/srv/ada/a", ("~", "a")),
        ("/srv/adam", ("", "srv", "adam")),
        ("C:/Users/bob/a", ("~", "a")),
        ("/mnt/c/Users/bob/a", ("~", "a")),
        ("$HOME/a/$b/{c,d}/${e}", ("~", "a", "*", "*", "*")),
        ("file:///root/a", ("~", "a")),
        ("a/b", ("a", "b")),
        ("~/**/**/a", ("~", "**", "a")),
    ],
)
def test_a_path_in_parts(path: str, parts: tuple[str, ...]) -> None:
    assert parts_of(path, "/srv/ada") == parts


def test_a_path_is_taken_from_its_folder() -> None:
    assert parts_of("../a", "/srv/ada", "/srv/ada/b/c") == ("~", "b", "a")
    assert parts_of("/a", "", "/b") == ("", "a")
    assert len(parts_of("a/" * 3000)) == 40


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("~/.codex/sessions", "plain deep whole"),
        ("~/.codex/sessions/2026/10", "plain deep whole"),
        ("~/.codex/sessions/2026/rollout-1.jsonl.zst", "plain deep whole"),
        ("~/.codex/sessions/**/*.jsonl", "plain deep whole"),
        ("~/.codex", "deep"),
        ("~/.codex/**/*.jsonl", "plain deep whole"),
        ("~/**/*.jsonl", ""),
        ("~/.codex/config.toml", ""),
        ("~/.codex/sessions/2026/notes.md", ""),
        ("~/.codex/sessions/**/*.md", ""),
        ("~/.codex/sessions/2026/memory", ""),
        (".codex/sessions", ""),
        ("/srv/claude/projects/k/a.jsonl", "plain deep whole"),
        ("/srv/claude/projects/k/a.jsonl/b", ""),
        ("/srv/claude/projects/k/*", "plain deep whole"),
        ("/srv/claude/projects/k.jsonl", ""),
        (".specstory/history", "plain deep"),
        ("x/.specstory/history", "plain deep whole"),
        (".specstory/history/a.md", "plain deep whole"),
        (".specstory", ""),
        (".specstory/statistics.json", ""),
        ("", ""),
    ],
)
def test_transcripts(path: str, found: str) -> None:
    parts = parts_of(path)
    ways = {"plain": {}, "deep": {"deep": True}, "whole": {"whole": True}}
    assert [name for name, how in ways.items() if is_transcript(parts, MARKS, **how)] == found.split()


def test_the_library() -> None:
    assert is_library(("~", "library", "INDEX.md"), MARKS)
    assert is_library(("~", "library", "*.md"), MARKS)
    assert is_library(("~", "library", "entries", "a.md"), MARKS)
    assert not is_library(("~", "library", "README"), MARKS)
    assert not is_library(("~", "library"), MARKS)
    assert is_library(("~", "library"), MARKS, deep=True)
    assert not is_library(("~", "lib"), MARKS)
    assert not is_library(("~", "INDEX.md"), Marks(()))


def test_the_needles() -> None:
    assert MARKS.needles == {".codex", "claude", ".specstory", "library"}
    assert Marks((), (), "", {"CODEX_HOME": "/srv/codex"}).needles == {"CODEX_HOME"}
