"""Files that cannot be read, or vanish, or change at a bad moment: each is left and named, and nothing ends the run."""

from __future__ import annotations

import os
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest

from libtool.adapters import sqlite_rewrite
from libtool.adapters.sqlite_copy import Moved
from libtool.features.scrub import content, databases, plan, rewrite, work
from libtool.features.scrub.live import Watch
from libtool.features.scrub.rewrite import CHANGED, LeftAlone
from libtool.storage.backups import Backups
from tests.features.machine import SID, Machine
from tests.features.scrub.staged import age, token

if TYPE_CHECKING:
    from pathlib import Path

LOGIN = token("left")
WATCH = Watch(60)
ABSENT = "no such file or directory"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path / "machine", f'roots = ["{tmp_path}/machine/home/code"]\n[terminal]\nglobs = ["*.log"]\n')


@pytest.fixture
def transcript(machine: Machine) -> Path:
    return machine.write(SID, [(f"the token is {LOGIN}", "ok")])


def look(machine: Machine) -> plan.Plan:
    return plan.plan(machine.config, {}, WATCH)


def test_refusals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    assert rewrite.refusal(str(path)) == ABSENT
    assert rewrite.refusal(str(tmp_path)) == "no regular file"
    for reads in (rewrite.read, rewrite.content):
        with pytest.raises(LeftAlone, match=ABSENT):
            reads(str(path))
    path.write_text("x")
    assert rewrite.refusal(str(path)) == ""
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: 12345)
        assert rewrite.refusal(str(path)) == "it belongs to another user"
    path.chmod(0o400)
    with pytest.raises(LeftAlone, match="read-only"):
        rewrite.read(str(path))


def test_a_file_that_grows_while_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x"
    path.write_text("x")
    status = os.stat(path)
    path.write_text("xyz")
    monkeypatch.setattr(os, "fstat", lambda _descriptor: status)
    with pytest.raises(LeftAlone, match=CHANGED):
        rewrite.read(str(path))


def test_files_that_vanish_while_lib_looks(machine: Machine, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads = rewrite.content

    def vanishes(path: str) -> bytes:
        transcript.unlink(missing_ok=True)
        return reads(path)

    monkeypatch.setattr(rewrite, "content", vanishes)
    (item,) = look(machine).items
    assert (item.unread, item.why, item.target.path) == (True, ABSENT, str(transcript))


def test_what_nobody_can_read(machine: Machine, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine.home / "code").mkdir()
    log = machine.home / "code" / "notes.log"
    log.write_text(f"no log of an agent: {LOGIN}\n")
    link = machine.home / ".claude" / "history.jsonl"
    link.symlink_to(log)
    memory = transcript.parent / "memory" / "a.md"
    memory.parent.mkdir()
    memory.write_text(f"token {LOGIN}\n")
    (transcript.parent / "memory" / "b.md").write_text("nothing\n")
    age(machine.home)
    monkeypatch.setattr("libtool.features.scrub.plan.Source.open", refused)
    found = look(machine)
    assert [one.target.path for one in found.items] == [str(transcript)]
    assert found.beside == []
    monkeypatch.undo()
    assert [one.path for one, _ in look(machine).beside] == [str(memory)]


def refused(*_args: object, **_named: object) -> Any:
    raise PermissionError(13, "Permission denied")


def test_sizes_and_forms_of_what_is_gone(tmp_path: Path) -> None:
    from libtool.features.scrub import targets  # noqa: PLC0415 - its private parts

    assert plan._size(str(tmp_path / "none")) == 0
    assert targets._form("x.jsonl", str(tmp_path / "none")) == content.ROWS
    (tmp_path / "x.db").write_text("no database")
    assert targets._form("x.db", str(tmp_path / "x.db")) == content.TEXT


def test_a_disk_that_fails_at_the_last_step(machine: Machine, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = look(machine)
    monkeypatch.setattr(Backups, "will_be", full)
    (done,) = work.execute(machine.config, found, WATCH)
    assert done.why == "it cannot be written: No space left on device"
    assert LOGIN in transcript.read_text()
    assert work.backups_of(machine.config).all() == []


def full(*_args: object, **_named: object) -> Any:
    raise OSError(28, "No space left on device")


def test_a_restore_that_cannot_write_or_must_not(machine: Machine, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work.execute(machine.config, look(machine), WATCH)
    scrubbed = transcript.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(rewrite, "replace", full)
        assert [one.why for one in work.restore(machine.config, WATCH)] == ["it cannot be written: No space left on device"]
    assert [one.why for one in work.restore(machine.config, Watch(1e12))] == ["changed in the last 16666666667 minutes"]
    assert transcript.read_bytes() == scrubbed


def test_a_file_that_wakes_between_its_backup_and_its_turn(machine: Machine, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = look(machine)
    reasons = iter(["another program has it open"])
    monkeypatch.setattr(Watch, "reason", lambda *_args, **_named: next(reasons))
    (done,) = work.execute(machine.config, found, WATCH)
    assert done.why == "another program has it open"
    assert LOGIN in transcript.read_text()


def test_what_was_put_back_by_hand_needs_no_backup(machine: Machine, transcript: Path) -> None:
    before = transcript.read_bytes()
    work.execute(machine.config, look(machine), WATCH)
    transcript.write_bytes(before)
    machine.age(transcript)
    assert [one.why for one in work.restore(machine.config, WATCH)] == [""]
    assert work.backups_of(machine.config).all() == []


class TestDatabases:
    def test_one_that_never_rests(self, machine: Machine, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        found = look(machine)
        (item,) = found.items
        monkeypatch.setattr(sqlite_rewrite, "opened_copy", moves)
        (done,) = work.execute(machine.config, found, WATCH)
        assert done.why == "the database changes while it is read"
        assert (databases.look(item.target, found.redactor, str(machine.data)).unread, database.exists()) == (True, True)

    def test_one_that_is_gone(self, machine: Machine, database: Path) -> None:
        found = look(machine)
        database.unlink()
        (done,) = work.execute(machine.config, found, WATCH)
        assert done.why == ABSENT

    def test_one_that_changes_after_its_backup(self, machine: Machine, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        found = look(machine)
        kept = databases.keep

        def changes(*args: Any) -> Any:
            backup = kept(*args)
            os.utime(database, (1_600_000_000, 1_600_000_000))
            return backup

        monkeypatch.setattr(databases, "keep", changes)
        (done,) = work.execute(machine.config, found, WATCH)
        assert done.why == CHANGED
        connection = sqlite3.connect(database)
        assert connection.execute("SELECT count(*) FROM session WHERE title LIKE '%REDACTED%'").fetchone() == (0,)
        connection.close()


def moves(*_args: object) -> Any:
    raise Moved
