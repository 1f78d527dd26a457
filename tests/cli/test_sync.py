from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest

from libtool.cli.commands.sync import lines
from libtool.errors import Locked
from libtool.features import review
from libtool.features.sync_report import SyncReport
from tests.features.sync_lab import Lab

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program
    from tests.features.sync_lab import Machine

SESSION = "claude-code:3f2a9c1e-7b1d-4c55-9d0e-2f6f0d1c9a77"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    made = Lab(tmp_path).machine("desk")
    monkeypatch.setenv("LIB_LIBRARY", made.config.library)
    monkeypatch.setenv("LIB_DATA_DIR", made.config.data_dir)
    return made


def test_the_document_has_everything_by_name(desk: Machine, lib: Program) -> None:
    desk.put("cache")
    told = lib.json("sync")
    assert (told["remote"], told["branch"], told["after"], told["topics"]) == ("origin/main", "main", desk.head(), [])
    assert told["sent"] >= 2
    again = lib.json("sync")
    assert (again["sent"], again["before"], sorted(again)) == (0, desk.head(), sorted(told))


def test_notes_go_to_stderr(desk: Machine, lib: Program, tmp_path: Path) -> None:
    lab = Lab(tmp_path)
    lap = lab.machine("lap")
    for machine in (desk, lap):
        (machine.top / "README.md").write_text(machine.config.machine + "\n")
        machine.commit()
    lap.sync()
    code, out, err = lib("sync")
    assert code == 0
    assert out.startswith("origin/main: ")
    assert err.startswith("lib: README.md: changed on both sides")


def test_what_a_person_reads() -> None:
    report = SyncReport("main", "origin/main", "a", "b")
    report.received, report.merged, report.sent, report.pending = 1, True, 2, 3
    report.topics = tuple(f"topic-{number}" for number in range(7))
    assert list(lines(report)) == [
        "origin/main: 1 commit received, merged, 2 commits sent, 3 commits not sent",
        "entries changed here: topic-0, topic-1, topic-2, topic-3, topic-4 and 2 more",
    ]
    assert list(lines(SyncReport("main", "origin/main", "a", "b"))) == ["origin/main: up to date"]


@pytest.mark.usefixtures("desk")
def test_with_nothing_to_do_the_switches_count_too(lib: Program) -> None:
    lib("sync")
    assert lib("sync") == (0, "origin/main: nothing new on either side\n", "")
    assert lib("sync", "--quiet") == (0, "", "")
    assert lib("sync", "--no-push", "--json")[1] == lib("sync", "--json")[1]
    # What argparse explains, or refuses.
    assert lib("sync", "--odd")[0] == 2
    assert "--no-push" in lib("sync", "-h")[1]


def test_what_waits_for_the_library_goes_out_with_a_sync(desk: Machine, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    lib("sync")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"# Kiln\n\n## Answer\nFifteen minutes.\n")))
    desk.git.run("checkout", "-q", "--detach")
    assert "waits" in lib("capture", "--session", SESSION, "--review", "-")[1]
    (told,) = lib.json("status")["waiting"]
    assert (told["session"], told["topic"]) == (SESSION, "")
    assert told["reason"]
    assert f"  {SESSION}: {told['reason']}" in lib("status")[1].splitlines()
    desk.git.run("checkout", "-q", "main")
    (desk.top / "note.txt").write_text("another commit, so that there is something to do\n")
    desk.commit()
    assert lib("sync")[0] == 0
    assert lib.json("status")["waiting"] == []
    assert desk.git.line("ls-tree", "--name-only", "origin/main", "entries/") == "entries/kiln.md"


def test_a_capture_that_cannot_be_tried_again_does_not_hold_up_a_sync(desk: Machine, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.put("cache")

    def held(*_: object) -> None:
        raise Locked("another lib is at work")

    monkeypatch.setattr(review, "retry", held)
    code, _, err = lib("sync")
    assert (code, err) == (0, "lib: another lib is at work; synced without the captures that wait\n")
    assert desk.head() == desk.git.line("rev-parse", "origin/main")
