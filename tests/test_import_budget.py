"""What a cold start may import: an agent waits for `lib search` many times a day."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.compat.lab import entry, make

if TYPE_CHECKING:
    from pathlib import Path

SLOW = {
    "ahocorasick_rs",
    "click",
    "dulwich",
    "filelock",
    "mistune",
    "orjson",
    "platformdirs",
    "pre_commit",
    "rich",
    "urllib3",
    "dataclasses",
    "inspect",
    "pathlib",
    "tomllib",
    "typing",
}
"""Each costs 5 ms or more over bare Python (ARCHITECTURE.md)."""
SHOW = "import sys; from libtool.cli.main import main; main(sys.argv[1:]); sys.stderr.write('\\n'.join(sys.modules))"


def imported_by(home: Path, *words: str) -> set[str]:
    """The modules that `lib WORDS` loads beyond what the interpreter and its site have loaded before."""
    environ = {"HOME": str(home), "PATH": os.defpath}
    bare = subprocess.run(
        [sys.executable, "-c", "import sys; print('\\n'.join(sys.modules))"], env=environ, capture_output=True, text=True, check=True
    )
    done = subprocess.run([sys.executable, "-c", SHOW, *words], env=environ, capture_output=True, text=True, check=True)
    return {name for name in done.stderr.split("\n") if name} - set(bare.stdout.split())


@pytest.mark.parametrize("words", [("--version",), ("-h",), ("serch",)])
def test_the_frame_loads_no_command_and_no_argparse(home: Path, words: tuple[str, ...]) -> None:
    loaded = imported_by(home, *words)
    assert not loaded & (SLOW | {"argparse", "json", "sqlite3"})
    assert not any(name.startswith(("libtool.features", "libtool.cli.commands.", "libtool.adapters", "libtool.storage")) for name in loaded)


@pytest.mark.parametrize("words", [("search", "-h"), ("search", "--quiet", "words"), ("search", "words", "--json")])
def test_a_search_loads_nothing_slow(home: Path, words: tuple[str, ...]) -> None:
    loaded = imported_by(home, *words)
    assert loaded & SLOW == set()
    assert not any(name.startswith("libtool.adapters") for name in loaded)


@pytest.mark.parametrize("words", [("search", "some", "words"), ("search", "--attempt", "2", "words")])
def test_a_search_that_nothing_narrows_loads_no_argparse_and_nothing_of_a_library(home: Path, words: tuple[str, ...]) -> None:
    imported_by(home, "index")
    loaded = imported_by(home, *words)
    assert "libtool.domain.rank" in loaded
    assert not loaded & {"argparse", "json", "unicodedata", "libtool.storage.checked", "libtool.features.freshness"}


def test_a_pipe_without_logins_loads_only_what_finds_them(home: Path) -> None:
    loaded = imported_by(home, "redact", os.devnull)
    assert loaded & (SLOW | {"json", "sqlite3", "unicodedata"}) == set()


def test_a_sync_with_nothing_to_do_loads_next_to_nothing(home: Path) -> None:
    (home / ".gitconfig").write_text("[user]\nname = a\nemail = a@example.org\n", encoding="utf-8")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(home / "remote.git")], check=True)
    subprocess.run([sys.executable, "-c", SHOW, "init", "--remote", str(home / "remote.git")], check=True, capture_output=True)
    imported_by(home, "sync")
    loaded = imported_by(home, "sync")
    assert not loaded & (SLOW | {"argparse", "json", "re", "sqlite3", "subprocess"})
    assert {name for name in loaded if name.startswith("libtool.features.")} == {
        "libtool.features.sync_glance",
        "libtool.features.sync_report",
    }


def test_a_commit_of_an_entry_loads_only_what_looks_at_it(home: Path) -> None:
    lab = make(home, home / "library")
    lab.begin("alpha", "beta")
    lab.write("alpha", entry("Alpha", decided=("it is",)))
    lab.git("add", "entries")
    script = (
        "import sys; sys.path += sys.argv.pop(1).split('|'); from libtool.hooks.git import main; assert main(['pre-commit']) == 0;"
        " print('\\n'.join(sys.modules))"
    )
    words = [sys.executable, "-I", "-S", "-c", script, "|".join(filter(None, sys.path))]
    done = subprocess.run(words, cwd=lab.top, env=lab.environ, capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert loaded & (SLOW | {"argparse", "hashlib", "json", "shutil", "site", "sqlite3", "subprocess", "threading"}) == set()
    # A second process looks for logins.
    assert "libtool.domain.redact.engine" not in loaded
    assert "REDACTED" not in lab.git("show", ":entries/alpha.md")
