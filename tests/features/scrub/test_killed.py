"""A scrub that was killed: nothing an agent wrote since is lost, and nothing that holds logins outlives what removes them."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.errors import DataDirUnusable, Locked
from libtool.features.scrub import plan, work
from libtool.features.scrub.live import Watch
from tests.features.machine import SID, Machine
from tests.features.scrub.opencode_database import LOGIN, table
from tests.features.scrub.staged import TOKEN, age, token

if TYPE_CHECKING:
    from libtool.storage.backups import Backup

WATCH = Watch(60)
GONE = 2**22 + 5
"""No process has this id."""
KILLED = """
import os, sys
from libtool.adapters import sqlite_rewrite
from libtool.config import load
from libtool.features.scrub import databases, plan, rewrite, work
from libtool.features.scrub.live import Watch
def dies(*_words, **_more):
    os._exit(9)
place, name = sys.argv[4].split(":")
setattr({"databases": databases, "rewrite": rewrite, "Rewriting": sqlite_rewrite.Rewriting}[place], name, dies)
config = load({"LIB_DATA_DIR": sys.argv[1], "LIB_CONFIG": sys.argv[2]}, sys.argv[3])
work.execute(config, plan.plan(config, {}, Watch(1)), Watch(1))
"""


@pytest.fixture
def transcript(machine: Machine) -> Path:
    return machine.write(SID, [(f"use the token {token('killed')} for it", "used")])


def killed(machine: Machine, moment: str) -> None:
    """A scrub that ends without a word where this function is called."""
    words = [sys.executable, "-c", KILLED, str(machine.data), machine.environ["LIB_CONFIG"], str(machine.home), moment]
    assert subprocess.run(words, check=False, cwd=Path(__file__).parents[3]).returncode == 9


def scrub(machine: Machine) -> list[str]:
    return [one.why for one in work.execute(machine.config, plan.plan(machine.config, {}, WATCH), WATCH)]


def restored(machine: Machine) -> list[str]:
    return [one.why for one in work.restore(machine.config, WATCH)]


def says(path: Path, text: str) -> None:
    """The agent goes on: a row more."""
    connection = sqlite3.connect(path)
    row = json.dumps({"type": "text", "text": text})
    connection.execute("INSERT INTO part VALUES ('prt_new', 'msg_0', 'ses', 1, ?)", (row,))
    connection.commit()
    connection.close()
    age(path.parent)


def dump(path: Path) -> list[list[object]]:
    return [table(path, name) for name in ("project", "session", "message", "part", "account")]


@pytest.mark.parametrize("moment", ["databases:rewrite", "Rewriting:settle"])
def test_what_an_agent_wrote_after_the_kill_is_never_lost(machine: Machine, database: Path, moment: str) -> None:
    killed(machine, moment)
    says(database, "new work")
    scrub(machine)
    age(machine.home)
    restored(machine)
    assert any("new work" in row[4] for row in table(database, "part"))


@pytest.mark.parametrize("moment", ["databases:keep", "databases:rewrite", "databases:settle", "Rewriting:settle"])
@pytest.mark.parametrize("again", [False, True])
def test_a_killed_scrub_of_a_database_can_be_taken_back(machine: Machine, database: Path, moment: str, again: bool) -> None:
    before = dump(database)
    killed(machine, moment)
    age(machine.home)
    if again:
        assert set(scrub(machine)) <= {""}
        assert LOGIN.encode() not in b"".join(path.read_bytes() for path in database.parent.iterdir())
        age(machine.home)
    assert set(restored(machine)) <= {""}
    assert dump(database) == before
    assert list((machine.data / "backups").glob("*")) == []


def test_a_database_damaged_since_is_not_written_over(machine: Machine, database: Path) -> None:
    scrub(machine)
    whole = database.read_bytes()
    database.write_bytes(whole[:4096] + b"x" * (len(whole) - 4096))
    age(machine.home)
    (why,) = restored(machine)
    assert "cannot be rewritten" in why
    assert database.read_bytes()[4096:] == b"x" * (len(whole) - 4096)


def test_a_kill_between_note_and_commit_changed_nothing(machine: Machine, database: Path) -> None:
    before = dump(database)
    killed(machine, "databases:rewrite")
    backups = work.backups_of(machine.config)
    backups.will_be(backups.all()[0].name, "what would have been", 0)
    assert restored(machine) == [""]
    assert dump(database) == before


def test_backups_of_what_a_killed_run_did_not_come_to_are_dropped(machine: Machine, transcript: Path) -> None:
    killed(machine, "rewrite:replace")
    backups = work.backups_of(machine.config)
    os.unlink(backups.file("index.jsonl"))
    with transcript.open("rb") as file:
        untouched = backups.keep(str(transcript), file, os.stat(transcript), "2026-03-01T09:00:00Z")
    machine.append(transcript, '{"more": 1}\n')
    assert scrub(machine) == [""]
    assert untouched.name not in [one.name for one in backups.all()]
    machine.age(transcript)
    assert restored(machine) == [""]
    assert TOKEN.search(transcript.read_text())
    assert transcript.read_text().endswith('{"more": 1}\n')


def test_an_untouched_file_needs_no_restore(machine: Machine, transcript: Path) -> None:
    with transcript.open("rb") as file:
        work.backups_of(machine.config).keep(str(transcript), file, os.stat(transcript), "2026-03-01T09:00:00Z")
    machine.append(transcript, '{"more": 1}\n')
    before = transcript.read_bytes()
    assert restored(machine) == [""]
    assert transcript.read_bytes() == before


@pytest.mark.parametrize("verb", ["restore", "purge"])
def test_what_a_kill_left_goes_with_the_backups(machine: Machine, transcript: Path, verb: str) -> None:
    scrub(machine)
    left = [transcript.parent / f".x.{GONE}.ab.lib-tmp", machine.data / "backups" / f".y.{GONE}.ab.lib-tmp"]
    for path in left:
        path.write_text(token("left"))
    copies = machine.data / f"scrub-{GONE}-abc"
    copies.mkdir()
    (copies / "copy.db").write_text(token("left"))
    if verb == "restore":
        assert restored(machine) == [""]
    else:
        assert work.purge(machine.config) == 1
    assert [path for path in [*left, copies, machine.data / "backups"] if path.exists()] == []


def test_an_open_session_is_not_restored(machine: Machine, transcript: Path) -> None:
    scrub(machine)
    marks = machine.home / ".claude" / "sessions"
    marks.mkdir()
    (marks / "1.json").write_text(json.dumps({"pid": os.getpid(), "sessionId": SID}))
    assert restored(machine) == ["its session is open: the agent says so"]
    assert not TOKEN.search(transcript.read_text())


def test_a_purge_waits_for_a_scrub(machine: Machine, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a scrub at work would go on with no backup."""
    seen = []
    found = plan.plan(machine.config, {}, WATCH)
    one = work._Work._one

    def meanwhile(self: work._Work, item: plan.Item, backup: Backup) -> plan.Item:
        with pytest.raises(Locked):
            work.purge(machine.config)
        seen.append(backup.path)
        return one(self, item, backup)

    monkeypatch.setattr(work, "LOCK_SECONDS", 0.1)
    monkeypatch.setattr(work._Work, "_one", meanwhile)
    work.execute(machine.config, found, WATCH)
    assert seen == [str(transcript)]


def test_a_purge_needs_no_room(machine: Machine, transcript: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_words: object, **_more: object) -> str:
        raise OSError(28, "No space left on device")

    assert transcript.exists()
    scrub(machine)
    monkeypatch.setattr(tempfile, "mkdtemp", fails)
    with pytest.raises(DataDirUnusable):
        work.restore(machine.config, WATCH)
    assert work.purge(machine.config) == 1


def test_a_data_dir_that_cannot_be_written_is_said(machine: Machine, transcript: Path) -> None:
    found = plan.plan(machine.config, {}, WATCH)
    elsewhere = machine.config.replace(data_dir=os.path.join(str(transcript), "data"))
    with pytest.raises(DataDirUnusable):
        plan.plan(elsewhere, {}, WATCH)
    with pytest.raises(DataDirUnusable):
        work.execute(elsewhere, found, WATCH)
    with pytest.raises(DataDirUnusable):
        work.restore(elsewhere, WATCH)
    with pytest.raises(DataDirUnusable):
        work.purge(elsewhere)


def test_nothing_is_put_back_where_lib_never_was(machine: Machine) -> None:
    assert restored(machine) == []
    assert work.purge(machine.config) == 0
