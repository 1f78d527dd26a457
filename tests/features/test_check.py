from __future__ import annotations

import os
import socket
import subprocess
from datetime import date
from typing import TYPE_CHECKING

import pytest

from libtool.config import Config, load
from libtool.domain.codes import CODES, EXAMPLE
from libtool.domain.schema import READ_LIMIT
from libtool.errors import LibraryNotFound, UsageError
from libtool.features.check import Checked, check

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TODAY = date(2026, 11, 30)
LOGIN = "password: Tiger" + "4821x"


@pytest.fixture
def config(home: Path) -> Config:
    (home / "library" / "entries").mkdir(parents=True)
    return load({}, str(home)).replace(library=str(home / "library"))


@pytest.fixture
def entries(config: Config, home: Path) -> Path:
    assert config.library
    return home / "library" / "entries"


def run(config: Config, *paths: object, fix: bool = False) -> list[Checked]:
    return check(config, {"PATH": os.environ["PATH"]}, [str(path) for path in paths], today=TODAY, fix=fix)  # noqa: TID251


def codes(checked: list[Checked]) -> dict[str, list[str]]:
    return {os.path.basename(one.path): [problem.code for problem in one.problems] for one in checked}


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words], cwd=folder, check=True, capture_output=True)


def test_an_entry_is_named_by_its_topic_too(config: Config, entries: Path) -> None:
    (entries / "kiln.md").write_text(EXAMPLE)
    assert codes(run(config, "kiln")) == {"kiln.md": []}
    with pytest.raises(UsageError, match="no such file: kil"):
        run(config, "kil")
    with pytest.raises(UsageError, match="no such file: kiln"):
        run(config.replace(library="/nowhere"), "kiln")


MAKERS: dict[str, Callable[[Path], object]] = {
    "E101": lambda folder: (folder / "Staging Tokens.md").write_text(EXAMPLE),
    "E102": lambda folder: (folder / "linked.md").symlink_to("/etc/passwd"),
    "E103": lambda folder: (folder / "one.md").write_bytes(EXAMPLE.encode("utf-16")),
    "E104": lambda folder: (folder / "one.md").write_bytes(b"x" * (READ_LIMIT + 1)),
}


@pytest.mark.parametrize("name", [name for name, code in CODES.items() if not code.old and name != "E105"])
def test_files_that_are_no_entries(config: Config, entries: Path, name: str) -> None:
    MAKERS[name](entries)
    assert list(codes(run(config)).values()) == [[name]]


def test_other_files_that_are_no_entries(config: Config, entries: Path) -> None:
    (entries / "drafts").mkdir()
    (entries / "notes.txt").write_text("x")
    os.mkfifo(entries / "pipe.md")
    (entries / "image.md").write_bytes(b"\x89PNG\r\n\xff\xfe")
    (entries / ".gitkeep").write_text("")
    (entries / ".one.md.1.a.lib-tmp").write_text("")
    assert codes(run(config)) == {"drafts": ["E102"], "image.md": ["E103"], "notes.txt": ["E101"], "pipe.md": ["E102"]}
    before = (entries / "image.md").read_bytes()
    assert [one.mended for one in run(config, fix=True)] == [False] * 4
    assert (entries / "image.md").read_bytes() == before


def test_what_cannot_be_read_is_said(config: Config, entries: Path) -> None:
    gone = entries / "gone.md"
    gone.write_text(EXAMPLE)
    os.unlink(gone)
    with pytest.raises(UsageError, match="no such file"):
        run(config, gone)
    (entries / "socket.md").write_text("")
    os.unlink(entries / "socket.md")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.getcwd()
        os.chdir(entries)
        try:
            server.bind("socket.md")
        finally:
            os.chdir(here)
        assert codes(run(config)) == {"socket.md": ["E105"]}


def test_without_a_library(home: Path) -> None:
    with pytest.raises(LibraryNotFound, match="there is no library in"):
        run(load({}, str(home)).replace(library=str(home / "none")))


def test_links_logins_and_all_problems_of_a_file(config: Config, entries: Path) -> None:
    text = EXAMPLE.replace("- acme/api@9f3c2d1 deploy", "- [[other]]\n- [[gone]]\n- acme/api deploy")
    text = text.replace("None.", f"- the proxy. {LOGIN}")
    (entries / "one.md").write_text(text)
    (entries / "other.md").write_text(EXAMPLE)
    found = run(config)
    assert codes(found)["one.md"] == ["E701", "E407", "E502", "E501"]
    assert codes(found)["other.md"] == []
    assert all(LOGIN[10:] not in problem.message for one in found for problem in one.problems)


def test_paths_name_files_folders_and_libraries_once(config: Config, entries: Path, tmp_path: Path) -> None:
    (entries / "one.md").write_text(EXAMPLE)
    (entries / "two.md").write_text("x")
    elsewhere = tmp_path / "three.md"
    elsewhere.write_text(EXAMPLE)
    assert list(codes(run(config, entries / "one.md", entries, config.library, elsewhere))) == ["one.md", "two.md", "three.md"]


def test_mending_writes_what_differs_and_nothing_else(config: Config, entries: Path) -> None:
    (entries / "right.md").write_text(EXAMPLE)
    os.utime(entries / "right.md", (1, 1))
    (entries / "wide.md").write_bytes(EXAMPLE.encode("utf-16"))
    (entries / "wrong.md").write_text(EXAMPLE.replace("## Blocker\n\nNone.\n\n", "").replace("- acme", "* acme"))
    assert [(os.path.basename(one.path), one.mended, one.problems) for one in run(config, fix=True)] == [
        ("right.md", False, []),
        ("wide.md", True, []),
        ("wrong.md", True, []),
    ]
    assert (entries / "right.md").stat().st_mtime == 1
    assert {(entries / name).read_text() for name in ("right.md", "wide.md", "wrong.md")} == {EXAMPLE}


def test_a_replaced_answer_is_kept(config: Config, entries: Path) -> None:
    (entries / "one.md").write_text(EXAMPLE)
    (entries / "same.md").write_text(EXAMPLE)
    git(entries, "init", "-q", "..")
    git(entries, "add", ".")
    git(entries, "commit", "-qm", "x")
    new = EXAMPLE.replace("Use the vault sidecar; tokens rotate every 24 h.", "Use the broker.")
    (entries / "one.md").write_text(new)
    (entries / "new.md").write_text(new)
    run(config, fix=True)
    mended = (entries / "one.md").read_text()
    assert "Use the broker. (2026-11-30)\n" in mended
    assert "- 2026-09-12: rotate by hand every Monday. (codex:0199a8f2#7)\n- 2026-10-03: Use the vault sidecar; tokens rotate" in mended
    assert (entries / "same.md").read_text() == EXAMPLE
    assert (entries / "new.md").read_text() == new
    run(config, fix=True)
    assert (entries / "one.md").read_text() == mended


def test_without_git_or_a_commit_nothing_was_replaced(config: Config, entries: Path) -> None:
    (entries / "one.md").write_text(EXAMPLE.replace(" (2026-10-03)\n", "\n"))
    git(entries, "init", "-q", "..")
    assert check(config, {"PATH": "/nowhere"}, today=TODAY, fix=True)[0].problems == []
    assert "24 h. (2026-11-30)\n" in (entries / "one.md").read_text()
    (entries / "one.md").write_text("x")
    assert run(config, fix=True)[0].mended


def test_a_library_without_entries_is_right(config: Config, entries: Path) -> None:
    entries.rmdir()
    with pytest.raises(LibraryNotFound):
        run(config)
    (entries.parent / ".lib-library").write_text("1\n")
    assert run(config) == []
