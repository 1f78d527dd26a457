"""`lib init` where it cannot write, and where something else lies."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.cli.terminal import typed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program


@pytest.mark.parametrize(("words", "path"), [((), "info/attributes"), (("--uninstall",), "hooks/pre-push")])
def test_what_cannot_be_written_is_told(lib: Program, home: Path, words: tuple[str, ...], path: str) -> None:
    assert lib("init")[0] == 0
    # For root nothing is read-only, so something else stands in the way.
    file = home / "library" / ".git" / path
    file.unlink()
    file.mkdir()
    (file / "mine").touch()
    code, _, err = lib("init", *words)
    assert (code, f"{path}: Is a directory" in err) == (1, True), err
    assert (file / "mine").exists()


def test_an_uninstall_with_nothing_to_take_back_says_so(lib: Program, home: Path) -> None:
    (home / "library").mkdir()
    subprocess.run(["git", "init", "-q", str(home / "library")], check=True)
    code, out, _ = lib("init", "--uninstall")
    assert (code, "nothing of lib was installed there" in out) == (0, True), out


def code_repository(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "kiln.py").write_text("heat = 1\n")
    for words in (("init", "-q"), ("add", "."), ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "commit", "-q", "-m", "kiln")):
        subprocess.run(["git", "-C", str(folder), *words], check=True)


@pytest.mark.parametrize("keys", ["\n", "n\n", "\x04"])
def test_a_code_repository_is_left_alone(lib: Program, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keys: str) -> None:
    code_repository(tmp_path / "kiln")
    before = sorted((tmp_path / "kiln").rglob("*"))
    code, out, err = lib("init", str(tmp_path / "kiln"))
    assert (code, out, "--yes" in err) == (2, "", True)
    with typed(monkeypatch, keys):
        code, out, err = lib("init", str(tmp_path / "kiln"))
    assert (code, out, "Make a library of it?" in err) == (2, "", True)
    assert sorted((tmp_path / "kiln").rglob("*")) == before
    assert not (home / ".config").exists()


@pytest.mark.parametrize(("words", "keys"), [((), "y\n"), (("--yes",), "")])
def test_a_code_repository_becomes_a_library_when_its_owner_says_so(
    lib: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], keys: str
) -> None:
    code_repository(tmp_path / "kiln")
    with typed(monkeypatch, keys):
        assert lib("init", str(tmp_path / "kiln"), *words)[0] == 0
    assert (tmp_path / "kiln" / ".lib-library").exists()
    # From then on it is one.
    code, out, _ = lib("init", str(tmp_path / "kiln"))
    assert (code, "nothing to do" in out) == (0, True)


def test_nothing_is_taken_over_by_the_way(lib: Program, home: Path) -> None:
    code_repository(home / "library")
    code, out, err = lib("quickstart", "--yes", "--query", "timetable")
    assert (code, "holds something else" in err) == (0, True)
    assert "searched" in out
    assert not (home / "library" / ".lib-library").exists()
