from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.domain.pointers import CodePlace
from libtool.features import code_places
from libtool.features.code_places import CodePlaces
from tests.features.code import Code, environ

if TYPE_CHECKING:
    from pathlib import Path

LINES = "one\ntwo\nthree\nfour\nfive\n"


@pytest.fixture
def code(tmp_path: Path) -> Code:
    return Code(tmp_path / "api")


def look(code: Code, commit: str, path: str, first: int = 0, last: int = 0) -> tuple[str, str]:
    (found,) = CodePlaces(code.checkout(), environ()).look([CodePlace("api", commit, path, first, last)])
    return found


def test_the_same_moved_changed_and_gone_lines(code: Code) -> None:
    old = code.commit("Begin", a__py=LINES)
    assert look(code, old[:7], "a.py", 2, 3) == ("same", "")
    code.commit("Append", a__py=LINES + "six\n")
    assert look(code, old, "a.py", 2, 3) == ("same", "")
    code.commit("Prepend", a__py="zero\n" + LINES)
    assert look(code, old, "a.py", 2, 3) == ("moved", "now #L3-L4")
    assert look(code, old, "a.py", 5, 5) == ("moved", "now #L6")
    code.commit("Change", a__py=LINES.replace("three", "3"))
    assert look(code, old, "a.py", 2, 3) == ("changed", "")
    code.git("rm", "-q", "a.py")
    code.commit("Drop")
    assert look(code, old, "a.py", 2, 3) == ("gone", "")


def test_lines_that_never_were_are_not_the_same(code: Code) -> None:
    old = code.commit("Begin", a__py=LINES, empty__py="")
    for first, last in ((6, 6), (9, 9), (4, 6)):
        assert look(code, old, "a.py", first, last) == ("unknown", "the file had no such lines at that commit")
    assert look(code, old, "empty.py", 1, 1) == ("unknown", "the file had no such lines at that commit")
    assert look(code, old, "a.py", 5, 5) == ("same", "")


def test_a_file_that_was_renamed_and_changed(code: Code) -> None:
    code.write("a\nb.py", LINES)
    old = code.commit("Begin", a__py=LINES * 3, b__py="other\n")
    code.git("mv", "a.py", "z.py")
    code.commit("Rename", z__py="zero\n" + LINES * 2 + "end\n")
    assert look(code, old, "a.py") == ("changed", "now z.py")
    assert look(code, old, "a.py", 2, 3) == ("moved", "now z.py#L3-L4")
    assert look(code, old, "a.py", 4, 12) == ("changed", "now z.py")
    both = [CodePlace("api", old, "a.py", 0, 0), CodePlace("api", old, "a.py", 2, 3)]
    assert [one.detail for one in CodePlaces(code.checkout(), environ()).look(both)] == ["now z.py", "now z.py#L3-L4"]
    code.git("rm", "-q", "z.py")
    code.commit("Drop")
    assert look(code, old, "a.py") == ("gone", "")
    assert look(code, old, "a.py", 2, 3) == ("gone", "")


def test_the_nearest_of_many_is_meant(code: Code) -> None:
    old = code.commit("Begin", a__py="x\n" * 3 + LINES)
    code.commit("More", a__py=LINES * 4)
    assert look(code, old, "a.py", 4, 5) == ("moved", "now #L6-L7")


def test_line_ends_do_not_matter(code: Code) -> None:
    old = code.commit("Begin", a__py=LINES)
    code.commit("Dos", a__py=LINES.replace("\n", "\r\n"))
    assert look(code, old, "a.py", 2, 3) == ("same", "")


def test_a_file_that_was_moved(code: Code) -> None:
    old = code.commit("Begin", **{"src/a.py": LINES, "b.py": LINES + "x\n"})
    code.git("mv", "src/a.py", "c.py")
    (code.folder / "lib").mkdir()
    code.git("mv", "b.py", "lib/b.py")
    code.commit("Move", **{"lib/b.py": "zero\n" + LINES, "an/b.py": "nothing\n"})
    assert look(code, old, "src/a.py") == ("moved", "now c.py")
    assert look(code, old, "b.py", 1, 2) == ("moved", "now lib/b.py#L2-L3")
    assert look(code, old, "src/a.py", 1, 2) == ("moved", "now c.py#L1-L2")
    assert look(code, old, "src") == ("gone", "")


def test_whole_files_and_folders(code: Code) -> None:
    old = code.commit("Begin", **{"src/a.py": LINES, "b.py": "b"})
    assert (look(code, old, "src"), look(code, old, "b.py")) == (("same", ""), ("same", ""))
    code.commit("Change", **{"src/a.py": "", "b.py": "c"})
    assert (look(code, old, "src"), look(code, old, "b.py")) == (("changed", ""), ("changed", ""))
    code.git("rm", "-q", "b.py")
    code.commit("Drop")
    assert look(code, old, "b.py") == ("gone", "")


def test_what_cannot_be_known(code: Code) -> None:
    old = code.commit("Begin", a__py=LINES)
    code.commit("Change", a__py="")
    assert look(code, "1234567", "a.py") == ("unknown", "commit 1234567 is not in this clone")
    assert look(code, old, "zebra.py") == ("unknown", "there was no such path at that commit")
    assert look(code, old, "a.py", 90, 91) == ("unknown", "the file had no such lines at that commit")


@pytest.mark.parametrize("path", ["a.py missing", "x\ty", "../a.py", "./a.py", "/a.py", ":a.py", "--batch", "ä.py", "a\udcff.py", "blob"])
def test_hostile_paths_do_not_shift_the_answers(code: Code, path: str) -> None:
    old = code.commit("Begin", a__py=LINES)
    wanted = [CodePlace("api", old, path, 0, 0), CodePlace("api", old, "a.py", 0, 0)]
    assert [one.state for one in CodePlaces(code.checkout(), environ()).look(wanted)] == ["unknown", "same"]
    assert CodePlaces(code.checkout(), environ()).look([]) == []


def test_without_git_output_nothing_is_known(code: Code) -> None:
    old = code.commit("Begin", a__py=LINES)
    place = code.checkout()
    (code.folder / ".git" / "HEAD").unlink()
    (found,) = CodePlaces(place, environ()).look([CodePlace("api", old, "a.py", 0, 0)])
    assert found.state == code_places.UNKNOWN
