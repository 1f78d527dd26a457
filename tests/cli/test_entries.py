from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.cli.main import main
from libtool.domain.codes import EXAMPLE

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program


@pytest.fixture
def library(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = home / "library" / "entries"
    folder.mkdir(parents=True)
    monkeypatch.setenv("LIB_LIBRARY", str(home / "library"))
    return folder


def sit_down(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody sits at a terminal from now on."""
    for stream in (sys.stdin, sys.stdout):
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("TERM", "dumb")


def editor(home: Path, body: str) -> str:
    path = home / "my editor.sh"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return f"'{path}' --wait"


def test_a_new_entry_is_opened_in_the_editor(library: Path, home: Path, monkeypatch: pytest.MonkeyPatch, lib: Program) -> None:
    sit_down(monkeypatch)
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.setenv("VISUAL", editor(home, 'echo "$1 edited" >>"$2"'))
    assert lib("new", "one") == (0, f"{library}/one.md\n", "")
    assert (library / "one.md").read_text().endswith("--wait edited\n")
    assert lib("new", "two", "--json")[0] == 0
    assert "edited" not in (library / "two.md").read_text()


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("", "  set VISUAL or EDITOR to have it opened\n"),
        ("/no/editor", "lib: /no/editor: No such file or directory; the entry is there, empty\n"),
        ("false", "lib: false ended with 1; the entry is there\n"),
        ("'", "lib: ': No such file or directory; the entry is there, empty\n"),
    ],
)
def test_without_an_editor_the_entry_is_there(library: Path, monkeypatch: pytest.MonkeyPatch, lib: Program, value: str, said: str) -> None:
    sit_down(monkeypatch)
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.setenv("EDITOR", value)
    assert lib("new", "one") == (0, f"{library}/one.md\n", said)
    assert os.path.exists(library / "one.md")


def test_new_as_json(library: Path, lib: Program) -> None:
    assert lib.json("new", "one") == {"topic": "one", "path": f"{library}/one.md"}


def test_warnings_alone_are_no_failure(library: Path, lib: Program) -> None:
    long = EXAMPLE.replace("not revoked yet.", "not revoked yet. " + "It is long. " * 60)
    (library / "one.md").write_text(long.replace("long.  (", "long. ("))
    code, out, err = lib("check")
    assert (code, err) == (0, "lib: 1 file, no problem, 1 warning\n")
    assert ":25: W802 an item is long" in out


def test_names_and_text_of_strangers_are_printed_as_escapes(library: Path, lib: Program, capsys: pytest.CaptureFixture[str]) -> None:
    (library / "a\x1b[31m\nb.md").write_text(EXAMPLE.replace("Use the", "Use\x1b[2J the"))
    _, out, _ = lib("check", str(library))
    assert "\x1b" not in out
    assert "a\\x1b[31m\\nb.md:1: E101 " in out
    (library / "c.md").write_text(EXAMPLE.replace("Use the", "Use \u202e the"))
    assert main(["topics"]) == 0
    assert "\u202e" not in capsys.readouterr().out


def test_a_budget_cuts_the_list_and_says_so(library: Path, lib: Program) -> None:
    for number in range(30):
        (library / f"topic-{number:02}.md").write_text(EXAMPLE)
    _, out, _ = lib("topics", "sidecar")
    lines = out.splitlines()
    assert lines[-1] == "30 of 30 entries, 20 shown; more words narrow it, --limit 0 --budget 0 shows all"
    assert len(out.encode()) <= 600 * 4
    assert len(lib("topics", "sidecar", "--limit", "3")[1].splitlines()) == 4
    assert len(lib("topics", "--limit", "0", "--budget", "0")[1].splitlines()) == 31
    first = lib("topics", "--budget", "20")[1].splitlines()
    assert len(first) == 2
    assert first[0].endswith("…")


def test_both_indexes_in_one_run(library: Path, staged: object, lib: Program) -> None:
    (library / "one.md").write_text(EXAMPLE)
    assert staged
    code, out, _ = lib("index")
    assert code == 0
    assert out.splitlines()[-1].startswith("INDEX.md: 1 entry, ")
    assert lib.json("index")["index_md"]["changed"] is False
    assert lib("build-index", "--check")[:2] == (0, "the search db is sound and up to date\n")
    (library / "one.md").unlink()
    assert lib("index", "--db")[1].count("INDEX.md") == 0
    assert lib("index", "--agent", "codex")[1].count("INDEX.md") == 0
    code, out, _ = lib("build-index", "--check")
    assert (code, out) == (1, "INDEX.md is not that of the entries: run `lib index --md`\n")
    assert lib("build-index", "--db", "--check")[0] == 0
    assert "INDEX.md: 0 entries" in lib("build-index")[1]
    assert "INDEX.md: 0 entries" in lib("build-index", "--md")[1]
    assert lib("index", "--md", "--db", "--agent", "codex")[1].count("INDEX.md") == 1


@pytest.mark.usefixtures("staged")
def test_without_a_library_only_what_was_asked_for_fails(lib: Program) -> None:
    assert lib("index")[0] == 0
    assert lib.json("index")["index_md"] is None
    assert lib("build-index", "--check")[0] == 0
    for words in (("index", "--md"), ("index", "--md", "--db"), ("build-index", "--md"), ("build-index", "--md", "--db", "--check")):
        assert lib(*words)[0] == 10
