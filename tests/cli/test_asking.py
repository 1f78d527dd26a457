from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.cli.asking import ask
from libtool.cli.context import Context
from libtool.cli.output import standard
from tests.cli.terminal import typed

if TYPE_CHECKING:
    from pathlib import Path


def context(home: Path) -> Context:
    return Context({}, str(home), standard({}))


@pytest.mark.parametrize(("keys", "answer"), [("yes\n", "yes"), (" no \n", "no"), ("\n", ""), ("\x04", ""), ("日本\n", "日本")])
def test_a_person_at_a_terminal_is_asked(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], keys: str, answer: str
) -> None:
    with typed(monkeypatch, keys):
        assert ask(context(home), "Really?") == answer
    assert capsys.readouterr() == ("", "Really?\n")


def test_nobody_else_is(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    asked = context(home)
    with open(os.devnull) as nothing:
        for stdin in (None, io.StringIO("yes\n"), nothing):
            monkeypatch.setattr(sys, "stdin", stdin)
            assert ask(asked, "Really?") is None
    asked.output.json = True
    with typed(monkeypatch, "yes\n"):
        assert ask(asked, "Really?") is None
    assert capsys.readouterr() == ("", "")
