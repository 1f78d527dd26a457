"""C git as a process: real git in throwaway folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.storage import git
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def here(tmp_path: Path) -> git.Git:
    made = git.Git(str(tmp_path), environment())
    made.run("init", "-q", "-b", "main")
    return made


def test_git_is_found_on_the_path_of_the_environment_given(tmp_path: Path) -> None:
    tool = tmp_path / "git"
    tool.write_text("#!/bin/sh\n")
    tool.chmod(0o755)
    assert git.find({"PATH": str(tmp_path)}) == str(tool)
    assert git.find({"PATH": str(tmp_path / "nothing")}) is None


def test_without_git_a_call_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(git.GitFailed, match="not on PATH") as caught:
        git.Git(str(tmp_path), {"PATH": str(tmp_path)}).run("version")
    assert (caught.value.code, "install git" in caught.value.hint) == (127, True)


def test_bytes_go_in_and_come_out(here: git.Git) -> None:
    name = here.run("hash-object", "-w", "--stdin", stdin=b"a\0b\n").decode().strip()
    assert here.run("cat-file", "blob", name) == b"a\0b\n"


def test_a_failure_carries_git_s_own_words(here: git.Git) -> None:
    with pytest.raises(git.GitFailed, match=r"git rev-parse: Needed a single revision") as caught:
        here.run("rev-parse", "--verify", "nothing")
    assert caught.value.code == 128
    with pytest.raises(git.GitFailed, match=r"git rev-parse: exit code 1"):
        here.run("rev-parse", "-q", "--verify", "nothing")


@pytest.mark.parametrize("settings", [("user.useConfigOnly=true",), ("user.name=", "user.email=a@b.example")])
def test_who_git_does_not_know_is_told_how_to_say_it(here: git.Git, settings: tuple[str, ...]) -> None:
    given = [word for setting in settings for word in ("-c", setting)]
    with pytest.raises(git.GitFailed) as caught:
        here.run(*given, "commit", "--allow-empty", "-m", "x", env={"GIT_CONFIG_GLOBAL": "/dev/null"})
    assert caught.value.hint == git.HINT_NOBODY


def test_a_failure_may_be_an_answer(here: git.Git) -> None:
    assert here.call("rev-parse", "-q", "--verify", "nothing").code == 1
    assert here.line("rev-parse", "-q", "--verify", "nothing") == ""
    assert here.line("symbolic-ref", "HEAD") == "refs/heads/main"


def test_variables_of_one_call(here: git.Git) -> None:
    who = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": "1700000000 +0000"}
    assert here.run("var", "GIT_AUTHOR_IDENT", env=who) == b"Ada <ada@example.org> 1700000000 +0000\n"


def test_words_come_in_c_s_locale(tmp_path: Path) -> None:
    said = git.Git(str(tmp_path), environment(LC_ALL="de_DE.UTF-8", LANGUAGE="de")).call("rev-parse", "--verify", "HEAD").err
    assert said.startswith("fatal: not a git repository")


def test_no_login_of_a_url_is_told(here: git.Git) -> None:
    word = "pass" + "word" * 2
    said = here.call("ls-remote", f"file://ada:{word}@/nowhere/at/all").err
    assert word not in said
    assert git.without_login(f"to https://ada:{word}@example.org/x and ssh://git@example.org/y, ada@example.org") == (
        "to https://example.org/x and ssh://example.org/y, ada@example.org"
    )


def test_unbound_drops_what_binds_to_one_repository(here: git.Git, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git.Git(str(other), environment()).run("init", "-q")
    bound = environment(GIT_DIR=os.path.join(here.folder, ".git"), GIT_CONFIG_COUNT="0")
    assert git.Git(str(other), bound).line("rev-parse", "--absolute-git-dir") == os.path.join(here.folder, ".git")
    assert git.Git(str(other), git.unbound(bound)).line("rev-parse", "--absolute-git-dir") == str(other / ".git")
    assert git.unbound(bound)["GIT_CONFIG_COUNT"] == "0"
    told = here.run("rev-parse", "--local-env-vars").decode().split()
    assert set(told) - {"GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT"} <= set(git.REPOSITORY_VARIABLES)


def test_one_that_runs_beside_us(here: git.Git, tmp_path: Path) -> None:
    started = here.start("cat-file", "--batch-check", stdin=b"HEAD\n")
    started.give(b"main\n")
    assert started.out() == b"HEAD missing\nmain missing\n"
    with pytest.raises(git.GitFailed, match=r"git rev-parse: Needed a single revision"):
        here.start("rev-parse", "--verify", "nothing").out()
    assert here.start("rev-parse", "-q", "--verify", "nothing").end().code == 1
    with pytest.raises(git.GitFailed, match="not on PATH"):
        git.Git(str(tmp_path), {"PATH": str(tmp_path)}).start("version")
