"""`lib init` where it cannot write."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

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
