"""What else git does to a library: pulls, rebases, picks, pushes; other tools' hooks; a bare PATH; a lib that is gone."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.config import load
from libtool.errors import SyncRefused
from libtool.features import index, init, search, sync
from libtool.storage.search_db import Filter
from tests.compat.lab import LEAK, LOGIN, MANY, TODAY, Lab, entry, environ, make, settle

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a bare remote, pushed, and a clone of it by another person."""
    folder = tmp_path_factory.mktemp("around")
    (folder / "a").mkdir()
    (folder / "b").mkdir()
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder / "remote.git")], check=True, env=environ(folder))
    lab = make(folder / "a", folder / "a" / "library", remote="../../remote.git")
    lab.begin("alpha", "beta")
    lab.git("push", "-q")
    return folder


@pytest.fixture
def pair(template: Path, tmp_path: Path) -> tuple[Lab, Lab]:
    folder = tmp_path / "world"
    shutil.copytree(template, folder, symlinks=True)
    first = Lab(folder / "a", folder / "a" / "library")
    second = folder / "b"
    config = load(environ(second), str(second))
    init.run(config, environ(second), init.Wanted(clone=str(folder / "remote.git"), machine="second"))
    (second / ".gitconfig").write_text("[user]\nname = Bob\nemail = bob@example.org\n[pull]\nrebase = false\n", encoding="utf-8")
    return first, Lab(second, second / "library")


def add(lab: Lab, topic: str, text: str = "") -> None:
    lab.write(topic, text or entry(topic.capitalize()))
    lab.git("add", "entries")
    lab.commit()


def pushed(lab: Lab, topic: str, text: str = "") -> None:
    add(lab, topic, text)
    lab.git("push", "-q")


def test_pull_fast_forward(pair: tuple[Lab, Lab]) -> None:
    first, second = pair
    pushed(first, "gamma")
    second.git("pull", "-q")
    second.holds()
    assert second.git("rev-parse", "HEAD") == first.git("rev-parse", "HEAD")


def test_pull_with_a_true_merge_and_the_same_entry_on_both(pair: tuple[Lab, Lab]) -> None:
    first, second = pair
    pushed(first, "alpha", entry("Alpha", decided=(*MANY, "from the first")))
    add(second, "alpha", entry("Alpha", decided=(*MANY, "from the second")))
    second.git("pull", "-q", "--no-edit")
    second.holds()
    text = second.read("entries/alpha.md")
    assert "- from the first\n" in text
    assert "- from the second\n" in text
    second.git("push", "-q")
    first.git("pull", "-q")
    first.holds()


def test_pull_rebase(pair: tuple[Lab, Lab]) -> None:
    first, second = pair
    pushed(first, "gamma")
    add(second, "delta")
    add(second, "epsilon")
    second.write("beta", entry("Beta", opened=("not staged",), decided=MANY))
    second.git("pull", "-q", "--rebase", "--autostash")
    second.holds(" M entries/beta.md")
    assert "[gamma]" in second.read("INDEX.md")
    assert "[epsilon]" in second.read("INDEX.md")
    second.git("push", "-q")


def test_a_merge_without_our_driver_is_repaired_in_the_merge_commit(pair: tuple[Lab, Lab]) -> None:
    first, second = pair
    os.unlink(second.top / ".git" / "info" / "attributes")
    pushed(first, "alpha", entry("Alpha", "The first says so.", decided=("from the first",)))
    add(second, "alpha", entry("Alpha", "The second says so.", decided=("from the second",)))
    second.git("pull", "-q", "--no-edit")
    second.holds()
    text = second.read("entries/alpha.md")
    assert text.count("## Answer") == 1
    assert "The first says so." in text
    assert "The second says so." in text
    assert len(second.git("rev-list", "--parents", "-1", "HEAD").split()) == 3


def test_a_merge_commit_that_is_signed_stays_so(pair: tuple[Lab, Lab]) -> None:
    first, second = pair
    signer = second.home / "signer"
    signer.write_text("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED D 1 8 00 1 0' >&2\necho made-up signature\n")
    signer.chmod(0o755)
    second.git("config", "gpg.program", str(signer))
    second.git("config", "commit.gpgSign", "true")
    pushed(first, "gamma")
    add(second, "delta")
    os.unlink(second.top / ".git" / "info" / "attributes")
    second.git("pull", "-q", "--no-edit")
    second.holds()
    assert "made-up signature" in second.git("cat-file", "commit", "HEAD")
    assert second.git("log", "-1", "--format=%an <%ae> %s").startswith("Bob <bob@example.org> Merge branch")


