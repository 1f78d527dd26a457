"""An agent's database: changed through its own transaction, and nothing of the old texts is left in any byte of it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import pytest

from libtool.adapters import sqlite_rewrite
from libtool.adapters.sqlite_rewrite import CannotRewrite
from libtool.features.scrub import databases, plan, rewrite, work
from libtool.features.scrub.live import Watch
from tests.adapters.reading import FIXTURES, stage
from tests.features.machine import Machine
from tests.features.scrub.opencode_database import GONE, LOGIN, ONE, fill, table
from tests.features.scrub.staged import OLD, age

WATCH = Watch(60)


def bytes_of(path: Path) -> bytes:
    return b"".join(one.read_bytes() for one in path.parent.iterdir() if one.is_file())


def test_nothing_of_a_login_stays_in_the_file_or_its_wal(machine: Machine, database: Path) -> None:
    before = {name: table(database, name) for name in ("session", "message", "part", "account")}
    age(machine.home)
    found = plan.plan(machine.config, {}, WATCH)
    assert [(one.target.path, one.why, one.logins.total()) for one in found.items] == [(str(database), "", 4)]
    (done,) = work.execute(machine.config, found, WATCH)
    assert (done.why, done.after > 0) == ("", True)
    assert LOGIN.encode() not in bytes_of(database)
    assert GONE.encode() not in bytes_of(database)
    assert database.stat().st_mtime == OLD
    assert table(database, "account") == before["account"]
    assert table(database, "message") == before["message"]
    assert [row[:4] for row in table(database, "part")] == [row[:4] for row in before["part"]]
    assert all("[REDACTED:" in row[4] for row in table(database, "session"))
    assert plan.plan(machine.config, {}, WATCH).ready == []
    assert [one.why for one in work.restore(machine.config, WATCH)] == [""]
    assert {name: table(database, name) for name in before} == before


def test_one_session_of_several(machine: Machine, database: Path) -> None:
    found = plan.plan(machine.config, {}, WATCH, session=f"opencode:{ONE}")
    work.execute(machine.config, found, WATCH)
    assert [LOGIN in row[4] for row in table(database, "session")] == [False, True]
    assert [LOGIN in row[4] for row in table(database, "part")] == [False, True]


def test_a_database_in_use_is_left(machine: Machine, database: Path) -> None:
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("PRAGMA journal_mode=DELETE")
    age(machine.home)
    found = plan.plan(machine.config, {}, WATCH)
    other.execute("BEGIN IMMEDIATE")
    (done,) = work.execute(machine.config, found, WATCH)
    other.close()
    assert "cannot be rewritten" in done.why
    assert LOGIN in table(database, "session")[0][4]
    assert work.backups_of(machine.config).all() == []


def test_a_database_that_changed_is_left(machine: Machine, database: Path) -> None:
    found = plan.plan(machine.config, {}, WATCH)
    connection = sqlite3.connect(database)
    connection.execute("DELETE FROM part WHERE id = 'prt_1'")
    connection.commit()
    connection.close()
    os.utime(database, (OLD + 60, OLD + 60))
    (done,) = work.execute(machine.config, found, WATCH)
    assert done.why == rewrite.CHANGED


def test_what_is_left_to_wipe_is_wiped_by_the_next_run(machine: Machine, database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_self: object) -> None:
        raise CannotRewrite("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(sqlite_rewrite.Rewriting, "settle", fails)
        (done,) = work.execute(machine.config, plan.plan(machine.config, {}, WATCH), WATCH)
    assert done.why == work.AGAIN
    age(machine.home)
    work.execute(machine.config, plan.plan(machine.config, {}, WATCH), WATCH)
    assert GONE.encode() not in bytes_of(database)
    age(machine.home)
    assert [one.why for one in work.restore(machine.config, WATCH)] == [""]


def test_databases_that_cannot_be_rewritten(machine: Machine) -> None:
    folder = machine.home / ".codex"
    folder.mkdir()
    for name, sql in {
        "state_5.sqlite": "CREATE VIRTUAL TABLE words USING fts5(text)",
        "state_6.sqlite": "CREATE TABLE words (text TEXT PRIMARY KEY) WITHOUT ROWID",
    }.items():
        connection = sqlite3.connect(folder / name)
        connection.execute(sql)
        connection.close()
    (folder / "state_7.sqlite").write_bytes(b"SQLite format 3\x00" + b"damaged" * 100)
    age(machine.home)
    whys = {Path(one.target.path).name: one.why for one in plan.plan(machine.config, {}, WATCH).items}
    assert whys["state_5.sqlite"].startswith("the database has a text index")
    assert whys["state_6.sqlite"].startswith("a table of the database has no row ids")
    assert whys["state_7.sqlite"].startswith("the database cannot be rewritten")


def test_cells_that_are_no_utf8_stay_and_a_failed_change_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE words (number INTEGER, text TEXT UNIQUE)")
    connection.execute("INSERT INTO words VALUES (1, CAST(X'61FF' AS TEXT)), (2, 'b')")
    connection.commit()
    connection.close()
    with sqlite_rewrite.opened(str(path)) as database:
        assert database.change(lambda _column, text: text + "!") == 2
        assert database.change(lambda _column, text: text + "!", sessions=("1",)) == 0
    with pytest.raises(CannotRewrite), sqlite_rewrite.opened(str(path)) as database:
        database.change(lambda _column, _text: "same")
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT hex(text) FROM words").fetchall() == [("61FF21",), ("6221",)]
    connection.close()


def test_the_agents_own_triggers_stay_and_do_not_run(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.executescript(
        """CREATE TABLE sessions (id TEXT, title TEXT, updated_at INTEGER);
        CREATE TRIGGER "touched, it's" AFTER UPDATE ON sessions BEGIN UPDATE sessions SET updated_at = 2 WHERE id = new.id; END;
        CREATE TRIGGER kept BEFORE UPDATE OF title ON sessions BEGIN SELECT RAISE(ABORT, 'titles stay'); END;
        INSERT INTO sessions VALUES ('s', 'old', 1)"""
    )
    schema = connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall()
    connection.close()
    with sqlite_rewrite.opened(str(path)) as database:
        assert database.change(lambda _column, text: text.replace("old", "new")) == 1
        with pytest.raises(CannotRewrite):
            database.change(lambda _column, _text: "x", before_commit=failing)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT * FROM sessions").fetchall() == [("s", "new", 1)]
    assert connection.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY name").fetchall() == schema
    connection.close()


def failing(_digest: str) -> None:
    raise CannotRewrite("the disk is full")


def test_crush_databases_are_scrubbed_with_their_file_versions_and_logs(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "machine")
    folder = stage(FIXTURES / "crush" / "database", tmp_path) / "work/shop/.crush"
    (machine.home / "shop").mkdir()
    folder = folder.rename(machine.home / "shop" / ".crush")
    connection = sqlite3.connect(folder / "crush.db")
    connection.execute("DROP TRIGGER update_messages_updated_at")
    connection.execute("UPDATE messages SET parts = replace(parts, 'also log it', ?)", (f"use {LOGIN}",))
    connection.execute("UPDATE files SET content = ?", (f"token = '{LOGIN}'",))
    connection.execute("CREATE TRIGGER touched AFTER UPDATE ON messages BEGIN UPDATE messages SET updated_at = 7 WHERE id = new.id; END")
    connection.commit()
    connection.close()
    (folder / "logs").mkdir()
    (folder / "logs" / "crush.log").write_text(f'{{"msg": "{LOGIN}"}}\n')
    times = [row[5:7] for row in table(folder / "crush.db", "messages")]
    age(machine.home)
    done = work.execute(machine.config, plan.plan(machine.config, {}, WATCH), WATCH)
    assert sorted((os.path.basename(one.target.path), one.why) for one in done) == [("crush.db", ""), ("crush.log", "")]
    assert LOGIN.encode() not in bytes_of(folder / "crush.db") + bytes_of(folder / "logs" / "crush.log")
    assert [row[5:7] for row in table(folder / "crush.db", "messages")] == times


def test_a_wal_is_emptied_before_a_restore_or_nothing_is(tmp_path: Path) -> None:
    with pytest.raises(rewrite.LeftAlone):
        databases.empty_wal(str(tmp_path / "none.db"))


KILLED = """
import sys
from libtool.adapters import sqlite_rewrite
print("ready", flush=True)
with sqlite_rewrite.opened(sys.argv[1]) as database:
    database.change(lambda column, text: text.replace(sys.argv[2], "gone"))
    database.settle()
"""


@pytest.mark.parametrize("moment", range(6))
def test_a_kill_leaves_all_old_texts_or_none(tmp_path: Path, moment: int) -> None:
    path = tmp_path / "opencode.db"
    connection = fill(path)
    connection.executemany(
        "INSERT INTO part VALUES (?, 'm', 's', 1, ?)", [(f"prt_{number:06}", f"{LOGIN} " * 20) for number in range(2000)]
    )
    connection.commit()
    connection.close()
    words = [sys.executable, "-c", KILLED, str(path), LOGIN]
    with subprocess.Popen(words, stdout=subprocess.PIPE, cwd=Path(__file__).parents[3]) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(moment * 0.02)
        process.send_signal(signal.SIGKILL)
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    total, held = connection.execute("SELECT count(*), sum(instr(data, ?) > 0) FROM part", (LOGIN,)).fetchone()
    connection.close()
    assert (total, held) in ((2002, 2002), (2002, 0))
