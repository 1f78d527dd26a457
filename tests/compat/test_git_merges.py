"""The merge driver under real git: the eleven merges that a library meets, and what git alone cannot do."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from libtool.domain.entry import parse
from libtool.domain.fold import fold
from libtool.domain.index_md import build, line_of, lines_in
from libtool.domain.mend import canonical
from libtool.domain.merge import merge, topic_of
from libtool.domain.schema import DECIDED, OPEN, SUPERSEDED
from tests.domain.histories import resolve, resolve_tree
from tests.domain.merge_cases import TITLES, written

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from _pytest.mark.structures import ParameterSet

Library = dict[str, bytes]
OLD = written(decided=["2026-10-01: keep."])
NEWER, OLDER = "Ask the vault. (2026-10-09)", "Ask the owner. (2026-10-06)"
BEFORE: Library = {f"entries/{topic}.md": OLD for topic in ("alpha", "beta", "gamma", "tokens")}
TOKENS = "entries/tokens.md"


def index_of(library: Library) -> bytes:
    return build({topic_of(path): line_of(topic_of(path), data) for path, data in library.items() if topic_of(path)})


class Machine:
    """A clone of the library with the merge driver that `lib init` configures."""

    def __init__(self, folder: Path, remote: Path, python: str = sys.executable) -> None:
        self.folder = folder
        self.git("clone", "-q", str(remote), str(folder), at=remote.parent)
        driver = f"{shlex.quote(python)} -P -m libtool.hooks.merge_driver %O %A %B %P 2>/dev/null || git merge-file --union -q %A %O %B"
        for key, value in (
            ("user.name", folder.name),
            ("user.email", f"{folder.name}@example.org"),
            ("merge.lib-entry.name", "entries by section"),
            ("merge.lib-entry.driver", driver),
            ("merge.renames", "false"),
            ("pull.rebase", "false"),
        ):
            self.git("config", key, value)
        (folder / ".git/info").mkdir(exist_ok=True)
        (folder / ".git/info/attributes").write_text("entries/*.md merge=lib-entry\nINDEX.md merge=lib-entry\n")

    def git(self, *words: str, at: Path | None = None, fails: bool = False) -> str:
        """What git says on both streams; its failure must be expected."""
        done = self._run(words, at or self.folder)
        assert (done.returncode != 0) == fails, done.stdout
        return done.stdout

    def ended(self, *words: str) -> int:
        """The exit code of git, whatever it is."""
        return self._run(words, self.folder).returncode

    def _run(self, words: Sequence[str], at: Path) -> subprocess.CompletedProcess[str]:
        environ = {**os.environ, "LC_ALL": "C", "GIT_EDITOR": "true"}  # noqa: TID251 - a throwaway HOME is in it
        return subprocess.run(
            ["git", *words], cwd=at, env=environ, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False
        )

    def commit(self, library: Library) -> None:
        """Make the work tree this library, with its INDEX.md, and commit."""
        shutil.rmtree(self.folder / "entries", ignore_errors=True)
        for path, data in {**library, "INDEX.md": index_of(library)}.items():
            (self.folder / path).parent.mkdir(exist_ok=True)
            (self.folder / path).write_bytes(data)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "Edit")

    @property
    def library(self) -> Library:
        return {f"entries/{path.name}": path.read_bytes() for path in sorted((self.folder / "entries").iterdir())}

    @property
    def index(self) -> bytes:
        return (self.folder / "INDEX.md").read_bytes()


class Pair(NamedTuple):
    here: Machine
    there: Machine

    def diverge(self, here: Library, there: Library, before: Library = BEFORE) -> None:
        """Both clones at `before`; then one version on the remote, another here."""
        self.there.commit(before)
        self.there.git("push", "-q", "origin", "HEAD:main")
        self.here.git("pull", "-q", "origin", "main")
        self.there.commit(there)
        self.there.git("push", "-q", "origin", "HEAD:main")
        self.here.commit(here)


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    folder = tmp_path / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(folder)], check=True)
    return folder


@pytest.fixture
def pair(tmp_path: Path, remote: Path) -> Pair:
    return Pair(Machine(tmp_path / "it's here", remote), Machine(tmp_path / "there", remote))


def changed(**entries: bytes | None) -> Library:
    """BEFORE with some entries written anew, or gone."""
    library: dict[str, bytes | None] = {**BEFORE, **{f"entries/{topic.replace('_', '-')}.md": data for topic, data in entries.items()}}
    return {path: data for path, data in library.items() if data is not None}


EDITED = written(decided=["2026-10-01: keep."], open=["edited"])
CLEAN = {
    "different topics": (changed(alpha=EDITED), changed(tokens=EDITED)),
    "both add topics on adjacent lines of INDEX.md": (changed(delta_a=OLD), changed(delta_b=OLD)),
    "adjacent topics changed": (changed(alpha=written(answer=NEWER)), changed(beta=written(answer=OLDER))),
    "same topic, different sections": (changed(tokens=written(open=["x"])), changed(tokens=written(blocker=["y"]))),
    "same topic, same list appended": (
        changed(tokens=written(decided=["2026-10-01: keep.", "2026-10-02: a"])),
        changed(tokens=written(decided=["2026-10-01: keep.", "2026-10-02: b"])),
    ),
    "Answer rewritten on both": (changed(tokens=written(answer=NEWER)), changed(tokens=written(answer=OLDER))),
    "same new topic on both": (changed(new=written(TITLES[1], NEWER, open=["a"])), changed(new=written(TITLES[2], OLDER, open=["b"]))),
    "Answer on one side, Answer and Decided on the other": (
        changed(tokens=written(answer=OLDER)),
        changed(tokens=written(answer=NEWER, decided=["2026-10-01: keep.", "2026-10-09: vault"])),
    ),
}
REFUSED = {
    "remote deletes, local edits": (changed(tokens=EDITED), changed(tokens=None)),
    "remote edits, local deletes": (changed(tokens=None), changed(tokens=EDITED)),
}
"""What git calls modify/delete. No merge driver is asked; `lib sync` settles it: the edit survives."""
RENAMED = (changed(tokens=EDITED), changed(tokens=None, keys=OLD))
"""Remote renames, local edits. git 2.39 does not heed `merge.renames` in its usual strategy, and edits the renamed file."""


def named(cases: dict[str, tuple[Library, Library]]) -> Sequence[ParameterSet]:
    return [pytest.param(*sides, id=name) for name, sides in cases.items()]


def test_there_are_eleven() -> None:
    assert len({**CLEAN, **REFUSED, "remote renames, local edits": RENAMED}) == 11


@pytest.mark.parametrize("how", ["--no-rebase", "--rebase"])
@pytest.mark.parametrize(("here", "there"), named(CLEAN))
def test_a_pull_merges_and_gives_both_machines_the_same(pair: Pair, here: Library, there: Library, how: str) -> None:
    pair.diverge(here, there)
    pair.here.git("branch", "-q", "mine")
    pair.here.git("pull", "-q", how, "origin", "main")
    assert pair.here.library == resolve_tree(BEFORE, here, there)
    assert pair.here.git("status", "--porcelain") == ""
    assert set(lines_in(pair.here.index) or {}) == {topic_of(path) for path in pair.here.library}
    pair.there.git("pull", "-q", how, str(pair.here.folder), "mine")
    assert pair.there.git("rev-parse", "HEAD^{tree}") == pair.here.git("rev-parse", "HEAD^{tree}")


@pytest.mark.parametrize(("here", "there"), named(REFUSED))
def test_git_stops_at_an_edit_against_a_deletion_and_to_commit_all_keeps_the_edit(pair: Pair, here: Library, there: Library) -> None:
    pair.diverge(here, there)
    said = pair.here.git("pull", "origin", "main", fails=True)
    assert f"CONFLICT (modify/delete): {TOKENS} deleted in" in said
    assert f"of {TOKENS} left in tree." in said
    assert "Automatic merge failed; fix conflicts and then commit the result." in said
    assert pair.here.library[TOKENS] == EDITED
    pair.here.git("add", "-A")
    pair.here.git("commit", "-q", "--no-edit")
    assert pair.here.library == resolve_tree(BEFORE, here, there)


def test_an_edit_of_what_the_remote_renamed_is_lost_in_no_git(pair: Pair) -> None:
    pair.diverge(*RENAMED)
    if pair.here.ended("pull", "-q", "origin", "main"):
        pair.here.git("add", "-A")
        pair.here.git("commit", "-q", "--no-edit")
        assert pair.here.library == resolve_tree(BEFORE, *RENAMED)
    else:
        assert pair.here.library == changed(tokens=None, keys=EDITED)


def test_git_puts_no_marker_in_a_file_that_one_side_deleted(pair: Pair) -> None:
    pair.diverge(*REFUSED["remote deletes, local edits"])
    pair.here.git("pull", "-q", "origin", "main", fails=True)
    assert pair.here.git("ls-files", "--unmerged").count(TOKENS) == 2
    assert b"<<<<<<<" not in b"".join([*pair.here.library.values(), pair.here.index])


def test_a_cherry_pick_and_a_stash_merge_by_section_too(pair: Pair) -> None:
    pair.diverge(changed(tokens=written(open=["mine"])), changed(tokens=written(open=["other"])))
    pair.here.git("fetch", "-q", "origin")
    pair.here.git("cherry-pick", "FETCH_HEAD")
    assert parse(pair.here.library[TOKENS]).items[OPEN] == ("mine", "other")
    (pair.here.folder / TOKENS).write_bytes(written(open=["mine", "other", "stashed"]))
    pair.here.git("stash", "-q")
    pair.here.commit(changed(tokens=written(open=["mine", "other", "since"])))
    pair.here.git("stash", "pop", "-q")
    assert parse(pair.here.library[TOKENS]).items[OPEN] == ("mine", "other", "since", "stashed")


def test_a_merge_of_merges_that_cross_each_other(pair: Pair) -> None:
    """Both pull each other's version, go on, and pull again: git has two merge bases then, and asks the driver for one."""
    mine, other = written(open=["mine"]), written(answer=OLDER, open=["other"])
    pair.diverge(changed(tokens=mine), changed(tokens=other))
    pair.here.git("branch", "-q", "mine")
    pair.here.git("pull", "-q", "origin", "main")
    pair.there.git("pull", "-q", str(pair.here.folder), "mine")
    joined = merge(OLD, mine, other)
    assert pair.here.library[TOKENS] == pair.there.library[TOKENS] == joined
    pair.here.commit(changed(tokens=written(answer=OLDER, open=["other", "since"])))
    pair.there.commit(changed(tokens=written(answer=NEWER, open=["mine", "other"])))
    bases = pair.here.git("fetch", "-q", str(pair.there.folder), "HEAD") or pair.here.git("merge-base", "--all", "HEAD", "FETCH_HEAD")
    assert len(bases.split()) == 2
    pair.here.git("pull", "-q", str(pair.there.folder), "HEAD")
    read = {b"mine": mine, b"other": other, b"old": OLD}.get
    base = fold([b"mine", b"other"], read, lambda *_: [b"old"], resolve, None)
    expected = written(answer=NEWER, open=["other", "since"])
    assert pair.here.library[TOKENS] == expected
    assert merge(base, written(answer=OLDER, open=["other", "since"]), written(answer=NEWER, open=["mine", "other"])) == expected


