from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from libtool.features.absent import history
from libtool.storage.git_read import Reader, checkout
from tests.features.code import Code, environ

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.features.absent.history import History


@pytest.fixture
def code(tmp_path: Path) -> Code:
    return Code(tmp_path / "api")


def search(code: Code, name: str, seconds: float = 60.0) -> History:
    return history.search(code.reader(), [name], seconds)


def test_the_commit_that_took_it_away_is_named(code: Code) -> None:
    first = code.commit("Begin", jobs__py="def tokenCron(): pass\n", other__py="x")
    second = code.commit("More", more__py="y")
    third = code.commit("Drop \x01 the cron, \x02 really", jobs__py="pass\n")
    code.commit("Later", more__py="z")
    found = search(code, "token_crons")
    assert found.trace is not None
    assert found.trace[:6] == (third, "2026-02-03", "Drop \x01 the cron, \x02 really", "jobs.py", second, False)
    assert (found.searched, found.commits, found.back_to, found.complete) == (2, 4, "2026-02-03", True)
    assert first


def test_what_was_never_there_was_looked_for_everywhere(code: Code) -> None:
    code.commit("Begin", a__py="a")
    code.commit("Nothing at all")
    found = search(code, "zebra")
    assert (found.trace, found.searched, found.commits, found.back_to, found.complete) == (None, 2, 2, "2026-02-01", True)


def test_names_of_files_cannot_pass_for_commits(code: Code) -> None:
    first = code.commit("Begin", a__py="parcel_size\n")
    code.write(f"{first} 2026-01-01 x.py", "parcel_size\n")
    code.write("\n\nodd.py", "parcel_size\n")
    code.commit("Odd")
    for name in (f"{first} 2026-01-01 x.py", "\n\nodd.py", "a.py"):
        code.write(name, "")
    last = code.commit("Gone")
    found = search(code, "parcel size")
    assert found.trace is not None
    assert (found.trace.commit, found.trace.path, found.searched) == (last, "\n\nodd.py", 1)


def test_a_renamed_and_then_deleted_file(code: Code) -> None:
    code.commit("Begin", a__py="parcel_size\n" * 9)
    code.git("mv", "a.py", "b.py")
    moved = code.commit("Move")
    code.git("rm", "-q", "b.py")
    gone = code.commit("Drop")
    found = search(code, "parcel size")
    assert found.trace is not None
    assert (found.trace.commit, found.trace.path, found.trace.last) == (gone, "b.py", moved)


def test_what_a_merge_took_away_is_last_seen_in_the_commit_that_has_it(code: Code) -> None:
    code.commit("Begin", a__py="1\n")
    code.git("switch", "-q", "-c", "side")
    side = code.commit("Side", b__py="parcel_size\n")
    code.git("switch", "-q", "main")
    code.commit("Main", c__py="2\n")
    code.git("merge", "-q", "--no-ff", "--no-commit", "side")
    code.git("rm", "-q", "-f", "b.py")
    code.commit("Merge without it")
    found = search(code, "parcel size")
    assert found.trace is not None
    assert (found.trace.commit, found.trace.last) == (side, side)


def test_what_head_still_has_where_nobody_searched_is_told(code: Code) -> None:
    os.symlink("../parcel_size", code.folder / "link")
    code.commit("Link")
    code.commit("Later", a__py="1\n")
    found = search(code, "parcel size")
    assert found.trace is not None
    assert (found.trace.path, found.trace.still) == ("link", True)
    os.unlink(code.folder / "link")
    code.commit("Drop")
    found = search(code, "parcel size")
    assert found.trace is not None
    assert not found.trace.still


def test_a_longer_word_is_told_as_such(code: Code) -> None:
    code.commit("Begin", a__py="concatenate\n")
    code.commit("Drop", a__py="join\n")
    found = search(code, "cat")
    assert found.trace is not None
    assert found.trace.inside


def test_a_repository_that_began_with_a_word_in_what_is_now_gone(code: Code) -> None:
    code.commit("Begin", **{"a.py": b"\0\1parcel_size\0"})
    code.commit("Drop", **{"a.py": b"\0"})
    found = search(code, "parcel size")
    assert found.trace is not None
    assert not found.trace.inside


def test_no_time_no_commit_no_history(code: Code) -> None:
    assert search(code, "x").commits == 0
    code.commit("Begin", a__py="x")
    assert search(code, "x", 0.0).commits == 0


def test_a_bound_of_time_is_kept_and_told(code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(4):
        code.commit(f"Number {number}", a__py=str(number))
    reader = code.reader()
    whole = reader.run

    def cut(*args: str, **more: object) -> object:
        said = whole(*args, **more)  # type: ignore[arg-type]
        return said._replace(out=said.out[: len(said.out) // 2], late=True) if args[0] == "diff-tree" else said

    monkeypatch.setattr(reader, "run", cut)
    found = history.search(reader, ["zebra"], 9.0)
    assert (found.searched, found.commits, found.complete) == (2, 4, False)


def test_a_shallow_clone_ends_where_it_ends(code: Code, tmp_path: Path) -> None:
    code.commit("Begin", a__py="parcel_size\n")
    code.commit("Drop", a__py="\n")
    code.commit("Later", b__py="\n")
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{code.folder}", str(tmp_path / "shallow")], check=True)
    place = checkout(str(tmp_path / "shallow"), environ())
    found = history.search(Reader(place, environ()), ["parcel_size"], 9.0)
    assert (place.shallow, found.trace, found.commits) == (True, None, 1)
