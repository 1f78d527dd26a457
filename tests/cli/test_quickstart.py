from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from libtool.adapters.registry import ADAPTERS
from tests.cli.terminal import typed

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config
    from tests.carried import Program


@pytest.mark.usefixtures("staged")
def test_a_person_is_asked_for_words(home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    with typed(monkeypatch, "harbour quota\n\n\n"):
        code, out, err = lib("quickstart")
    assert (code, "$ lib search 'harbour quota'\nref: " in out) == (0, True)
    assert err.startswith("\nWhat shall lib search for? A few keywords [Enter: ")
    with typed(monkeypatch, "\ny\n\n"):
        code, out, err = lib("quickstart")
    assert "\nref: pi:be95f360#1" in out
    assert "Make a library in ~/library" in err
    assert f"library: {home}/library\n" in out
    assert lib.json("quickstart")["library"] == str(home / "library")
    assert "lib init" not in lib("quickstart")[1]


@pytest.mark.usefixtures("staged")
def test_a_library_and_hooks_without_asking(home: Path, lib: Program) -> None:
    found = lib.json("quickstart", "--yes")
    assert found["library"] == str(home / "library")
    assert (home / "library" / "INDEX.md").exists()
    assert found["installed"] == ["claude-code", "codex", "gemini-cli", "pi"]
    assert (home / ".claude" / "skills" / "session-library" / "SKILL.md").exists()
    assert lib.json("quickstart")["installed"] == found["installed"]


@pytest.mark.usefixtures("staged")
def test_hooks_are_asked_for(home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / ".gemini" / "settings.json").write_text("{,}")
    with typed(monkeypatch, "\n\n\n"):
        assert not (home / ".codex" / "hooks.json").exists()
        _, _, err = lib("quickstart")
    assert "Put hooks and a skill into claude-code, codex, gemini-cli, pi, so that" in err
    assert not (home / ".codex" / "hooks.json").exists()
    with typed(monkeypatch, "\n\ny\n"):
        _, out, err = lib("quickstart")
    assert "\n~/.codex/hooks.json: new\n" in out
    assert "codex: start `codex`, type /hooks and trust" in out
    assert "lib: ~/.gemini/settings.json was left alone: line 1: a name in double quotes is missing\n" in err
    assert (home / ".codex" / "hooks.json").exists()


@pytest.mark.usefixtures("staged")
def test_without_words_the_next_commands_are_told(home: Path, lib: Program) -> None:
    for path in home.glob(".*/**/*.jsonl"):
        if ".pi" not in path.parts:
            path.unlink()
        else:
            path.write_text(
                path.read_text().replace(
                    "Daylight saving begins on 29 March. Will the board show the right departure times in the night between?", "go"
                )
            )
    code, out, err = lib("quickstart")
    assert (code, err) == (0, "")
    assert "$ lib search" not in out
    assert out.endswith("  lib status        what is covered, and what could not be read\n")
    assert lib.json("quickstart")["search"] is None


@pytest.mark.usefixtures("staged")
def test_words_that_are_nowhere_are_no_failure(lib: Program) -> None:
    code, out, _ = lib("quickstart", "--query", "zebra")
    assert code == 0
    assert "no close match (search 1 of 3" in out
    assert "lib show" not in out


def test_words_that_are_nowhere_in_the_demonstration(home: Path, lib: Program) -> None:
    code, out, _ = lib("quickstart", "--query", "zebra")
    assert (code, "$ lib show" in out, home.exists()) == (0, False, True)


def test_the_document(staged: Config, lib: Program) -> None:
    found = lib.json("quickstart", "--query", "harbour quota")
    assert (found["demonstration"], found["data_dir"], found["logins"]) == (False, staged.data_dir, 1)
    assert found["search"]["verdict"] == "hits"


@pytest.mark.usefixtures("staged")
def test_what_cannot_be_read_is_said(home: Path, lib: Program) -> None:
    (home / ".pi/agent/sessions/--x--/2026-01-01_a.jsonl").mkdir(parents=True)
    (home / ".config/lib-sessions/config.toml").write_text('machine = "desk"\nwalk.seconds = 1e-9\n')
    code, _, err = lib("quickstart")
    assert code == 0
    assert err == (
        "lib: the walk through your projects was cut short by its limit of time: see `walk` in docs/config.md\n"
        "lib: 1 file could not be read; `lib status` names it\n"
    )


def quickstart(home: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"HOME": str(home), "PATH": os.defpath, **more}
    return subprocess.run(
        [sys.executable, "-m", "libtool.cli.main", "quickstart", *words],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_plain_locale_and_no_terminal_are_enough(home: Path) -> None:
    done = quickstart(home, LANG="C", LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Nothing of this demonstration is kept." in done.stdout
    done = quickstart(home, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_data_folder_that_cannot_be_written_is_said(home: Path) -> None:
    (home / ".local").write_text("in the way")
    done = quickstart(home)
    assert done.returncode == 16
    assert done.stderr.splitlines()[0] == f"lib: cannot use the data dir {home}/.local/share/lib-sessions/data: Not a directory"
    assert "LIB_DATA_DIR" in done.stderr.splitlines()[1]
    done = quickstart(home, "--json")
    assert (done.returncode, json.loads(done.stderr)["code"], done.stdout) == (16, 16, "")


def test_an_interrupt_takes_the_demonstration_along(home: Path) -> None:
    scratch = home / "tmp"
    scratch.mkdir()
    person, program = os.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "libtool.cli.main", "quickstart"],
        env={"HOME": str(home), "PATH": os.defpath, "TMPDIR": str(scratch)},
        stdin=program,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    # It waits at its question, the demonstration on disk.
    while "What shall lib search for?" not in running.stderr.readline():
        time.sleep(0.01)
    assert [name[:15] for name in os.listdir(scratch)] == ["lib-quickstart-"]
    running.send_signal(signal.SIGINT)
    assert running.wait(20) == 130
    assert os.listdir(scratch) == []
    running.communicate()
    os.close(person)
    os.close(program)


@pytest.mark.usefixtures("staged")
def test_where_every_agent_was_used_none_is_missing(home: Path, lib: Program) -> None:
    for adapter in ADAPTERS.values():
        for place in adapter.places(str(home), {}):
            os.makedirs(place.root, exist_ok=True)
    out = lib("quickstart", "--query", "quota")[1]
    assert "not here" not in out
    assert "opencode in ~/.local/share/opencode; " in out
