"""`lib index` on databases and folders that are not as it left them."""

from __future__ import annotations

import os
import resource
import shutil
import sqlite3
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.errors import DataDirUnusable, Locked, NotIndexed
from libtool.features import check_index, index
from libtool.storage import database
from tests.features.machine import OTHER, SID, Machine, rows, sid

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TURNS = [("Why does the glaze crack?", "The glaze shrinks."), ("Which recipe then?", "The celadon with more silica.")]
LATER = [("How hot does the celadon get?", "Cone ten, about thirteen hundred degrees."), ("And then?", "Cool it slowly for a day.")]
INDEX = "import os, sys; from libtool.cli.main import main; sys.exit(main(['index']))"


def full(machine: Machine) -> Machine:
    """The machine with enough in its databases that they have several pages."""
    for number in range(30):
        machine.write(sid(number), [(f"question {number} {n} of the celadon", f"word{number}x{n} " * 40) for n in range(20)])
    machine.index()
    return machine


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all, whatever its name says\n" * 400)


def truncated(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def newer(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()


def other_tables(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute(f"DROP TABLE {'source' if path.name == 'store.db' else 'fts'}")
    connection.close()


def foreign(path: Path) -> None:
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    connection.close()


def broken_page(path: Path) -> None:
    """All pages but the first few: what opening does not see."""
    data = bytearray(path.read_bytes())
    page = int.from_bytes(data[16:18])
    for start in range(4 * page, len(data), page):
        data[start : start + page] = b"\xa5" * page
    path.write_bytes(data)


def broken_leaves(path: Path) -> None:
    """All pages where no table or index begins: what a run meets in its middle."""
    connection = sqlite3.connect(path)
    roots = {row[0] for row in connection.execute("SELECT rootpage FROM sqlite_schema")}
    connection.close()
    data = bytearray(path.read_bytes())
    page = int.from_bytes(data[16:18])
    for number in range(1, len(data) // page):
        if number + 1 not in roots:
            data[number * page : (number + 1) * page] = b"\xa5" * page
    path.write_bytes(data)


def broken_index(path: Path) -> None:
    """The leaves of FTS5's tree: no check of SQLite's own sees it."""
    with sqlite3.connect(path) as connection:
        connection.execute("DELETE FROM fts_data WHERE id > 1000")
    connection.close()


def usable_again(machine: Machine, wanted: dict[str, list[tuple[object, ...]]]) -> None:
    assert machine.index() == index.IndexReport(30, 0, 0, 0, 0, 0, (), ())
    found = machine.dump()
    assert found["places"]
    assert [row[1:3] for row in found["session"]] == [row[1:3] for row in wanted["session"]]
    assert found["places"] == wanted["places"]
    assert check_index.problems(machine.config, machine.environ) == []


@pytest.mark.parametrize("damage", [garbage, truncated, emptied, other_tables, foreign, broken_page, broken_leaves])
def test_a_damaged_store_is_set_aside_and_read_anew(machine: Machine, damage: Callable[[Path], None]) -> None:
    wanted = full(machine).dump()
    damage(machine.data / "store.db")
    if damage not in (broken_page, broken_leaves):
        with pytest.raises(NotIndexed) as raised:
            machine.hits("celadon")
        assert "run `lib" in raised.value.hint
    else:
        machine.append(machine.projects / f"{sid(29)}.jsonl", "\n")
    report = machine.index()
    (told,) = report.told
    assert "the store was damaged" in told
    assert "store.db.damaged-1" in told
    assert (machine.data / "store.db.damaged-1").exists()
    assert report.read == 30
    usable_again(machine, wanted)


@pytest.mark.parametrize("damage", [garbage, truncated, emptied, other_tables, foreign, newer, broken_page, broken_index])
def test_a_damaged_search_db_is_built_anew_from_the_store(machine: Machine, damage: Callable[[Path], None]) -> None:
    wanted = full(machine).dump()
    path = machine.data / "search.db"
    for _ in range(2):
        damage(path)
        with pytest.raises(NotIndexed) as raised:
            machine.hits("celadon")
        assert "run `lib" in raised.value.hint
        assert damage is broken_index or check_index.problems(machine.config, machine.environ) != []
        if damage in (broken_page, broken_index):
            machine.append(machine.projects / f"{sid(29)}.jsonl", rows(sid(29), [("more", "words")], first=30))
            report = machine.index(rebuild=True)
            wanted = machine.dump()
        else:
            report = machine.index()
        if damage not in (emptied, broken_index):
            (told,) = report.told
            assert "search.db.damaged-1" in told
            assert {one.name.removesuffix("-wal") for one in machine.data.glob("*.damaged-*")} == {"search.db.damaged-1"}
        assert report.rows > 0
        usable_again(machine, wanted)


def test_damage_that_a_run_meets_is_mended_in_it(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    full(machine)
    with sqlite3.connect(machine.data / "search.db") as connection:
        connection.execute("DELETE FROM fts_data WHERE id > 1000")
    connection.close()
    machine.write(sid(3), [("nothing else", "is left of it")])
    # Merging reads what is there.
    with sqlite3.connect(machine.data / "search.db") as connection:
        connection.execute("UPDATE mark SET value = 0 WHERE name = 'tidied'")
    connection.close()
    monkeypatch.setattr("libtool.storage.search_build._TIDY_LEAST", 1)
    monkeypatch.setattr("libtool.storage.search_build._MOST_PIECES", 0)
    (told,) = machine.index().told
    assert "the search db was damaged" in told
    assert machine.index_content()["places"]


def test_a_search_db_that_is_gone_is_built_from_the_store_alone(machine: Machine) -> None:
    wanted = full(machine).dump()
    for path in machine.projects.iterdir():
        path.unlink()
    machine.index()
    (machine.data / "search.db").unlink()
    assert machine.index().rows == len(wanted["chunk"]) + machine.rows("SELECT count(*) FROM digest WHERE searched")[0][0]
    assert machine.index_content()["places"] == wanted["places"]
    (machine.data / "search.db").unlink()
    assert machine.index(rebuild=True).rows == len(wanted["chunk"]) + machine.rows("SELECT count(*) FROM digest WHERE searched")[0][0]
    assert machine.index_content()["places"] == wanted["places"]


def test_a_rebuild_gives_the_same_index(machine: Machine) -> None:
    wanted = full(machine).dump()
    (machine.data / "search.db").rename(machine.data / "aside")
    (machine.data / "aside").rename(machine.data / "search.db")
    assert machine.index(rebuild=True).rows == len(wanted["chunk"]) + machine.rows("SELECT count(*) FROM digest WHERE searched")[0][0]
    assert machine.dump() == wanted


def test_a_search_db_of_another_store_is_not_believed(machine: Machine) -> None:
    full(machine)
    (machine.data / "store.db").unlink()
    report = machine.index()
    assert report.read == 30
    (told,) = report.told
    assert "was made from another store" in told
    assert machine.hits("celadon")
    assert check_index.problems(machine.config, machine.environ) == []


def test_a_store_out_of_a_backup_has_its_search_db_made_anew(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    backup = (machine.data / "store.db").read_bytes()
    machine.write(OTHER, LATER)
    machine.index()
    (machine.data / "store.db").write_bytes(backup)
    report = machine.index()
    assert report.read == 1
    assert any("another store" in told for told in report.told)
    assert len({session for session, _ in machine.hits("celadon")}) == 2


def test_what_a_lost_wal_held_is_read_again(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    reader = sqlite3.connect(machine.data / "store.db")
    reader.execute("SELECT * FROM file").fetchone()
    machine.write(OTHER, LATER)
    machine.index()
    assert (machine.data / "store.db-wal").stat().st_size
    aside = machine.data.rename(machine.home.parent / "aside")
    shutil.copytree(aside, machine.data, ignore=shutil.ignore_patterns("*-wal", "*-shm"))
    reader.close()
    machine.data.chmod(0o700)
    assert machine.index().read == 1
    assert len({session for session, _ in machine.hits("celadon")}) == 2
    assert check_index.problems(machine.config, machine.environ) == []


def test_forgotten_sessions_and_logins_outlive_a_damaged_store(machine: Machine) -> None:
    word = "4ml-KzzQ7x9-rod4bu0rT"[::-1]
    machine.write(SID, [(f"The password: {word}", "Noted.")])
    full(machine)
    store = index.open_store(machine.config, [])
    store.begin()
    store.forget("claude-code", sid(3))
    store.commit()
    store.close()
    (machine.projects / f"{SID}.jsonl").unlink()
    other_tables(machine.data / "store.db")
    (told,) = machine.index().told
    assert "the store was damaged" in told
    assert machine.rows("SELECT 1 FROM session WHERE sid = ?", (sid(3),)) == []
    machine.write(OTHER, [(f"now {word} alone", "fine")])
    machine.index()
    assert "[REDACTED:" in machine.texts(OTHER)[0]


def test_a_store_of_a_newer_lib_is_left_alone(machine: Machine) -> None:
    full(machine)
    newer(machine.data / "store.db")
    before = (machine.data / "store.db").read_bytes()
    for _ in range(2):
        with pytest.raises(DataDirUnusable, match="made by a newer lib") as raised:
            machine.index()
        assert "upgrade" in raised.value.hint
        assert raised.value.exit_code == 16
    with pytest.raises(NotIndexed, match="another version"):
        machine.hits("celadon")
    with pytest.raises(NotIndexed, match="another version"):
        check_index.problems(machine.config, machine.environ)
    assert (machine.data / "store.db").read_bytes() == before
    assert list(machine.data.glob("*.damaged-*")) == []


def test_another_program_that_holds_the_store_is_no_damage(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, TURNS)
    machine.index()
    monkeypatch.setattr(database, "_BUSY_SECONDS", 0.05)
    machine.write(OTHER, TURNS)
    for name in ("store.db", "search.db"):
        with sqlite3.connect(machine.data / name, isolation_level=None) as holder:
            holder.execute("BEGIN IMMEDIATE")
            with pytest.raises(Locked, match="another program holds"):
                machine.index(rebuild=True)
        holder.close()
    with sqlite3.connect(machine.data / "search.db", isolation_level=None) as holder:
        holder.execute("PRAGMA locking_mode = EXCLUSIVE")
        holder.execute("BEGIN EXCLUSIVE")
        with pytest.raises(Locked):
            machine.index()
    holder.close()
    machine.index()
    assert list(machine.data.glob("*.damaged-*")) == []


@pytest.mark.parametrize("where", ["data", "data/inner"])
def test_a_file_where_the_data_dir_should_be(machine: Machine, where: str) -> None:
    machine.write(SID, TURNS)
    (machine.home.parent / "data").write_text("")
    machine.environ["LIB_DATA_DIR"] = str(machine.home.parent / where)
    machine.reload()
    with pytest.raises(DataDirUnusable, match=str(machine.home.parent / where)) as raised:
        machine.index()
    assert "LIB_DATA_DIR" in raised.value.hint


def test_a_folder_where_the_store_should_be(machine: Machine) -> None:
    (machine.data / "store.db").mkdir(parents=True)
    with pytest.raises(DataDirUnusable, match=str(machine.data)):
        machine.index()


def run_bound(machine: Machine, program: str, *, limit: int = 0) -> subprocess.CompletedProcess[str]:
    """A program whom permission bits bind, root too; `limit`: bytes that a file may have."""
    command = [sys.executable, "-c", program]
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("root cannot be bound here")
        command = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", *command]
    # Not even Python's own caches: a file that the limit cuts short must be one of ours.
    environ = {"HOME": str(machine.home), "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"], **machine.environ}  # noqa: TID251

    def bind() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    return subprocess.run(command, env=environ, capture_output=True, text=True, check=False, preexec_fn=bind if limit else None)


def test_a_data_dir_that_cannot_be_written_is_told_not_traced(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.data.mkdir()
    machine.data.chmod(0o555)
    done = run_bound(machine, INDEX)
    assert (done.returncode, done.stdout) == (16, "")
    assert str(machine.data) in done.stderr
    assert "LIB_DATA_DIR" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("kilobytes", [4, 100, 400])
def test_a_disk_that_is_full_is_told_and_nothing_is_lost(machine: Machine, kilobytes: int) -> None:
    for number in range(60):
        machine.write(sid(number), [(f"question {number} {n} of the celadon", f"word{number}x{n} " * 40) for n in range(20)])
    done = run_bound(machine, INDEX, limit=kilobytes << 10)
    assert (done.returncode, done.stdout) == (16, ""), (done, [log.read_text() for log in machine.data.glob("logs/*")])
    assert str(machine.data) in done.stderr
    assert list(machine.data.glob("*.damaged-*")) == []
    machine.index()
    assert machine.rows("SELECT count(*) FROM session") == [(60,)]
    assert machine.index_content()["places"]


SEARCH = """
import sys
from libtool import config
from libtool.features import search
from libtool.storage.search_db import Filter
import os
found = search.search(config.load(os.environ, os.environ["HOME"]), "celadon", Filter(), limit=5)
print([hit.session for hit in found.hits])
"""


@pytest.mark.parametrize("closed", [True, False])
def test_a_data_dir_that_may_only_be_read_is_searched(machine: Machine, closed: bool) -> None:
    machine.write(SID, TURNS)
    machine.index()
    reader = sqlite3.connect(machine.data / "search.db")
    if closed:
        reader.close()
        assert not (machine.data / "search.db-wal").exists()
    for path in [machine.data, *machine.data.iterdir()]:
        path.chmod(0o555 if path == machine.data else 0o444)
    done = run_bound(machine, SEARCH)
    reader.close()
    assert (done.stdout, done.stderr) == (f"['{SID}']\n", "")


def test_a_store_that_may_not_be_read_is_told(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    (machine.data / "search.db").chmod(0)
    assert "cannot be read" in run_bound(machine, SEARCH).stderr


def test_an_unexpected_failure_passes_through(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, TURNS)
    with monkeypatch.context() as patch:
        patch.setattr("libtool.storage.search_build.INSERT", "INSERT INTO nowhere VALUES (?,?,?,?,?)")
        with pytest.raises(sqlite3.OperationalError, match="no such table"):
            machine.index()
    machine.index()
    assert machine.hits("celadon")
    assert list(machine.data.glob("*.damaged-*")) == []
