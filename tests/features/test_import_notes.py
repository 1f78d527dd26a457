from __future__ import annotations

import datetime as dt
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.domain.schema import ENTRY_LIMIT
from libtool.domain.validate import problems
from libtool.errors import LibraryNotFound, UsageError
from libtool.features import import_notes
from libtool.storage.git import Git
from tests.domain.review.test_note import ADR, HANDOFF, MEMORY, WORKLOG
from tests.features.sync_lab import Lab, Machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from libtool.features.import_notes import Imported

SHARED = Path(__file__).parents[3] / "shared" / "samples" / "notes"


@pytest.fixture
def desk(tmp_path: Path) -> Machine:
    return Lab(tmp_path).machine("desk")


def take(desk: Machine, *paths: str | Path, topic: str = "", dry: bool = False) -> list[Imported]:
    return import_notes.import_notes(desk.config, desk.environ, [str(path) for path in paths], topic=topic, dry=dry)


def told(done: Sequence[Imported]) -> list[tuple[str, str]]:
    return [(one.topic, one.state) for one in done]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "kiln project"
    folder.mkdir()
    for name, text in (("0012-cache.md", ADR), ("HANDOFF.md", HANDOFF), ("kiln (old).md", MEMORY), ("WORKLOG.md", WORKLOG)):
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_notes_become_entries_in_one_commit(desk: Machine, notes: Path) -> None:
    before = desk.head()
    paths = sorted(notes.iterdir())
    assert told(take(desk, *paths, dry=True)) == [
        ("cache-the-timetable", "created"),
        ("handoff-night-import", "created"),
        ("worklog", "created"),
        ("kiln-cache", "created"),
    ]
    assert desk.head() == before
    done = take(desk, *paths)
    assert [one.state for one in done] == ["created"] * 4
    assert [one.left_out for one in done] == [0, 0, 8, 0]
    assert desk.git.line("rev-parse", "HEAD^") == before
    assert desk.git.line("show", "-s", "--format=%s", "HEAD") == "Import 4 notes"
    text = desk.read("entries/cache-the-timetable.md")
    assert "We cache for fifteen minutes. (2026-03-02)" in text
    assert "kiln%20project/0012-cache.md" in text.partition("## Pointers")[2].partition("## Session")[0]
    assert "kiln%20%28old%29.md desk 2026-04-05" in desk.read("entries/kiln-cache.md")
    assert desk.status() == ""


def test_the_same_notes_again_change_nothing_and_an_edited_one_goes_on_in_its_entry(desk: Machine, notes: Path) -> None:
    take(desk, *sorted(notes.iterdir()))
    head = desk.head()
    assert [one.state for one in take(desk, *sorted(notes.iterdir()))] == ["unchanged"] * 4
    assert desk.head() == head
    path = notes / "HANDOFF.md"
    path.write_text(HANDOFF.replace("# Handoff: night import", "# Renamed").replace("1. purge", "1. purge\n2. measure"), encoding="utf-8")
    assert told(take(desk, path)) == [("handoff-night-import", "updated")]
    assert "measure" in desk.read("entries/handoff-night-import.md")


def test_two_notes_of_one_title_are_two_entries(desk: Machine, tmp_path: Path) -> None:
    paths = []
    for name in ("one", "two", "three"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "adr.md").write_text(ADR, encoding="utf-8")
        paths.append(folder / "adr.md")
    assert [one.topic for one in take(desk, *paths)] == ["cache-the-timetable", "two-cache-the-timetable", "three-cache-the-timetable"]
    (tmp_path / "two" / "other.md").write_text(ADR, encoding="utf-8")
    assert take(desk, tmp_path / "two" / "other.md")[0].topic == "cache-the-timetable-2"
    assert told(take(desk, paths[0], topic="given")) == [("given", "created")]
    with pytest.raises(UsageError):
        take(desk, paths[0], topic="Not A Topic")


def test_a_note_in_a_repository_is_pointed_to_there(desk: Machine, notes: Path) -> None:
    git = Git(str(notes), desk.environ)
    git.run("init", "-q")
    git.run("remote", "add", "origin", "https://github.com/acme/kiln.git")
    git.run("add", "HANDOFF.md")
    git.run("commit", "-qm", "x")
    take(desk, notes / "HANDOFF.md", notes / "WORKLOG.md")
    commit = git.line("rev-parse", "HEAD")[:12]
    assert f"acme/kiln@{commit} HANDOFF.md" in desk.read("entries/handoff-night-import.md")
    assert "acme/kiln@" not in desk.read("entries/worklog.md")


