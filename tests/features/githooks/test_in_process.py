"""The hooks in this process, git's own commands around them without hooks: the same as tests/compat, seen from inside."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING

import pytest

from libtool.features.githooks import reindex
from libtool.hooks import git
from tests.compat.lab import LEAK, LOGIN, MANY, Lab, entry, make

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def lab(home: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    found = make(home, home / "library")
    found.begin("alpha", "beta")
    shutil.rmtree(found.top / ".git" / "hooks")
    monkeypatch.chdir(found.top)
    monkeypatch.setattr(reindex, "ask", lambda *_: False)
    return found


@pytest.fixture
def said(capsys: pytest.CaptureFixture[str]) -> pytest.CaptureFixture[str]:
    return capsys


def hook(lab: Lab, *words: str, **variables: str) -> int:
    return git.main(words, {**lab.environ, **variables})


def test_a_login_goes_and_the_rest_stays(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    lab.write("alpha", entry("Alpha", decided=(LEAK, f"{LEAK} twice")))
    lab.write("beta", entry("Beta", decided=(LEAK,)))
    lab.git("add", "entries")
    lab.write("beta", "mine\n")
    os.unlink(lab.top / "entries" / "alpha.md")
    assert hook(lab, "pre-commit") == 0
    lab.commit()
    assert lab.leaks() == []
    assert lab.read("entries/beta.md") == "mine\n"
    err = said.readouterr().err
    assert "entries/alpha.md: 2 logins replaced" in err
    assert "entries/alpha.md: its logins are out of the commit, but not out of your file" in err


def test_many_that_are_mended_are_counted(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    for number in range(8):
        lab.write(f"topic-{number}", entry("Title").replace("## Blocker\n\nNone.\n\n", ""))
    lab.git("add", "entries")
    assert hook(lab, "pre-commit") == 0
    assert "and 3 more entries mended" in said.readouterr().err
    lab.commit()
    lab.holds()


def test_the_second_index_of_a_commit_of_one_file(lab: Lab) -> None:
    lab.write("alpha", entry("Alpha", decided=(LEAK,)))
    lab.write("beta", entry("Beta", decided=(LEAK,)))
    lab.git("add", "entries/beta.md")
    folder = lab.top / ".git"
    shutil.copy(folder / "index", folder / "next-index-1.lock")
    lab.call("git", "add", "entries/alpha.md", GIT_INDEX_FILE=".git/next-index-1.lock")
    shutil.copy(folder / "index", folder / "index.lock")
    assert hook(lab, "pre-commit", GIT_INDEX_FILE=str(folder / "next-index-1.lock")) == 0
    os.rename(folder / "index.lock", folder / "index")
    # The entry that differs in the real index is not ours to change there.
    assert LOGIN in lab.git("show", ":entries/beta.md") or "REDACTED" in lab.git("show", ":entries/beta.md")
    assert "REDACTED" not in lab.git("show", ":entries/alpha.md")


def test_what_cannot_be_an_entry(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    (lab.top / "entries" / "link.md").symlink_to("alpha.md")
    (lab.top / "entries" / "Big.md").write_text("x")
    (lab.top / "entries" / "notes.txt").write_text("x")
    lab.git("rm", "-q", "--cached", "entries/beta.md")
    lab.git("add", "entries/link.md", "entries/Big.md", "entries/notes.txt")
    for verb in ("pre-commit", "pre-merge-commit"):
        assert hook(lab, verb) == 1
        err = said.readouterr().err
        assert "entries/link.md:1:" in err
        assert "entries/Big.md:1:" in err
        assert "entries/notes.txt:1: E101 " in err


def test_what_is_no_entry_and_may_lie_among_them(lab: Lab) -> None:
    (lab.top / "entries" / ".gitkeep").write_text("x")
    lab.git("add", "-f", "entries/.gitkeep")
    for verb in ("pre-commit", "pre-merge-commit"):
        assert hook(lab, verb) == 0


def test_a_merge_is_only_checked(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    lab.write("gamma", entry("Gamma", decided=("2026-13-41: no day",)))
    lab.git("add", "entries")
    before = lab.git("write-tree")
    assert hook(lab, "pre-merge-commit") == 1
    assert "entries/gamma.md:9:" in said.readouterr().err
    assert lab.git("write-tree") == before


def test_a_branch_without_a_library(lab: Lab) -> None:
    lab.git("switch", "-q", "--orphan", "pages")
    (lab.top / "a.txt").write_text("words\n")
    lab.git("add", "a.txt")
    for verb in ("pre-commit", "pre-merge-commit"):
        assert hook(lab, verb) == 0
    lab.commit()
    assert hook(lab, "post-rewrite", "rebase") == 0
    assert hook(lab, "check-push", PRE_COMMIT_TO_REF=lab.git("rev-parse", "HEAD"), PRE_COMMIT_REMOTE_NAME="o") == 0


def test_dirty_index_is_set_aside_and_a_broken_one_built_anew(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    (lab.top / "INDEX.md").write_text("mine\n")
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries")
    assert hook(lab, "pre-commit") == 0
    assert "your version of it was replaced" in said.readouterr().err
    lab.commit()
    (lab.top / ".git" / "lib-index").unlink()
    lab.write("delta", entry("Delta"))
    lab.git("add", "entries")
    assert hook(lab, "pre-commit") == 0
    lab.commit()
    lab.holds()


def merged(lab: Lab, text: str) -> None:
    """A true merge whose result is not in order: HEAD's INDEX.md lacks a topic, an entry its form."""
    lab.git("switch", "-q", "-c", "side")
    lab.write("gamma", text)
    lab.git("add", "entries")
    lab.commit()
    lab.git("switch", "-q", "main")
    lab.write("delta", entry("Delta"))
    lab.git("add", "entries")
    lab.commit()
    lab.git("merge", "-q", "--no-edit", "side")


