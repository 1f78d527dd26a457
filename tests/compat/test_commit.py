"""The 23 ways to commit of git.md's second section, through real git with the hooks that `lib init` installs."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.compat.lab import LEAK, LOGIN, MANY, TODAY, Lab, entry, make

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with two entries, made once."""
    folder = tmp_path_factory.mktemp("template")
    lab = make(folder, folder / "library")
    lab.begin("alpha", "beta")
    lab.holds()
    return folder


@pytest.fixture
def lab(template: Path, tmp_path: Path) -> Lab:
    home = tmp_path / "person"
    shutil.copytree(template, home, symlinks=True)
    return Lab(home, home / "library")


def edited(topic: str, number: int, text: str) -> str:
    """The entry with one of its decisions written anew."""
    return entry(topic.capitalize(), decided=tuple(text if one == MANY[number] else one for one in MANY))


def new_staged(lab: Lab) -> None:
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries/gamma.md")
    lab.commit()
    lab.holds()


def all_(lab: Lab) -> None:
    lab.write("alpha", entry("Alpha", "Now otherwise."))
    lab.commit("-a")
    lab.holds()


def one_file(lab: Lab) -> None:
    lab.write("alpha", entry("Alpha", opened=("what now?",)))
    lab.commit("entries/alpha.md")
    lab.holds()
    assert "1 open" in lab.read("INDEX.md")


def one_file_with_another_staged(lab: Lab) -> None:
    lab.write("alpha", entry("Alpha", opened=("what now?",)))
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries/gamma.md")
    lab.commit("entries/alpha.md")
    lab.holds("A  entries/gamma.md")
    assert "gamma" not in lab.read("INDEX.md")


def include(lab: Lab) -> None:
    lab.write("alpha", entry("Alpha", opened=("what now?",)))
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries/gamma.md")
    lab.commit("-i", "entries/alpha.md")
    lab.holds()


def partial_with_far_hunks(lab: Lab) -> None:
    lab.write("alpha", edited("alpha", 2, "step 02 is taken again"))
    lab.git("add", "entries/alpha.md")
    both = lab.read("entries/alpha.md").replace(MANY[27], "step 27 is left out")
    lab.write("alpha", both)
    lab.commit()
    lab.holds(" M entries/alpha.md")
    assert lab.read("entries/alpha.md") == both


def partial_with_another_answer(lab: Lab) -> None:
    lab.write("alpha", entry("Alpha", "Staged answer.", decided=MANY))
    lab.git("add", "entries/alpha.md")
    lab.write("alpha", entry("Alpha", "Unstaged answer.", decided=MANY))
    lab.commit()
    lab.holds(" M entries/alpha.md")
    text = lab.read("entries/alpha.md")
    assert f"## Answer\n\nUnstaged answer. ({TODAY})\n" in text
    # What the first commit replaced is recorded in the file too, or the next commit would take it out again.
    assert f"## Superseded\n\n- {TODAY}: It is so.\n" in text
    assert "Staged answer" in lab.read("INDEX.md")


def untracked(lab: Lab) -> None:
    lab.write("gamma", entry("Gamma"))
    lab.write("alpha", entry("Alpha", opened=("what now?",)))
    lab.git("add", "entries/alpha.md")
    lab.commit()
    lab.holds("?? entries/gamma.md")
    assert "gamma" not in lab.read("INDEX.md")


def dirty_index(lab: Lab) -> None:
    (lab.top / "INDEX.md").write_text("my own words\n", encoding="utf-8")
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries/gamma.md")
    lab.commit()
    lab.holds()
    assert lab.read(".git/lib-kept/INDEX.md") == "my own words\n"


def dirty_index_and_more(lab: Lab) -> None:
    (lab.top / "INDEX.md").write_text("my own words\n", encoding="utf-8")
    mine = edited("beta", 3, "step 03 is not staged")
    lab.write("beta", mine)
    (lab.top / "README.md").write_text("mine\n", encoding="utf-8")
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "entries/gamma.md")
    lab.commit()
    lab.holds(" M README.md", " M entries/beta.md")
    assert lab.read("entries/beta.md") == mine
    assert lab.read("README.md") == "mine\n"


def intent_to_add(lab: Lab) -> None:
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "-N", "entries/gamma.md")
    lab.write("alpha", entry("Alpha", opened=("what now?",)))
    lab.git("add", "entries/alpha.md")
    lab.commit()
    lab.holds(" A entries/gamma.md")
    assert "gamma" not in lab.read("INDEX.md")


def amend(lab: Lab) -> None:
    lab.begin("gamma")
    lab.write("gamma", entry("Gamma", opened=("what now?",)))
    lab.git("add", "entries")
    lab.git("commit", "-q", "--amend", "--no-edit")
    lab.holds()
    lab.write("delta", entry("Delta"))
    lab.git("add", "entries")
    lab.git("commit", "-q", "-a", "--amend", "--no-edit")
    lab.holds()
    assert lab.git("rev-list", "--count", "HEAD") == "3"


