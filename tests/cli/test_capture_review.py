from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.cli.commands import capture_review
from libtool.storage.git import Git
from tests.carried import CACHE, QUOTA
from tests.features.sync_lab import IDENTITY
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config
    from tests.carried import Program


@pytest.fixture
def library(home: Path, indexed: Config, lib: Program) -> Config:
    git = Git(str(home), environment())
    for name, value in IDENTITY:
        git.run("config", "--global", name, value)
    lib("init", str(home / "library"))
    return indexed


def test_a_review_comes_by_standard_input(library: Config, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    assert library.library
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"# Rotate staging tokens\n## Answer\nYes.\n")))
    assert lib("capture", "--session", QUOTA, "--review", "-")[:2] == (0, "created entry:rotate-staging-tokens\n")


def test_what_is_too_large_for_a_review_is_refused(library: Config, lib: Program, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert library.library
    monkeypatch.setattr(capture_review, "LARGEST", 10)
    (home / "long.md").write_text("x" * 11)
    code, _, said = lib("capture", "--session", QUOTA, "--review", str(home / "long.md"))
    assert code == 2
    assert "too large" in said


def test_a_suggestion_and_another_session_are_told(library: Config, lib: Program, home: Path) -> None:
    (home / "one.md").write_text("# Rotate the staging API tokens\n## Answer\nYes.\n")
    (home / "two.md").write_text("# Rotate the production API tokens\n## Answer\nNo.\n")
    lib("capture", "--session", QUOTA, "--review", str(home / "one.md"))
    _, out, said = lib("capture", "--session", QUOTA, "--review", str(home / "two.md"))
    assert out == "created entry:rotate-the-production-api-tokens\n"
    assert "it may belong to entry:rotate-the-staging-api-tokens" in said
    path = home / "library" / "entries" / "rotate-the-staging-api-tokens.md"
    before = path.read_text()
    path.write_text(before + "- mine\n")
    (home / "three.md").write_text("# Rotate the staging API tokens\n## Open\n- revoke\n")
    lib("capture", "--session", QUOTA, "--review", str(home / "three.md"))
    path.write_text(before)
    (home / "four.md").write_text("# Kiln\n## Answer\nYes.\n")
    _, out, _ = lib("capture", "--session", CACHE, "--review", str(home / "four.md"))
    assert out == f"updated entry:rotate-the-staging-api-tokens: 1 new item (of {QUOTA})\ncreated entry:kiln\n"
    assert library.machine


def test_what_is_due_can_be_asked_in_silence(library: Config, lib: Program) -> None:
    assert library.library
    assert lib("capture", "--due", "--session", QUOTA, "--quiet") == (1, "", "")


def test_what_was_left_out_of_a_note_is_told(library: Config, lib: Program, home: Path) -> None:
    (home / "note.md").write_text("# A note\n\n## Decision\n\nYes.\n\n```\n" + "code\n" * 9 + "```\n")
    code, out, _ = lib("capture", "--import", str(home / "note.md"))
    assert (code, out) == (0, f"{home}/note.md: created entry:a-note, 1 item; 9 passages or lines of code only in the note\n")
    assert lib("capture", "--import", str(home / "note.md"))[1] == f"{home}/note.md: unchanged entry:a-note\n"
    assert library.library


@pytest.mark.parametrize(
    "words",
    [
        ("--review", "-", "--dry-run"),
        ("--sweep", "--dry-run"),
        ("--print", "codex:f08d6a55", "--topic", "kiln"),
        ("--prompt", "--session", "codex:f08d6a55"),
        ("--import", "a.md", "--ended"),
        ("--sweep", "--topic", "kiln"),
    ],
)
def test_an_option_of_another_way_is_refused(lib: Program, words: tuple[str, ...]) -> None:
    code, out, err = lib("capture", *words)
    assert (code, out) == (2, "")
    assert " is of --" in err
