from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

import pytest

from libtool.domain.schema import READ_LIMIT
from libtool.errors import LibError, LibraryNotFound
from libtool.storage import library

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    for name in ("entries", "machines"):
        (tmp_path / name).mkdir()
    for name in ("entries/kiln.md", "entries/a-2.md", "machines/desk.json"):
        (tmp_path / name).write_text(name)
    return tmp_path


def test_entries_and_records_are_listed(shelf: Path) -> None:
    assert library.topics(str(shelf)) == ["a-2", "kiln"]
    found, whole = library.listing(str(shelf))
    assert (sorted(found), whole) == (["entries/a-2.md", "entries/kiln.md", "machines/desk.json"], True)
    assert library.read(str(shelf), "kiln") == b"entries/kiln.md"
    assert library.content(str(shelf), "machines/desk.json") == b"machines/desk.json"


@pytest.mark.parametrize(
    "name", ["-a.md", "a-.md", "a--b.md", "A.md", "a_b.md", "é.md", ".md", "a.txt", f"{'a' * 81}.md", ".a.md", "a.md~"]
)
def test_a_name_that_no_topic_has_is_left_out(shelf: Path, name: str) -> None:
    (shelf / "entries" / name).write_text("x")
    assert library.topics(str(shelf)) == ["a-2", "kiln"]


@pytest.mark.parametrize("name", [".desk.json", "a b.json", ".json", f"{'a' * 81}.json", "desk.txt", "é.json"])
def test_a_name_that_no_machine_has_is_left_out(shelf: Path, name: str) -> None:
    (shelf / "machines" / name).write_text("{}")
    assert len(library.listing(str(shelf))[0]) == 3


def test_no_link_is_followed(shelf: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.md").write_text("secret")
    (shelf / "entries" / "secret.md").symlink_to(outside / "secret.md")
    assert "secret" not in library.topics(str(shelf))
    with pytest.raises(LibError, match="no such entry: secret"):
        library.read(str(shelf), "secret")
    (shelf / "link").mkdir()
    (shelf / "link" / "entries").symlink_to(outside)
    assert not library.is_library(str(shelf / "link"))
    assert library.listing(str(shelf / "link")) == ({}, True)


@pytest.mark.parametrize("topic", ["../kiln", "nothing", "", "kiln.md", "/etc/passwd", "x" * 200])
def test_what_is_no_entry_cannot_be_read(shelf: Path, topic: str) -> None:
    with pytest.raises(LibError, match="no such entry") as caught:
        library.read(str(shelf), topic)
    assert caught.value.exit_code == 1


def test_a_folder_and_a_pipe_are_no_entries(shelf: Path) -> None:
    (shelf / "entries" / "folder.md").mkdir()
    os.mkfifo(shelf / "entries" / "pipe.md")
    assert library.topics(str(shelf)) == ["a-2", "kiln"]
    assert library.content(str(shelf), "entries/pipe.md") is None
    assert library.content(str(shelf), "entries/folder.md") is None


def test_an_entry_is_read_up_to_a_bound(shelf: Path) -> None:
    (shelf / "entries" / "long.md").write_bytes(b"x" * (READ_LIMIT + 5))
    assert len(library.read(str(shelf), "long")) == READ_LIMIT


def test_where_there_is_no_library_it_says_so(tmp_path: Path) -> None:
    for ask in (lambda: library.topics(str(tmp_path)), lambda: library.read(str(tmp_path), "kiln")):
        with pytest.raises(LibraryNotFound, match="there is no library in"):
            ask()


def test_a_stamp_moves_with_the_file_also_when_its_time_is_put_back(shelf: Path) -> None:
    path = shelf / "entries" / "kiln.md"
    before = library.listing(str(shelf))[0]["entries/kiln.md"][0]
    status = path.stat()
    path.write_text("entries/KILN.md")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    while library.listing(str(shelf))[0]["entries/kiln.md"][0] == before:
        # Within one tick of the kernel's clock.
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_mtime_ns == status.st_mtime_ns


def test_a_folder_that_cannot_be_listed_is_empty(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refused)
    assert library.listing(str(shelf)) == ({}, True)


def test_a_file_that_goes_while_it_is_listed_is_left_out(shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Row:
        name = "kiln.md"

        def stat(self, *, follow_symlinks: bool) -> Any:
            assert follow_symlinks is False
            raise FileNotFoundError(2, "No such file")

    monkeypatch.setattr(os, "scandir", lambda _: contextlib.nullcontext([Row()]))
    assert library.listing(str(shelf)) == ({}, True)


def test_a_library_that_takes_too_long_is_listed_in_part(shelf: Path) -> None:
    for number in range(300):
        (shelf / "entries" / f"lot{number}.md").write_text("x")
    found, whole = library.listing(str(shelf), -1.0)
    assert (len(found) < 302, whole) == (True, False)
    assert library.listing(str(shelf), 60.0)[1]