def move_and_remove(lab: Lab) -> None:
    lab.git("mv", "entries/alpha.md", "entries/omega.md")
    lab.git("rm", "-q", "entries/beta.md")
    lab.commit()
    lab.holds()
    assert "omega" in lab.read("INDEX.md")
    assert "beta" not in lab.read("INDEX.md")


def two_sides(lab: Lab, ours: Callable[[], None], theirs: Callable[[], None]) -> None:
    lab.git("switch", "-q", "-c", "side")
    theirs()
    lab.git("add", "-A")
    lab.commit()
    lab.git("switch", "-q", "main")
    ours()
    lab.git("add", "-A")
    lab.commit()


def clean_merge(lab: Lab) -> None:
    two_sides(lab, lambda: lab.write("gamma", entry("Gamma")), lambda: lab.write("delta", entry("Delta")))
    lab.git("merge", "-q", "--no-edit", "side")
    lab.holds()
    assert len(lab.git("rev-list", "--parents", "-1", "HEAD").split()) == 3


def clean_merge_no_ff(lab: Lab) -> None:
    two_sides(
        lab,
        lambda: lab.write("alpha", entry("Alpha", opened=("ours?",), decided=MANY)),
        lambda: lab.write("alpha", entry("Alpha", decided=(*MANY, "theirs"))),
    )
    lab.git("merge", "-q", "--no-ff", "--no-edit", "side")
    lab.holds()
    assert "- ours?" in lab.read("entries/alpha.md")
    assert "- theirs" in lab.read("entries/alpha.md")


def conflicting_merge(lab: Lab) -> None:
    def readme(text: str) -> None:
        (lab.top / "README.md").write_text(text, encoding="utf-8")

    two_sides(lab, lambda: readme("ours\n"), lambda: readme("theirs\n"))
    lab.git("switch", "-q", "side")
    lab.begin("delta")
    lab.git("switch", "-q", "main")
    lab.begin("gamma")
    assert lab.call("git", "merge", "-q", "side").returncode == 1
    readme("both\n")
    lab.git("add", "README.md")
    lab.git("commit", "-q", "--no-edit")
    lab.holds()


def login(lab: Lab) -> None:
    lab.write("gamma", entry("Gamma", decided=(LEAK,)))
    lab.git("add", "entries/gamma.md")
    lab.commit()
    lab.holds()
    assert "[REDACTED:" in lab.read("entries/gamma.md")


def login_and_unstaged_hunk(lab: Lab) -> None:
    lab.write("alpha", edited("alpha", 2, f"step 02 {LEAK}"))
    lab.git("add", "entries/alpha.md")
    lab.write("alpha", lab.read("entries/alpha.md").replace(MANY[27], "step 27 is left out"))
    lab.commit()
    lab.holds(" M entries/alpha.md")
    text = lab.read("entries/alpha.md")
    assert "step 27 is left out" in text
    assert LOGIN not in text


def login_and_unstaged_edit_of_its_line(lab: Lab) -> None:
    lab.write("alpha", edited("alpha", 2, f"step 02 {LEAK}"))
    lab.git("add", "entries/alpha.md")
    mine = lab.read("entries/alpha.md").replace("works", "works no more")
    lab.write("alpha", mine)
    lab.commit()
    lab.holds(" M entries/alpha.md")
    assert lab.read("entries/alpha.md") == mine


def linked_worktree(lab: Lab) -> None:
    lab.git("worktree", "add", "-q", "-b", "side", "../linked")
    linked = Lab(lab.home, lab.home / "linked")
    linked.write("alpha", entry("Alpha", opened=("what now?",)))
    linked.commit("-a")
    linked.holds()
    lab.holds()


def subdirectory(lab: Lab) -> None:
    lab.write("alpha", entry("Alpha", opened=("what now?",)))
    lab.git("add", "alpha.md", folder="entries")
    lab.commit(folder="entries")
    lab.holds()


def no_entry(lab: Lab) -> None:
    (lab.top / "README.md").write_text("other words\n", encoding="utf-8")
    lab.commit("-a")
    lab.holds()


def index_by_hand(lab: Lab) -> None:
    (lab.top / "INDEX.md").write_text("my own words\n", encoding="utf-8")
    lab.write("gamma", entry("Gamma"))
    lab.git("add", "-A")
    lab.commit()
    lab.holds()


SCENARIOS: tuple[Callable[[Lab], None], ...] = (
    new_staged,
    all_,
    one_file,
    one_file_with_another_staged,
    include,
    partial_with_far_hunks,
    partial_with_another_answer,
    untracked,
    dirty_index,
    dirty_index_and_more,
    intent_to_add,
    amend,
    move_and_remove,
    clean_merge,
    clean_merge_no_ff,
    conflicting_merge,
    login,
    login_and_unstaged_hunk,
    login_and_unstaged_edit_of_its_line,
    linked_worktree,
    subdirectory,
    no_entry,
    index_by_hand,
)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda one: one.__name__.strip("_"))
def test_commit(scenario: Callable[[Lab], None], lab: Lab) -> None:
    scenario(lab)
    assert lab.git("fsck", "--no-dangling", "--no-progress") == ""


def test_they_are_23() -> None:
    assert len(set(SCENARIOS)) == 23
