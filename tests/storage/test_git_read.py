from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from libtool.errors import Unproved, UsageError
from libtool.storage import git_read
from libtool.storage.git import GitFailed
from tests.features.code import Code, environ

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def code(tmp_path: Path) -> Code:
    code = Code(tmp_path / "api")
    code.commit("Begin", a__py="a\n" * 100)
    return code


def test_a_repository_is_known_from_any_folder_of_it(code: Code) -> None:
    (code.folder / "deep" / "er").mkdir(parents=True)
    place = git_read.checkout(str(code.folder / "deep" / "er"), environ())
    assert place == (str(code.folder), str(code.folder / ".git"), code.git("rev-parse", "HEAD").strip(), False, False)
    code.git("switch", "-q", "--detach")
    assert git_read.checkout(str(code.folder), environ()) == place


def test_worktrees_and_bare_repositories(code: Code, tmp_path: Path) -> None:
    code.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    tree = git_read.checkout(str(tmp_path / "tree"), environ())
    assert (tree.top, tree.git_dir) == (str(tmp_path / "tree"), str(code.folder / ".git" / "worktrees" / "tree"))
    subprocess.run(["git", "clone", "-q", "--bare", str(code.folder), str(tmp_path / "bare.git")], check=True)
    bare = git_read.checkout(str(tmp_path / "bare.git"), environ())
    assert (bare.top, bare.bare, bare.commit) == (str(tmp_path / "bare.git"), True, tree.commit)
    empty = git_read.checkout(str(Code(tmp_path / "empty").folder), environ())
    assert empty.commit == ""


def test_a_hook_of_another_repository_does_not_bind(code: Code, tmp_path: Path) -> None:
    other = Code(tmp_path / "other")
    bound = {**environ(), "GIT_DIR": str(other.folder / ".git"), "GIT_WORK_TREE": str(other.folder)}
    place = git_read.checkout(str(code.folder), bound)
    assert place.top == str(code.folder)
    assert git_read.Reader(place, bound).run("ls-files").out == b"a.py\n"


def test_what_is_no_repository(code: Code, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        git_read.checkout(str(tmp_path / "nowhere"), environ())
    with pytest.raises(UsageError, match=r"not in a git repository: [^()]*$"):
        git_read.checkout(str(tmp_path), environ())
    with pytest.raises(UsageError, match="must be run in a work tree"):
        git_read.checkout(str(code.folder / ".git"), environ())
    odd = Code(tmp_path / "two\nlines")
    with pytest.raises(UsageError, match="an odd name"):
        git_read.checkout(str(odd.folder), environ())
    with pytest.raises(GitFailed, match="not on PATH"):
        git_read.checkout(str(code.folder), {"PATH": ""})


def test_nothing_that_the_repository_names_is_run(code: Code, tmp_path: Path) -> None:
    trace = tmp_path / "ran"
    trap = f"touch '{trace}'; cat"
    code.commit("Attributes", **{".gitattributes": "* filter=trap diff=trap\n*.txt filter=tr=ap\n", "b.txt": "b\n"})
    for key in ("filter.trap.process", "filter.trap.clean", "filter.tr=ap.clean", "diff.trap.textconv", "diff.external"):
        code.git("config", key, trap)
    code.git("config", "filter.trap.required", "true")
    for key in ("core.fsmonitor", "core.pager", "core.editor", "gpg.program", "core.sshCommand"):
        code.git("config", key, trap)
    for name in ("post-index-change", "pre-commit", "reference-transaction"):
        code.write(f".git/hooks/{name}", f"#!/bin/sh\n{trap}\n")
        (code.folder / ".git" / "hooks" / name).chmod(0o755)
    for name in ("a.py", "b.txt"):
        # Other times, and as many bytes: whether these differ only their content tells.
        code.write(name, bytes(reversed((code.folder / name).read_bytes())))
        os.utime(code.folder / name, (1, 1))
    before = (code.folder / ".git" / "index").read_bytes()
    given = {**environ(), "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "core.abbrev", "GIT_CONFIG_VALUE_0": "11"}
    reader = git_read.Reader(code.checkout(), given)
    plain = ("--no-ext-diff", "--no-textconv")
    for words in (("status", "--porcelain"), ("diff", *plain, "HEAD"), ("log", "-p", *plain), ("grep", "b"), ("ls-files", "-m")):
        assert reader.run(*words).code == 0
    assert len(reader.run("rev-parse", "--short", "HEAD").out) == 12
    assert not trace.exists()
    assert (code.folder / ".git" / "index").read_bytes() == before


def test_a_repository_without_the_commit_of_its_head_is_not_taken_for_an_empty_one(code: Code) -> None:
    commit = code.git("rev-parse", "HEAD").strip()
    (code.folder / ".git" / "objects" / commit[:2] / commit[2:]).unlink()
    with pytest.raises(Unproved, match="the commit of HEAD is not in the repository"):
        git_read.checkout(str(code.folder), environ())


def test_how_the_environment_reads_paths_does_not_matter(code: Code) -> None:
    for name in ("GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS"):
        assert git_read.Reader(code.checkout(), {**environ(), name: "1"}).run("ls-files", "--", "a.py").out == b"a.py\n"


def test_output_is_bounded_in_bytes_and_time(code: Code) -> None:
    reader = code.reader()
    assert reader.run("cat-file", "blob", "HEAD:a.py") == (0, b"a\n" * 100, False, False)
    cut = reader.run("cat-file", "blob", "HEAD:a.py", most=10)
    assert (cut.full, cut.late) == (True, False)
    assert reader.run("cat-file", "blob", "HEAD:a.py", enough=lambda out: b"a" in out).full
    began = time.monotonic()
    waiting = reader.run("-c", "alias.wait=!exec sleep 30", "wait", seconds=0.2)
    assert (waiting.late, waiting.full, time.monotonic() - began < 10) == (True, False, True)
    assert reader.run("status", seconds=0.0).late


def test_standard_input_of_any_size(code: Code) -> None:
    asked = b"HEAD:a.py\n" * 20_000
    said = code.reader().run("cat-file", "--batch-check=%(objecttype)", stdin=asked)
    assert said.out == b"blob\n" * 20_000


def test_nothing_is_fetched(code: Code, tmp_path: Path) -> None:
    code.git("config", "uploadpack.allowFilter", "true")
    subprocess.run(["git", "clone", "-q", "--bare", "--filter=blob:none", f"file://{code.folder}", str(tmp_path / "part.git")], check=True)
    part = git_read.Reader(git_read.checkout(str(tmp_path / "part.git"), environ()), environ())
    assert part.run("cat-file", "blob", "HEAD:a.py").code != 0


def test_an_interrupted_reader_leaves_no_process(code: Code) -> None:
    def interrupt(_out: bytearray) -> bool:
        raise KeyboardInterrupt

    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        code.reader().run("-c", "alias.wait=!echo x; exec sleep 30", "wait", enough=interrupt)
    assert time.monotonic() - began < 10
