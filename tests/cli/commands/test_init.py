"""`lib init` where it cannot write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program


@pytest.mark.parametrize("words", [(), ("--uninstall",)])
def test_what_cannot_be_written_is_told(lib: Program, home: Path, words: tuple[str, ...]) -> None:
    assert lib("init")[0] == 0
    # For root nothing is read-only, so something else stands in the way.
    hook = home / "library" / ".git" / "hooks" / "pre-push"
    hook.unlink()
    hook.mkdir()
    (hook / "mine").touch()
    code, _, err = lib("init", *words)
    assert (code, "Traceback" in err) == (1, False), err
    assert "pre-push" in err
