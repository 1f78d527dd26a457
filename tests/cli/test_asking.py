from __future__ import annotations

import argparse
import io
import os
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.cli.asking import agree, ask
from libtool.cli.context import Context
from libtool.cli.output import standard
from libtool.errors import LibError
from tests.cli.terminal import typed

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program


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


@pytest.mark.parametrize(("keys", "code"), [("y\n", 0), ("YES\n", 0), ("n\n", 1), ("\n", 1), ("what\n", 1)])
def test_only_a_yes_is_one_and_a_no_is_the_same_everywhere(home: Path, monkeypatch: pytest.MonkeyPatch, keys: str, code: int) -> None:
    given = argparse.Namespace(yes=False)
    with typed(monkeypatch, keys):
        if code:
            with pytest.raises(LibError, match=r"^nothing was changed$") as refused:
                agree(given, context(home), "Really?")
            assert refused.value.exit_code == code
        else:
            agree(given, context(home), "Really?")


def test_where_nobody_can_be_asked_a_yes_must_be_said(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(LibError, match="no terminal to ask at") as refused:
        agree(argparse.Namespace(yes=False), context(home), "Really?")
    assert (refused.value.exit_code, refused.value.hint) == (2, "say --yes")
    agree(argparse.Namespace(yes=True), context(home), "Really?")


@pytest.mark.parametrize(("keys", "code"), [("n\n", 1), ("y\n", 0), ("\n", 0)])
def test_hooks_that_a_person_does_not_want_are_not_put_in(
    home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch, keys: str, code: int
) -> None:
    (home / ".claude").mkdir()
    with typed(monkeypatch, keys):
        done, out, err = lib("install")
    assert (done, os.path.exists(home / ".claude" / "settings.json")) == (code, code == 0)
    assert "Make these changes? [Y/n]" in err
    assert ("changes, not made" in out) == (code == 1)