def test_what_cannot_be_imported_is_said(desk: Machine, tmp_path: Path) -> None:
    (tmp_path / "empty.md").write_text(" \n")
    (tmp_path / "heads.md").write_text("# Only\n\n## Headings\n")
    (tmp_path / "binary.md").write_bytes(b"a\0b")
    (tmp_path / "large.md").write_bytes(b"x" * (1 << 21))
    done = take(desk, *(tmp_path / name for name in ("none.md", "empty.md", "heads.md", "binary.md", "large.md")), tmp_path)
    assert [one.state for one in done] == ["skipped"] * 6
    assert [one.reason for one in done] == [
        "No such file or directory",
        "no text",
        "nothing in it but headings",
        "no text",
        "larger than 1 MB",
        "no plain file",
    ]
    assert desk.git.line("log", "-1", "--format=%s") == "begin"


def test_what_a_person_has_not_committed_is_left_alone(desk: Machine, notes: Path) -> None:
    desk.write("worklog", "mine\n")
    done = take(desk, notes / "WORKLOG.md")
    assert done[0].state == "skipped"
    assert "not committed" in done[0].reason
    assert desk.read("entries/worklog.md") == "mine\n"


def test_a_login_in_a_note_stays_there(desk: Machine, tmp_path: Path) -> None:
    login = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    (tmp_path / "deploy.md").write_text(f"# Deploy\n\n- token={login}\n")
    take(desk, tmp_path / "deploy.md")
    assert login not in desk.read("entries/deploy.md")
    assert "[REDACTED:" in desk.read("entries/deploy.md")


def test_a_note_too_long_for_an_entry_is_taken_from_its_beginning(desk: Machine, tmp_path: Path) -> None:
    path = tmp_path / "long.md"
    path.write_text("# Long\n\nThe beginning.\n\n## Rules\n\n" + "".join(f"- rule number {at} of very many rules\n" for at in range(2000)))
    done = take(desk, path)
    data = (desk.top / "entries" / "long.md").read_bytes()
    assert len(data) <= ENTRY_LIMIT
    assert done[0].left_out > 1000
    assert b"rule number 0 " in data
    assert f"{done[0].left_out} more passages stand in the note".encode() in data
    assert take(desk, path)[0].state == "unchanged"
    (tmp_path / "line.md").write_text("# Line\n\n" + "word " * 50_000)
    assert take(desk, tmp_path / "line.md")[0].state == "created"


def test_an_entry_that_would_be_wrong_is_not_written(desk: Machine, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_notes, "mend", lambda *_, **__: b"# Wrong\n")
    done = take(desk, notes / "HANDOFF.md")
    assert done[0].state == "skipped"
    assert done[0].reason.startswith("E2")


def test_without_a_library_it_says_so(tmp_path: Path, notes: Path) -> None:
    (tmp_path / "bare").mkdir()
    with pytest.raises(LibraryNotFound):
        take(Machine(tmp_path, "bare", Lab(tmp_path).environ), notes / "HANDOFF.md")


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.exists(), reason="sample data is not part of the repository")
def test_real_notes_become_right_entries(desk: Machine) -> None:
    paths = sorted(str(path) for path in SHARED.glob("*/*") if path.is_file())
    done = take(desk, *paths)
    assert {one.state for one in done} == {"created"}
    for one in done:
        data = (desk.top / "entries" / f"{one.topic}.md").read_bytes()
        found = problems(data, one.topic, topics=None, today=dt.datetime.now().astimezone().date())
        assert [problem for problem in found if not problem.is_warning] == []
    assert len(os.listdir(desk.top / "entries")) == len(paths)


@pytest.mark.parametrize("form", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_a_note_may_be_written_in_an_old_form(desk: Machine, tmp_path: Path, form: str) -> None:
    path = tmp_path / "note.md"
    path.write_bytes("# Ofen\r\n\r\n## Decision\r\nDie Glasur kühlt über Nacht.\r\n".encode(form))
    assert told(take(desk, path)) == [("ofen", "created")]
    assert "Die Glasur kühlt über Nacht. (" in desk.read("entries/ofen.md")


@pytest.mark.parametrize("data", [b"", b" \n", b"a\0b", b"\x90\x9d" * 9, "\ufeff".encode()])
def test_what_is_no_text_is_skipped(desk: Machine, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "note.md"
    path.write_bytes(data)
    assert [(one.state, one.reason) for one in take(desk, path)] == [("skipped", "no text")]


@pytest.mark.parametrize("day", ["2024-02-30", "2999-01-01", "0000-00-00"])
def test_a_day_that_is_none_is_that_of_the_file(desk: Machine, tmp_path: Path, day: str) -> None:
    path = tmp_path / "note.md"
    path.write_text(f"# Kiln\n\nDate: {day}\n\n## Decision\nUse SQLite.\n", encoding="utf-8")
    os.utime(path, (1_700_000_000, 1_700_000_000))
    assert told(take(desk, path)) == [("kiln", "created")]
    assert "Use SQLite. (2023-11-14)" in desk.read("entries/kiln.md")
