"""The sessions that the package carries, as the home of a test: found, indexed and searched by the real program, in this process."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from libtool.cli.main import main
from libtool.config import load
from libtool.features import quickstart

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from libtool.config import Config

CACHE = "claude-code:b1f6c2a4-93d1-4c5e-8a27-5e0d9c31f7a2"
"""Decides for a cache of 15 minutes; has one sub-agent, EXPLORE."""
EXPLORE = CACHE + "/a3f09c11"
ETAG = "claude-code:7c40e9d8-1b5a-4f0e-9e63-2a8b6d74c105"
"""Supersedes that."""
QUOTA = "codex:019caf3e-5d20-7a41-9c7e-3be1f08d6a55"
"""Meets a login."""


def stage(home: Path) -> Config:
    """Put the carried sessions and a fixed machine name into `home`; the configuration that a command sees there."""
    quickstart.stage(str(home))
    folder = home / ".config" / "lib-sessions"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('machine = "desk"\n', encoding="utf-8")
    return load({}, str(home))


class Program:
    """`lib` in this process: its words in, exit code and streams out."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        """(exit code, stdout, stderr)."""
        self._capsys.readouterr()
        code = main(words)
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def json(self, *words: str) -> Any:
        """The document that the command prints with `--json`."""
        return json.loads(self(*words, "--json")[1])