def test_what_git_makes_without_asking_is_refused_by_the_push_and_put_right_by_the_next_commit(pair: tuple[Lab, Lab]) -> None:
    first, second = pair
    first.git("switch", "-q", "-c", "side")
    add(first, "gamma")
    first.git("switch", "-q", "main")
    add(first, "delta")
    first.git("cherry-pick", "side")
    first.write("epsilon", entry("Epsilon"))
    first.git("add", "entries")
    first.commit("--no-verify")
    assert not first.is_index_right()
    done = first.call("git", "push", "-q")
    assert done.returncode
    assert "INDEX.md is not that of its entries" in done.stderr
    first.git("commit", "-q", "--allow-empty", "-m", "Bring INDEX.md up to date")
    first.holds()
    first.git("push", "-q")
    second.git("pull", "-q")
    second.holds()


def test_rebase_squash_revert_and_amend(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.git("switch", "-q", "-c", "side")
    add(lab, "gamma")
    add(lab, "delta")
    lab.git("switch", "-q", "main")
    add(lab, "epsilon")
    lab.git("switch", "-q", "side")
    lab.git("rebase", "-q", "main")
    lab.holds()
    lab.git("switch", "-q", "main")
    lab.git("merge", "-q", "--squash", "side")
    lab.commit()
    lab.holds()
    lab.git("revert", "--no-edit", "--no-commit", "HEAD")
    lab.commit()
    lab.holds()
    lab.git("commit", "-q", "--amend", "-m", "other words")
    lab.holds()
    lab.git("merge", "-q", "--no-edit", "--no-verify", "side")
    lab.holds()
    lab.git("reset", "-q", "--hard", "HEAD^")
    lab.holds()


def test_a_fast_forward_of_a_local_branch_that_is_stale_is_said(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.git("switch", "-q", "-c", "side")
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries")
    lab.commit("--no-verify")
    lab.git("switch", "-q", "main")
    done = lab.call("git", "merge", "-q", "side")
    assert done.returncode == 0
    assert "your next commit puts it right" in done.stderr
    assert lab.git("rev-parse", "main") == lab.git("rev-parse", "side")


def test_a_push_with_a_login_in_a_commit_is_refused(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.write("gamma", entry("Gamma", decided=(LEAK,)))
    lab.git("add", "entries")
    lab.commit("--no-verify")
    lab.write("gamma", entry("Gamma"))
    lab.commit("-a")
    done = lab.call("git", "push", "-q")
    assert done.returncode
    assert "entries/gamma.md" in done.stderr
    assert "git commit --amend when that is the last one" in done.stderr
    assert LOGIN not in done.stderr
    lab.git("reset", "-q", "--soft", "origin/main")
    lab.git("commit", "-q", "-m", LEAK)
    done = lab.call("git", "push", "-q", str(lab.home / ".." / "remote.git"), "main")
    assert done.returncode
    assert "message of commit" in done.stderr
    assert LOGIN not in done.stderr
    lab.git("commit", "-q", "--amend", "-m", "no login")
    lab.git("push", "-q")
    lab.git("push", "-q", "origin", "HEAD:refs/heads/other")
    lab.git("push", "-q", "origin", ":refs/heads/other")


def test_a_push_of_an_invalid_entry_is_refused_and_says_why(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.write("gamma", "# Gamma\n\n## Answer\n\n## Decided\n")
    (lab.top / "entries" / "Not A Topic.md").write_text(entry("No"))
    lab.git("add", "entries")
    lab.commit("--no-verify")
    done = lab.call("git", "push", "-q")
    assert done.returncode
    assert "entries/gamma.md:3: E301" in done.stderr
    assert "entries/Not A Topic.md:1:" in done.stderr
    assert "lib check --fix" in done.stderr


def test_a_branch_that_is_no_library_is_left_alone(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.git("switch", "-q", "--orphan", "pages")
    (lab.top / "index.html").write_text("<p>hello</p>\n")
    lab.git("add", "index.html")
    lab.commit()
    assert lab.git("ls-files") == "index.html"
    lab.git("push", "-q", "origin", "pages")


def test_an_entry_broken_on_purpose_says_line_and_fix(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.write("gamma", entry("Gamma", decided=("2026-13-41: not a day",)))
    lab.git("add", "entries")
    head = lab.git("rev-parse", "HEAD")
    done = lab.call("git", "commit", "-q", "-m", "x")
    assert done.returncode == 1
    assert "entries/gamma.md:9: E" in done.stderr
    assert "the commit was not made" in done.stderr
    assert lab.git("rev-parse", "HEAD") == head
    assert done.stderr.count("write the day it is about") == 1
    # INDEX.md would be in the way of the next pull.
    assert lab.status() == ["A  entries/gamma.md"]


def test_what_a_killed_hook_left_half_done_is_done_by_the_next_commit(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries")
    before = lab.read("INDEX.md")
    assert lab.call("git", "hook", "run", "pre-commit").returncode == 0
    # Killed after it had staged INDEX.md, before it wrote it.
    (lab.top / "INDEX.md").write_text(before, encoding="utf-8")
    assert "your version" not in lab.call("git", "commit", "-q", "-m", "x").stderr
    lab.holds()
    (lab.top / "INDEX.md").write_text("by hand\n", encoding="utf-8")
    assert "your version of it was replaced" in lab.call("git", "commit", "-q", "--allow-empty", "-m", "x").stderr
    lab.holds()
    assert (lab.top / ".git" / "lib-kept" / "INDEX.md").read_text(encoding="utf-8") == "by hand\n"


def test_what_cannot_be_an_entry_is_refused(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    (lab.top / "entries" / "link.md").symlink_to("alpha.md")
    (lab.top / "entries" / "Big Words.md").write_text(entry("Big"))
    lab.git("add", "entries")
    done = lab.call("git", "commit", "-q", "-m", "x")
    assert done.returncode == 1
    assert "entries/link.md:1:" in done.stderr
    assert "entries/Big Words.md:1:" in done.stderr


def test_a_login_in_another_file_is_refused(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    (lab.top / "notes").mkdir()
    (lab.top / "notes" / "a.txt").write_text(f"one\n{LEAK}\n")
    (lab.top / "notes" / "b.bin").write_bytes(b"\0" + LEAK.encode())
    lab.git("add", "notes")
    done = lab.call("git", "commit", "-q", "-m", "x")
    assert done.returncode == 1
    assert "notes/a.txt:2: login" in done.stderr
    assert "b.bin" not in done.stderr
    assert LOGIN not in done.stderr


def test_a_merge_that_no_mending_can_put_right_waits_for_a_person(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.git("switch", "-q", "-c", "side")
    lab.write("gamma", entry("Gamma", decided=("2026-13-41: not a day",)))
    lab.git("add", "entries")
    lab.commit("--no-verify")
    lab.git("switch", "-q", "main")
    add(lab, "delta")
    done = lab.call("git", "merge", "-q", "--no-edit", "side")
    assert done.returncode
    assert "entries/gamma.md:9: E" in done.stderr
    lab.write("gamma", entry("Gamma", decided=("a day",)))
    lab.git("add", "entries")
    lab.git("commit", "-q", "--no-edit")
    lab.holds()


def test_windows_line_ends_stay_in_the_work_tree(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    text = entry("Gamma", decided=(LEAK,)).replace("\n", "\r\n")
    (lab.top / "entries" / "gamma.md").write_bytes(text.encode())
    lab.git("add", "entries")
    lab.commit()
    data = (lab.top / "entries" / "gamma.md").read_bytes()
    assert LOGIN.encode() not in data
    assert data.count(b"\r\n") == data.count(b"\n")
    lab.holds()


def test_the_mode_of_a_file_stays(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.write("gamma", entry("Gamma", decided=(LEAK,)))
    (lab.top / "entries" / "gamma.md").chmod(0o755)
    lab.git("add", "entries")
    lab.commit()
    lab.holds()
    assert stat.S_IMODE(os.stat(lab.top / "entries" / "gamma.md").st_mode) == 0o755
    assert lab.git("ls-tree", "HEAD", "entries/gamma.md").startswith("100755")


BARE = {"PATH": "/usr/bin:/bin"}


def test_in_the_bare_environment_of_a_window_program(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    lab.write("gamma", entry("Gamma", decided=(LEAK,)))
    lab.git("add", "entries")
    done = subprocess.run(
        ["/usr/bin/env", "-i", "PATH=/usr/bin:/bin", f"HOME={lab.home}", "git", "commit", "-q", "-m", "x"], cwd=lab.top, check=False
    )
    assert done.returncode == 0
    lab.holds()


def gone(lab: Lab, python: str) -> None:
    config = load(lab.environ, str(lab.home))
    init.run(config, lab.environ, init.Wanted(), python=python)


def test_lib_is_found_on_the_path_when_its_interpreter_is_gone(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    gone(lab, "/nowhere/python")
    folder = lab.home / "bin"
    folder.mkdir()
    shim = folder / "lib-git-hook"
    shim.write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -c 'from libtool.hooks.git import program; program()' \"$@\"\n")
    shim.chmod(0o755)
    lab.environ["PATH"] = f"{folder}:{BARE['PATH']}"
    add(lab, "gamma")
    lab.holds()
    lab.git("push", "-q")


@pytest.mark.parametrize("python", ["/nowhere/python", "stub", "other"])
def test_without_lib_the_commit_waits_and_says_why(pair: tuple[Lab, Lab], python: str) -> None:
    lab = pair[0]
    if python == "stub":
        # An interpreter that has lib no more.
        stub = lab.home / "python"
        stub.write_text("#!/bin/sh\necho \"lib: No module named 'libtool'\" >&2\nexit 127\n")
        stub.chmod(0o755)
        python = str(stub)
    if python == "other":
        # A program of another kind of processor, or one whose own interpreter may not be run: the shell ends with 126.
        stub = lab.home / "python"
        stub.write_text("#!/\n")
        stub.chmod(0o755)
        python = str(stub)
    gone(lab, python)
    lab.environ["PATH"] = BARE["PATH"]
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries")
    done = lab.call("git", "commit", "-q", "-m", "x")
    assert done.returncode == 1
    assert "lib is gone" in done.stderr
    assert "git commit --no-verify" in done.stderr
    assert lab.status() == ["A  entries/gamma.md"]
    lab.commit("--no-verify")
    assert lab.call("git", "push", "-q").returncode
    lab.git("push", "-q", "--no-verify")
    assert lab.call("git", "commit", "-q", "--no-verify", "--amend", "-m", "y").returncode == 0


def test_a_merge_without_lib_is_joined_by_git_itself(pair: tuple[Lab, Lab]) -> None:
    first, second = pair
    gone(second, "/nowhere/python")
    pushed(first, "alpha", entry("Alpha", decided=(*MANY, "from the first")))
    second.write("alpha", entry("Alpha", decided=(*MANY, "from the second")))
    second.git("add", "entries")
    second.commit("--no-verify")
    second.git("pull", "-q", "--no-edit", "--no-verify")
    text = second.read("entries/alpha.md")
    assert "- from the first\n" in text
    assert "- from the second\n" in text
    assert "<<<" not in text


def test_the_next_commit_of_what_git_joined_puts_it_in_order(pair: tuple[Lab, Lab]) -> None:
    first, second = pair
    gone(second, "/nowhere/python")
    pushed(first, "alpha", entry("Alpha", "Theirs.", decided=(*MANY, "then the first")))
    second.write("alpha", entry("Alpha", "Ours.", decided=(*MANY, "then the second")))
    second.git("add", "entries")
    second.commit("--no-verify")
    second.git("pull", "-q", "--no-edit", "--no-verify")
    joined = second.read("entries/alpha.md")
    gone(second, sys.executable)
    assert f"Ours. ({TODAY})\nTheirs. ({TODAY})" in joined or f"Theirs. ({TODAY})\nOurs. ({TODAY})" in joined
    second.write("alpha", joined.replace("## Open\n\nNone.", "## Open\n\n- is it?"))
    second.git("add", "entries")
    second.commit()
    second.holds()
    text = second.read("entries/alpha.md")
    assert text.count("Ours.") == text.count("Theirs.") == 1
    assert "- then the first\n- then the second\n" in text
    assert f"- {TODAY}: Ours.\n" in text
    second.git("push", "-q")


def test_git_joined_is_put_in_order_by_the_post_merge_hook(pair: tuple[Lab, Lab]) -> None:
    first, second = pair
    second.git("config", "merge.lib-entry.driver", "git merge-file --union -q %A %O %B")
    pushed(first, "alpha", entry("Alpha", "Theirs.", decided=(*MANY, "then the first")))
    add(second, "alpha", entry("Alpha", "Ours.", decided=(*MANY, "then the second")))
    second.git("pull", "-q", "--no-edit")
    second.holds()
    assert f"- {TODAY}: Ours.\n" in second.read("entries/alpha.md")


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase"])
@pytest.mark.parametrize("keep", ["edit", "deletion", "abort"])
def test_an_edit_against_a_deletion_goes_on_as_docs_merging_says(pair: tuple[Lab, Lab], how: str, keep: str) -> None:
    first, second = pair
    first.git("rm", "-q", "entries/beta.md")
    first.commit()
    first.git("push", "-q")
    add(second, "beta", entry("Beta", decided=("an edit",)))
    done = second.call("git", "pull", how)
    assert done.returncode
    assert "CONFLICT (modify/delete): entries/beta.md" in done.stdout
    assert "an edit" in second.read("entries/beta.md")
    word = "rebase" if how == "--rebase" else "merge"
    config = load(second.environ, str(second.home))
    with pytest.raises(SyncRefused, match=f"a {word} is under way") as caught:
        sync.sync(config, second.environ)
    assert f"git {word} --continue" in caught.value.hint
    if keep == "abort":
        second.git(word, "--abort")
        assert sync.sync(config, second.environ).merged
        assert "an edit" in second.read("entries/beta.md")
    else:
        second.git(*(("add", "-A") if keep == "edit" else ("rm", "-q", "entries/beta.md")))
        second.git(*(("rebase", "--continue") if word == "rebase" else ("commit", "-q", "--no-edit")))
        assert (second.top / "entries" / "beta.md").exists() == (keep == "edit")
    second.holds()
    second.git("push", "-q")


OTHER = """\
repos:
  - repo: local
    hooks:
      - id: lib-index
        name: lib
        entry: "false"
        language: system
      - id: no-todo
        name: no todo
        entry: sh -c 'echo "$@" > seen; ! grep -l TODO "$@"' --
        language: system
        files: ^entries/
"""


def test_other_checks_of_the_library_run_after_ours(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    (lab.top / ".pre-commit-config.yaml").write_text(OTHER)
    (lab.top / ".git" / "info" / "exclude").write_text("seen\n")
    lab.git("add", ".pre-commit-config.yaml")
    lab.write("gamma", entry("Gamma", decided=(LEAK,)))
    mine = entry("Beta", opened=("not staged",), decided=MANY)
    lab.write("beta", mine)
    lab.git("add", "entries/gamma.md")
    lab.commit()
    lab.holds(" M entries/beta.md")
    assert lab.read("entries/beta.md") == mine
    assert lab.read("seen") == "entries/gamma.md\n"
    lab.write("gamma", entry("Gamma", opened=("TODO",)))
    lab.git("add", "entries/gamma.md")
    done = lab.call("git", "commit", "-q", "-m", "x")
    assert done.returncode == 1
    assert "no todo" in done.stdout + done.stderr
    assert lab.read("entries/beta.md") == mine


def test_pre_commit_framework_with_our_checks(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    folder = lab.home / "bin"
    folder.mkdir()
    shim = folder / "lib-git-hook"
    shim.write_text(f"#!/bin/sh\nexec '{sys.executable}' -P -c 'from libtool.hooks.git import program; program()' \"$@\"\n")
    shim.chmod(0o755)
    lab.environ["PATH"] = f"{folder}:{lab.environ['PATH']}"
    run = (sys.executable, "-m", "pre_commit", "run")
    assert lab.call(*run, "--all-files").returncode == 0
    lab.write("gamma", entry("Gamma", decided=(LEAK,)))
    lab.write("beta", entry("Beta", opened=("staged",), decided=MANY).replace("## Blocker\n\nNone.\n\n", ""))
    lab.git("add", "entries")
    mine = lab.read("entries/beta.md") + "\nmore\n"
    lab.write("beta", mine)
    done = lab.call(*run, "--files", "entries/gamma.md", "entries/beta.md")
    assert done.returncode == 1
    assert "entries/gamma.md: 1 login(s) replaced; look at it, then: git add" in done.stdout
    assert "entries/beta.md: must be brought into the form of an entry, but holds unstaged work" in done.stdout
    assert "INDEX.md was not that of the staged entries" in done.stdout
    assert LOGIN not in lab.read("entries/gamma.md")
    assert lab.read("entries/beta.md") == mine
    assert "[gamma]" in lab.read("INDEX.md")
    lab.write("beta", entry("Beta", opened=("staged",), decided=MANY))
    lab.git("add", "-A")
    assert lab.call(*run, "--all-files").returncode == 0


def test_search_sees_a_commit_that_only_git_made(pair: tuple[Lab, Lab]) -> None:
    lab = pair[0]
    config = load(lab.environ, str(lab.home))
    index.run(config, {})
    add(lab, "gamma", entry("Gamma", f"The flywheel hums. ({TODAY})"))
    settle(lab)
    found = search.search(config, "flywheel hums", Filter(), limit=3)
    assert [hit.ref for hit in found.hits] == ["entry:gamma"]


@pytest.mark.parametrize(
    "arrange", [lambda lab: (lab.top / ".git" / "lib-index").write_bytes(b"\xff"), lambda lab: lab.git("gc", "-q", "--prune=now")]
)
def test_a_lost_cache_costs_time_alone(pair: tuple[Lab, Lab], arrange: Callable[[Lab], object]) -> None:
    lab = pair[0]
    arrange(lab)
    add(lab, "gamma")
    lab.holds()
