from __future__ import annotations

import os
import runpy
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.domain import merge
from libtool.domain.index_md import build
from libtool.domain.schema import READ_LIMIT
from libtool.hooks.merge_driver import main
from tests.domain.merge_cases import written

if TYPE_CHECKING:
    from pathlib import Path

BASE, OURS, THEIRS = written(), written(open=["a"]), written(open=["b"])
PATH = "entries/tokens.md"


class Files:
    """The three files that git hands to a driver."""

    def __init__(self, folder: Path) -> None:
        self.paths = [folder / name for name in (".merge_file_O", ".merge_file_A", ".merge_file_B")]

    def arguments(self, base: bytes, ours: bytes, theirs: bytes, path: str = PATH) -> list[str]:
        for file, content in zip(self.paths, (base, ours, theirs), strict=True):
            file.write_bytes(content)
        return [*map(str, self.paths), path]

    @property
    def result(self) -> bytes:
        return self.paths[1].read_bytes()


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_the_merged_entry_is_in_the_second_file_and_nothing_else_is_left(files: Files, tmp_path: Path) -> None:
    arguments = files.arguments(BASE, OURS, THEIRS)
    os.chmod(arguments[1], 0o640)
    assert main(arguments) == 0
    assert files.result == written(open=["a", "b"])
    assert stat.S_IMODE(os.stat(arguments[1]).st_mode) == 0o640
    assert len(list(tmp_path.iterdir())) == 3


def test_an_empty_base_is_none(files: Files) -> None:
    assert main(files.arguments(b"", OURS, THEIRS)) == 0
    assert files.result == written(open=["a", "b"])


def test_a_missing_heading_is_made_of_the_topic_in_the_path(files: Files) -> None:
    assert main(files.arguments(b"", b"one\n", b"two\n")) == 0
    assert files.result == merge.merge(None, b"one\n", b"two\n", topic="tokens")


@pytest.mark.parametrize("path", ["README.md", "entries/deep/er.md", "entries/tokens.txt", "machines/laptop.json"])
def test_what_has_no_sections_is_left_to_the_fallback(files: Files, path: str) -> None:
    assert main(files.arguments(BASE, OURS, THEIRS, path)) == 1
    assert files.result == OURS


def test_a_file_too_large_for_an_entry_is_left_to_the_fallback(files: Files) -> None:
    assert main(files.arguments(BASE, OURS, b"x" * (READ_LIMIT + 1))) == 1
    assert files.result == OURS


@pytest.mark.parametrize("count", [0, 3, 5])
def test_the_wrong_number_of_arguments_is_left_to_the_fallback(files: Files, count: int) -> None:
    assert main([*files.arguments(BASE, OURS, THEIRS), "more"][:count]) == 1
    assert count == 0 or files.result == OURS


def test_a_bug_is_left_to_the_fallback(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> bytes:
        raise RecursionError

    monkeypatch.setattr(merge, "merge", broken)
    assert main(files.arguments(BASE, OURS, THEIRS)) == 1
    assert files.result == OURS


def line(topic: str, words: str) -> str:
    return f"- [{topic}](entries/{topic}.md): {words}"


def index(**lines: str) -> bytes:
    return build({topic: line(topic, words) for topic, words in lines.items()})


def test_index_md_is_merged_by_its_lines(files: Files) -> None:
    base = index(both="old", edited="old", gone="old", kept="old", mine="old")
    ours = index(both="ours", edited="new", gone="old", kept="old", mine="new", new="same")
    theirs = index(both="theirs", kept="old", mine="old", new="same", other="new")
    expected = index(both="theirs", edited="new", kept="old", mine="new", new="same", other="new")
    for sides in ((ours, theirs), (theirs, ours)):
        assert main(files.arguments(base, *sides, "INDEX.md")) == 0
        assert files.result == expected


def test_index_md_without_a_base(files: Files) -> None:
    assert main(files.arguments(b"", index(a="x", b="1"), index(b="2", c="y"), "INDEX.md")) == 0
    assert files.result == index(a="x", b="2", c="y")


@pytest.mark.parametrize("odd", range(3))
def test_an_index_md_that_a_person_wrote_is_left_to_the_fallback(files: Files, odd: int) -> None:
    versions = [index(a="x"), index(a="y"), index(a="z")]
    versions[odd] = b"my own list\n"
    assert main(files.arguments(versions[0], versions[1], versions[2], "INDEX.md")) == 1
    assert files.result == versions[1]


def test_as_a_module_it_takes_the_words_of_the_command_line(files: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["merge_driver", *files.arguments(BASE, OURS, THEIRS)])
    monkeypatch.delitem(sys.modules, "libtool.hooks.merge_driver")
    with pytest.raises(SystemExit) as ended:
        runpy.run_module("libtool.hooks.merge_driver", run_name="__main__")
    assert ended.value.code == 0
    assert files.result == written(open=["a", "b"])