@pytest.mark.parametrize("python", ["/nowhere/python3", "/bin/false"])
@pytest.mark.parametrize(("here", "there"), named(CLEAN))
def test_without_our_program_git_joins_the_lines_and_a_later_merge_repairs(
    tmp_path: Path, remote: Path, here: Library, there: Library, python: str
) -> None:
    pair = Pair(Machine(tmp_path / "here", remote, python), Machine(tmp_path / "there", remote, python))
    pair.diverge(here, there)
    said = pair.here.git("pull", "origin", "main")
    assert "CONFLICT" not in said
    for path, merged in resolve_tree(BEFORE, here, there).items():
        joined = pair.here.library[path]
        assert b"<<<<<<<" not in joined
        # An Answer of either side is there, if in another place; so are all items.
        repaired, expected = parse(canonical(joined, topic=topic_of(path))), parse(merged)
        assert set(expected.items[DECIDED]) <= set(repaired.items[DECIDED])
        assert set(expected.items[OPEN]) <= set(repaired.items[OPEN])
        for answer in {expected.answer, *expected.items[SUPERSEDED]}:
            words = answer.partition(": ")[2] if ": " in answer else answer.partition(" (")[0]
            assert words.encode() in canonical(joined, topic=topic_of(path))


def test_nothing_of_the_library_can_take_the_place_of_a_module(pair: Pair) -> None:
    """git runs the driver at the top of the work tree, whose files come from others."""
    pair.diverge(changed(tokens=written(open=["mine"])), changed(tokens=written(open=["other"])))
    for name in ("re.py", "unicodedata.py", "libtool.py"):
        (pair.here.folder / name).write_text("open('hijacked', 'w'); raise SystemExit(0)\n")
    pair.here.git("pull", "-q", "origin", "main")
    assert parse(pair.here.library[TOKENS]).items[OPEN] == ("mine", "other")
    assert not (pair.here.folder / "hijacked").exists()
