from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.adapters import discover
from libtool.adapters.discover import Candidate
from libtool.domain.redact import Redactor
from libtool.features.changes import Change, Changes, side_state, task_of
from libtool.features.reading import Task
from libtool.storage.store import FileRow, Store
from tests.features.machine import OTHER, SID, Machine, sid

if TYPE_CHECKING:
    from pathlib import Path

TURNS = [("Why does the glaze crack?", "The glaze shrinks.")]
KNOWN = FileRow(7, "/p", "codex", 3, 100, 5, "1:2", 90, b"edge", '{"s":1}', "", "", 0)


def candidate(size: int = 100, mtime: int = 5, inode: int = 3) -> Candidate:
    return Candidate("/p", size, mtime, inode, "/root", "pi")


def changes(machine: Machine, **fields: object) -> Changes:
    store = Store(machine.config.store_db)
    made = Changes(machine.config, store, lambda: Redactor(bytes(32)), **fields)  # type: ignore[arg-type]
    store.close()
    return made


def test_a_new_file_is_read_by_the_agent_of_its_place() -> None:
    assert task_of(Change(candidate(), "", None)) == Task("/p", "/root", "pi")
    nameless = Candidate("/p", 1, 1, 1, "/root", None)
    assert task_of(Change(nameless, "", None)) == Task("/p", "/root", "")
    assert task_of(Change(nameless, "", KNOWN._replace(agent=""))).agent == ""


@pytest.mark.parametrize(
    ("found", "side", "resumes"),
    [
        (candidate(size=101, mtime=6), "1:2", True),
        (candidate(), "1:2", True),
        (candidate(size=100, mtime=6), "1:2", False),
        (candidate(size=99, mtime=6), "1:2", False),
        (candidate(size=101, mtime=6, inode=4), "1:2", False),
        (candidate(size=101, mtime=6), "1:3", False),
    ],
)
def test_only_a_file_that_grew_is_read_from_where_it_ended(found: Candidate, side: str, *, resumes: bool) -> None:
    task = task_of(Change(found, side, KNOWN))
    assert task == Task("/p", "/root", "codex", 90, b"edge", '{"s":1}' if resumes else None)


def test_the_oldest_come_first(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.write(OTHER, TURNS)
    machine.write(SID, TURNS)
    machine.index()
    machine.append(machine.projects / f"{OTHER}.jsonl", "\n")
    machine.append(machine.projects / f"{SID}.jsonl", "\n")
    found = changes(machine).find(machine.environ)
    assert [os.path.basename(change.candidate.path)[:-6] for change in found] == [OTHER, SID]


def test_nothing_is_missing_that_is_there(machine: Machine) -> None:
    path = machine.write(SID, TURNS)
    machine.write(OTHER, TURNS)
    machine.index()
    path.unlink()
    seen = changes(machine)
    assert seen.find(machine.environ) == []
    assert seen.files == 1
    assert seen.missing() == [1]


def test_the_walk_is_remembered_without_logins(machine: Machine) -> None:
    token = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2"
    (machine.home / "work" / f"token={token}").mkdir(parents=True)
    (machine.home / "work" / f"token={token}" / "HANDOFF.md").write_text("# Glaze\n\nDone.\n")
    machine.index()
    ((walk,),) = machine.rows("SELECT value FROM fact WHERE name = 'walk'")
    assert "work" in walk
    assert token not in walk
    report = machine.index()
    assert (report.files, report.read, report.missing, report.unreadable) == (1, 0, 0, ())
    assert machine.rows("SELECT value FROM fact WHERE name = 'walk'") == [(walk,)]
    assert machine.rows("SELECT missing FROM file") == [(0,)]


def test_side_files_are_known_by_size_and_time(tmp_path: Path) -> None:
    path = tmp_path / "agent-a.jsonl"
    assert side_state("claude-code", str(path)) == ""
    meta = tmp_path / "agent-a.meta.json"
    meta.write_text("{}")
    os.utime(meta, ns=(5, 7))
    assert side_state("claude-code", str(path)) == "2:7"
    assert side_state("", str(path)) == ""


def test_an_inode_of_64_bits_is_kept_to_what_sqlite_holds(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(sid(1), TURNS)
    real = discover.find

    def huge(*given: object, **more: object) -> list[Candidate]:
        found = real(*given, **more)  # type: ignore[arg-type]
        return [Candidate(one.path, one.size, one.mtime_ns, (1 << 64) - 1, one.root, one.agent) for one in found]

    monkeypatch.setattr(discover, "find", huge)
    assert machine.index().read == 1
    assert machine.index().read == 0
