"""No transcript vanishes without a word: content that nobody knows, places that cannot be looked at, files that go while we read."""

from __future__ import annotations

import json
import os
import sqlite3
from typing import TYPE_CHECKING

import pytest

from libtool.features import index
from libtool.features.reading import NOT_RECOGNISED
from libtool.features.status import status
from tests.features.machine import OTHER, SID, Machine, rows
from tests.features.test_index_damage import run_bound

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program

TURNS = [("How hot does the celadon get?", "Cone ten.")]
TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2"
INDEX = "import sys; from libtool.cli.main import main; sys.exit(main(['index']))"


def problems(machine: Machine) -> list[tuple[str, str]]:
    return list(status(machine.config, machine.environ).unreadable)


@pytest.mark.parametrize(
    "data",
    [
        b"no transcript\n",
        b"\x00" * 3000,
        b'{"weather":"rain"}\n' * 9,
        b"\x1f\x8b\x08\x00" + bytes(range(256)),
        rows(SID, TURNS).replace("\n", "\r").replace("{", "\n{\n").encode(),
    ],
)
def test_what_nobody_knows_in_an_agents_place_is_told_once(machine: Machine, data: bytes) -> None:
    machine.write(OTHER, TURNS)
    path = machine.projects / f"{SID}.jsonl"
    path.write_bytes(data)
    machine.age(path)
    for fresh, unreadable in ((True, ((str(path), NOT_RECOGNISED),)), (False, ())):
        report = machine.index()
        assert (report.unreadable, report.read) == (unreadable, 2 if fresh else 0)
        assert problems(machine) == [(str(path), NOT_RECOGNISED)]
    machine.append(path, "more\n")
    report = machine.index()
    assert (report.read, report.unreadable) == (1, ())
    path.write_text(rows(SID, TURNS))
    machine.age(path)
    machine.index()
    assert problems(machine) == []
    assert machine.rows("SELECT count(*) FROM session") == [(2,)]


def test_another_version_looks_again(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine.projects / f"{SID}.jsonl").write_text("no transcript\n")
    machine.index()
    monkeypatch.setattr(index, "__version__", "99")
    assert machine.index().read == 1
    assert machine.index().read == 0


def test_what_is_empty_or_no_agents_own_is_not_told(machine: Machine) -> None:
    for name, data in (("a", b""), ("b", b" \n\r\n"), ("c", b"[]\n"), ("d", b"{}")):
        (machine.projects / f"{name}.jsonl").write_bytes(data)
    (machine.projects / "memory").mkdir()
    (machine.projects / "memory" / "INDEX.md").write_text("- nothing\n")
    outside = machine.home / "letters"
    outside.mkdir()
    (outside / "x.jsonl").write_text("no transcript\n")
    report = machine.index(paths=[str(outside), str(machine.projects)])
    assert (report.files, report.read, report.unreadable) == (6, 6, ())
    assert (machine.index().unreadable, problems(machine)) == ((), [])


def test_a_path_given_by_hand_is_still_an_agents_own(machine: Machine) -> None:
    path = machine.projects / f"{SID}.jsonl"
    path.write_text("no transcript\n")
    assert machine.index(paths=[str(machine.projects)]).unreadable == ((str(path), NOT_RECOGNISED),)
    assert machine.index().unreadable == ()


def test_a_database_that_is_none_is_told(machine: Machine) -> None:
    path = machine.home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"garbage " * 99)
    assert machine.index().unreadable == ((str(path), NOT_RECOGNISED),)
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE sessions_2 (id)")
    connection.close()
    why = f"{NOT_RECOGNISED}: the database cannot be read in full (OperationalError)"
    machine.index()
    assert problems(machine) == [(str(path), why)]
    path.write_bytes(path.read_bytes()[:3000])
    machine.index()
    ((_, why),) = problems(machine)
    assert why.startswith(f"{NOT_RECOGNISED}: the database cannot be read in full (")


def test_a_file_that_goes_while_it_is_read_is_no_error(machine: Machine) -> None:
    machine.write(OTHER, TURNS)
    path = machine.write(SID, TURNS)
    machine.index()
    for known in (True, False):
        machine.append(machine.write(OTHER, TURNS), "\n")
        machine.write(SID, [*TURNS, ("More?", "No.")], name=SID if known else "new")

        def lose(_: index.Progress) -> None:
            for name in (SID, "new"):
                (machine.projects / f"{name}.jsonl").unlink(missing_ok=True)

        report = machine.index(progress=lose)
        assert (report.read, report.unreadable) == (2, ())
    assert not path.exists()
    assert machine.index().missing == 0
    assert machine.rows("SELECT path FROM file WHERE missing") == [(str(path),)]


@pytest.mark.parametrize("mode", [0o000, 0o400])
def test_what_may_not_be_looked_at_is_not_gone(machine: Machine, mode: int) -> None:
    machine.write(SID, TURNS)
    machine.index()
    claude = machine.home / ".claude"
    claude.chmod(mode)
    done = run_bound(machine, INDEX)
    claude.chmod(0o700)
    assert done.returncode == 4
    assert f"lib: cannot read {claude}: permission denied\n" in done.stderr
    assert done.stderr.count("\n") == 1
    assert "gone" not in done.stdout
    assert machine.rows("SELECT missing FROM file") == [(0,)]
    assert machine.index().read == 0


def test_a_folder_given_by_hand_that_may_not_be_listed_is_told(machine: Machine) -> None:
    shut = machine.home / "shut"
    (shut / "in").mkdir(parents=True)
    (shut / "in").chmod(0)
    program = f"import sys; from libtool.cli.main import main; sys.exit(main(['index', {str(shut)!r}, {str(shut / 'in' / 'x')!r}]))"
    done = run_bound(machine, program)
    (shut / "in").chmod(0o700)
    assert done.returncode == 4
    assert done.stderr == f"lib: cannot read {shut / 'in'}: permission denied\nlib: cannot read {shut / 'in' / 'x'}: permission denied\n"


@pytest.mark.usefixtures("staged")
def test_names_are_printed_safely(home: Path, lib: Program) -> None:
    folder = home / ".pi/agent/sessions/--x--"
    for name in (f"{TOKEN}.jsonl", "two\nlines.jsonl"):
        (folder / name).mkdir(parents=True)
    (folder / f"x\n{TOKEN}\t1.jsonl").write_text("no transcript\n")
    (folder / os.fsdecode(b"bad\xff.jsonl")).mkdir()
    code, _, err = lib("index")
    assert code == 4
    out = lib("status")[1]
    for text in (err, out, json.dumps(lib.json("index")), json.dumps(lib.json("status"))):
        assert TOKEN not in text
        assert "two\\nlines.jsonl" in text
    assert err.count("lib: cannot read") == 3
    assert "lib: 1 file, in agents' folders or pointed at, with content that is not recognised; `lib status` names it\n" in err
    assert err.count("\n") == 4
    assert f": {NOT_RECOGNISED}\n" in out


@pytest.mark.usefixtures("staged")
def test_a_file_pointed_at_that_nobody_knows_is_told(home: Path, lib: Program) -> None:
    (home / "letters").mkdir()
    (home / "letters" / "one.txt").write_text("Dear all\n")
    assert lib("index", str(home / "letters"))[::2] == (0, "")
    (home / "letters" / "two.txt").write_text("Dear all\n")
    code, _, err = lib("index", str(home / "letters" / "two.txt"))
    assert code == 4
    assert err.startswith("lib: 1 file, in agents' folders or pointed at, with content that is not recognised")
