"""The verbs in this process, for what real git does not bring about: tests/compat has the rest."""

from __future__ import annotations

import gc
import io
import os
import runpy
import subprocess
import sys
from datetime import date
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.features import index
from libtool.features.githooks import reindex as background
from libtool.hooks import git
from tests.compat.lab import LEAK, LOGIN, Lab, entry, make

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def lab(home: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    found = make(home, home / "library")
    (found.top / ".git" / "hooks" / "post-commit").unlink()
    found.begin("alpha")
    monkeypatch.chdir(found.top)
    # No test leaves a process behind.
    monkeypatch.setattr(background, "ask", lambda *_: False)
    return found


def test_an_unknown_verb_is_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert git.main(["dance"], {}) == 2
    assert git.main([], {}) == 2
    assert "unknown git hook `dance`" in capsys.readouterr().err


@pytest.mark.parametrize("verb", sorted(set(git.VERBS) - {"reindex"}))
def test_outside_of_a_repository(verb: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert git.main([verb], {"PATH": os.defpath}) == (1 if verb in git.GUARDS else 0)
    assert "not the top of a git work tree" in capsys.readouterr().err


@pytest.mark.parametrize(("verb", "code"), [("pre-commit", 1), ("post-commit", 0)])
def test_a_bug_tells_its_place_and_nothing_of_the_text(
    verb: str, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(_call: git.Call) -> None:
        raise ValueError(LEAK)

    monkeypatch.setitem(git.VERBS, verb, broken)
    assert git.main([verb], {}) == code
    said = capsys.readouterr().err
    assert "unexpected ValueError at test_git.py:" in said
    assert LOGIN not in said


def test_a_wrong_configuration_is_said(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    lab.write("beta", entry("Beta"))
    lab.git("add", "entries")
    (lab.home / ".config" / "lib-sessions" / "config.toml").write_text("librery = 1\n")
    assert git.main(["pre-commit"], lab.environ) == 1
    said = capsys.readouterr().err
    assert "unknown key `librery`" in said
    assert "the commit was not made" in said


def test_without_a_key_that_can_be_kept(lab: Lab, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr("libtool.features.redact.secret", lambda _config: (bytes(32), "Read-only file system: /x"))
    lab.write("beta", entry("Beta", decided=(LEAK,)))
    lab.git("add", "entries")
    assert git.main(["pre-commit"], lab.environ) == 0
    assert "no key can be kept" in capsys.readouterr().err


def test_what_is_said_acts_on_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr(sys, "stderr", stream)
    git.say("a\x1b[31m\u202eü")
    stream.flush()
    assert stream.buffer.getvalue() == b"a\\x1b[31m\\u202e\\xfc\n"
    monkeypatch.setattr(sys, "stderr", None)
    git.say("nobody hears")


def test_without_standard_input_nothing_is_pushed(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert git.main(["pre-push", "origin"], lab.environ) == 0


def test_the_framework_names_the_push_in_variables(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    head = lab.git("rev-parse", "HEAD")
    given = {**lab.environ, "PRE_COMMIT_TO_REF": head, "PRE_COMMIT_FROM_REF": "", "PRE_COMMIT_REMOTE_NAME": "origin"}
    assert git.main(["check-push"], given) == 0
    lab.write("beta", entry("Beta", decided=(LEAK,)))
    lab.git("add", "entries")
    lab.commit("--no-verify")
    given |= {"PRE_COMMIT_FROM_REF": head, "PRE_COMMIT_TO_REF": lab.git("rev-parse", "HEAD")}
    assert git.main(["check-push"], given) == 1
    said = capsys.readouterr().err
    assert "entries/beta.md" in said
    assert "its INDEX.md is not that of its entries" in said
    assert LOGIN not in said


def test_the_framework_and_a_squash(lab: Lab) -> None:
    assert git.main(["post-merge"], {**lab.environ, "PRE_COMMIT_IS_SQUASH_MERGE": "1"}) == 0
    assert git.main(["post-merge", "0"], lab.environ) == 0
    assert git.main(["post-rewrite", "rebase"], lab.environ) == 0
    assert git.main(["post-checkout"], lab.environ) == 0


def test_the_index_check_where_index_cannot_be_written(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    lab.write("beta", entry("Beta"))
    lab.git("add", "entries")
    (lab.top / "INDEX.md").unlink()
    (lab.top / "INDEX.md").mkdir()
    assert git.main(["check-index"], lab.environ) == 1
    assert "cannot be written" in capsys.readouterr().err


def test_the_index_check_forgets_nothing(lab: Lab) -> None:
    (lab.top / ".git" / "lib-index").unlink()
    assert git.main(["check-index"], lab.environ) == 0
    assert (lab.top / ".git" / "lib-index").exists()
    lab.git("rm", "-q", "-r", "--cached", ".")
    assert git.main(["check-index"], lab.environ) == 0


def test_reindex_only_where_something_was_indexed(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = lab.top / ".git" / background.MARK
    mark.touch()
    assert git.main(["reindex", str(lab.top / ".git")], lab.environ) == 0
    assert mark.exists()
    index.run(load(lab.environ, str(lab.home)), {})
    for session in (os.getpid(), 0):
        led: list[bool] = []
        monkeypatch.setattr(os, "getsid", lambda _process, session=session: session)
        monkeypatch.setattr(os, "setsid", lambda led=led: led.append(True))
        mark.touch()
        assert git.main(["reindex", str(lab.top / ".git")], lab.environ) == 0
        assert not mark.exists()
        assert led == ([] if session else [True])


@pytest.mark.parametrize(
    "start", [("-c", "from libtool.hooks.git import program; program()"), ("-m", "libtool.hooks.git")], ids=["shim", "module"]
)
def test_the_whole_process(lab: Lab, start: tuple[str, ...]) -> None:
    for words, code in ((["pre-commit"], 0), (["dance"], 2)):
        done = subprocess.run([sys.executable, "-P", *start, *words], cwd=lab.top, env=lab.environ, capture_output=True, check=False)
        assert done.returncode == code


def test_an_unborn_branch(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lab = make(home, home / "library")
    lab.git("switch", "-q", "--orphan", "other")
    monkeypatch.chdir(lab.top)
    monkeypatch.setattr(background, "ask", lambda *_: False)
    assert git.main(["post-merge", "0"], lab.environ) == 0
    (lab.top / "a.txt").write_text("words\n")
    lab.git("add", "a.txt")
    assert git.main(["pre-commit"], lab.environ) == 0


def test_the_shims_hold_no_logic() -> None:
    folder = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(git.__file__))), "hooks")
    for name in ("git-check", "git-lines", "git-mark", "git-earlier"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            assert len(file.readlines()) <= 40


def own(path: str, how: Callable[[bytes], bool]) -> bool:
    with open(path, "rb") as file:
        return how(file.read())


def test_this_repository_is_as_its_own_checks_want_it() -> None:
    from libtool.domain import index_md  # noqa: PLC0415

    root = os.path.dirname(os.path.dirname(os.path.dirname(git.__file__)))
    lines = {}
    for name in os.listdir(os.path.join(root, "entries")):
        with open(os.path.join(root, "entries", name), "rb") as file:
            lines[name[:-3]] = index_md.line_of(name[:-3], file.read())
    assert own(os.path.join(root, "INDEX.md"), lambda data: data == index_md.build(lines))


def test_the_whole_process_from_inside(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    class Over(BaseException):
        pass

    def leave(code: int) -> None:
        raise Over(code)

    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(sys, "argv", ["-c", "no-such-hook"])
    monkeypatch.setattr(sys, "version_info", (3, 11, 0))
    monkeypatch.delitem(sys.modules, "datetime")
    try:
        with pytest.raises(Over, match="2"):
            git.program()
        # The classes that C gives are those that datetime hands on.
        assert sys.modules["datetime"].date is date
        monkeypatch.setattr(sys, "stderr", None)
        with pytest.raises(Over, match="2"):
            runpy.run_module("libtool.hooks.git", run_name="__main__")
    finally:
        gc.enable()
    assert "unknown git hook" in capsys.readouterr().err