@pytest.mark.parametrize("is_signed", [False, True])
def test_a_merge_commit_is_put_right(lab: Lab, said: pytest.CaptureFixture[str], *, is_signed: bool) -> None:
    if is_signed:
        signer = lab.home / "signer"
        signer.write_text("#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED D 1 8 00 1 0' >&2\nprintf 'made-up\\nsignature\\n'\n")
        signer.chmod(0o755)
        lab.git("config", "gpg.program", str(signer))
        lab.git("config", "commit.gpgSign", "true")
    merged(lab, entry("Gamma").replace("## Blocker\n\nNone.\n\n", ""))
    commit = lab.git("cat-file", "commit", "HEAD").split("\n", 1)[1]
    lab.write("alpha", "mine\n")
    assert hook(lab, "post-merge", "0") == 0
    assert "INDEX.md, entries/gamma.md mended in HEAD" in said.readouterr().err
    lab.holds(" M entries/alpha.md")
    assert lab.git("cat-file", "commit", "HEAD").split("\n", 1)[1] == commit
    assert hook(lab, "post-merge", "0") == 0


def test_a_published_merge_stays(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    merged(lab, entry("Gamma"))
    lab.git("update-ref", "refs/heads/published", "HEAD")
    lab.git("branch", "-q", "--set-upstream-to", "published")
    assert hook(lab, "post-merge", "0") == 0
    assert "your next commit puts it right" in said.readouterr().err
    assert not lab.is_index_right()


def test_a_fast_forward_stays(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    lab.git("update-ref", "ORIG_HEAD", "HEAD")
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries")
    lab.commit()
    assert hook(lab, "post-merge", "0") == 0
    assert "your next commit puts it right" in said.readouterr().err


def test_only_an_entry_out_of_form_that_is_published(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    lab.git("branch", "-q", "published")
    lab.git("branch", "-q", "--set-upstream-to", "published")
    lab.write("alpha", entry("Alpha", decided=MANY).replace("## Blocker\n\nNone.\n\n", ""))
    lab.git("add", "entries")
    assert hook(lab, "post-rewrite", "amend") == 0
    lab.commit()
    lab.git("update-ref", "refs/heads/published", "HEAD")
    said.readouterr()
    assert hook(lab, "post-rewrite", "amend") == 0
    assert said.readouterr().err == ""


def test_a_rewritten_commit_without_index(lab: Lab) -> None:
    lab.git("rm", "-q", "INDEX.md")
    lab.commit()
    assert hook(lab, "post-rewrite", "amend") == 0
    lab.holds()


def test_the_framework_checks_what_is_staged(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    lab.write("gamma", entry("Gamma", decided=(LEAK,)))
    lab.write("delta", entry("Delta").replace("## Blocker\n\nNone.\n\n", ""))
    lab.git("add", "entries")
    lab.write("delta", "mine\n")
    paths = ("entries/alpha.md", "entries/gamma.md", "entries/delta.md", "entries/none.md", "README.md")
    assert hook(lab, "check-entries", *paths) == 1
    err = said.readouterr().err
    assert "entries/gamma.md: 1 login(s) replaced" in err
    assert "entries/delta.md: must be brought into the form of an entry, but holds unstaged work" in err
    assert LOGIN not in lab.read("entries/gamma.md")
    assert hook(lab, "check-index") == 1
    assert "it is now: git add INDEX.md" in said.readouterr().err
    lab.git("add", "INDEX.md")
    assert hook(lab, "check-index") == 0
    assert hook(lab, "check-index") == 0


def test_other_checks(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    config = "repos:\n- repo: local\n  hooks:\n  - {id: never, name: never, language: fail, entry: nope, files: gamma}\n"
    (lab.top / ".pre-commit-config.yaml").write_text(config)
    assert hook(lab, "pre-commit") == 0
    lab.git("add", ".pre-commit-config.yaml")
    assert hook(lab, "pre-commit") == 0
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries")
    assert hook(lab, "pre-commit") == 1
    assert "a check of .pre-commit-config.yaml failed" in said.readouterr().err
    os.unlink(lab.top / ".pre-commit-config.yaml")
    assert hook(lab, "pre-commit") == 0


def test_a_linked_worktree_shares_the_book(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    lab.git("worktree", "add", "-q", "-b", "side", "../linked")
    linked = Lab(lab.home, lab.home / "linked")
    monkeypatch.chdir(linked.top)
    linked.write("gamma", entry("Gamma"))
    linked.git("add", "entries")
    assert hook(linked, "pre-commit") == 0
    linked.commit()
    linked.holds()


def test_an_old_answer_with_a_login_stays_out(lab: Lab) -> None:
    lab.write("alpha", entry("Alpha", LEAK))
    lab.git("add", "entries")
    lab.commit()
    lab.write("alpha", entry("Alpha", "Another answer."))
    lab.git("add", "entries")
    assert hook(lab, "pre-commit") == 0
    lab.commit()
    text = lab.git("show", "HEAD:entries/alpha.md")
    assert LOGIN not in text
    assert "works" in text


def test_a_push_of_a_wrong_tip(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    (lab.top / "entries" / "Big.md").write_text("x")
    lab.write("gamma", entry("Gamma", decided=("2026-13-41: no day",)))
    lab.git("add", "entries")
    lab.commit()
    given = {"PRE_COMMIT_TO_REF": lab.git("rev-parse", "HEAD"), "PRE_COMMIT_REMOTE_NAME": "o"}
    assert hook(lab, "check-push", **given) == 1
    err = said.readouterr().err
    assert "entries/Big.md:1: E101 " in err
    assert "entries/gamma.md:9:" in err
    lab.git("reset", "-q", "--hard", "HEAD^")
    given["PRE_COMMIT_TO_REF"] = lab.git("rev-parse", "HEAD")
    (lab.top / ".git" / "lib-index").unlink()
    assert hook(lab, "check-push", **given) == 0
    assert hook(lab, "check-push", **given) == 0
    lab.git("rm", "-q", "-r", "entries")
    lab.commit()
    given["PRE_COMMIT_TO_REF"] = lab.git("rev-parse", "HEAD")
    assert hook(lab, "check-push", **given) == 1


def test_a_folder_among_the_entries_is_refused_where_it_grows(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    (lab.top / "entries" / "drafts").mkdir()
    (lab.top / "entries" / "drafts" / "one.md").write_text(entry("One"))
    (lab.top / "entries" / "drafts" / "two.md").write_text(entry("Two"))
    lab.git("add", "entries")
    assert hook(lab, "pre-commit") == 1
    assert "entries/drafts:1: E102 not a file: entries/ is flat" in said.readouterr().err
    lab.commit()
    given = {"PRE_COMMIT_TO_REF": lab.git("rev-parse", "HEAD"), "PRE_COMMIT_REMOTE_NAME": "o"}
    assert hook(lab, "check-push", **given) == 1
    assert "entries/drafts:1: E102" in said.readouterr().err
    # One that is there may go, piece by piece.
    lab.git("rm", "-q", "entries/drafts/one.md")
    assert hook(lab, "pre-commit") == 0
    lab.commit()
    lab.git("mv", "entries/drafts/two.md", "entries/two.md")
    assert hook(lab, "pre-commit") == 0
    lab.commit()
    lab.holds()


def test_a_commit_with_conflict_markers_says_that_both_sides_are_kept(lab: Lab, said: pytest.CaptureFixture[str]) -> None:
    for topic in ("alpha", "beta", "gamma"):
        held = entry(topic.title(), decided=("one",)).replace("- one\n", "<<<<<<< HEAD\n- one\n=======\n- two\n>>>>>>> side\n")
        lab.write(topic, held if topic != "beta" else held.replace("- two", f"- two {LEAK}"))
    lab.git("add", "entries")
    assert hook(lab, "pre-commit") == 0
    err = said.readouterr().err
    for topic in ("alpha", "beta", "gamma"):
        assert f"entries/{topic}.md: it had conflict markers: both sides are kept in the commit, please read it over" in err
    assert "brought into the form" not in err
    assert "entries/beta.md: a login replaced" in err
    lab.commit()
    lab.holds()
    assert "- one\n- two\n" in lab.read("entries/alpha.md")
