from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from libtool.domain.classify import WITHHELD
from libtool.features import index, intake, search
from libtool.features.reading import OWN_FAULT
from libtool.storage.search_db import Filter
from tests.features.machine import CWD, OTHER, SID, Machine, rows, sid

if TYPE_CHECKING:
    from pathlib import Path

TURNS = [
    ("Why does the glaze crack at cone six?", "The glaze shrinks more than the clay body."),
    ("Pick another recipe then.", "Use the celadon with more silica."),
    ("Fire it again tomorrow.", "The kiln ramps at sixty degrees an hour."),
]


def test_a_first_run_finds_reads_and_answers(machine: Machine) -> None:
    machine.write(SID, TURNS)
    seen: list[index.Progress] = []
    report = machine.index(progress=seen.append)
    assert report == index.IndexReport(1, 1, seen[0].total, 6, 1, 0, (), ())
    assert seen == [index.Progress(seen[0].total, seen[0].total, "reading")]
    assert machine.hits("celadon silica") == [(SID, 2)]
    assert machine.texts(SID) == [text for turn in TURNS for text in turn]
    facts = machine.facts(SID)
    assert (facts["turns"], facts["class"], facts["cwd"], facts["machine"], facts["branch"]) == (3, "work", CWD, "bench", "main")


def test_a_second_run_writes_nothing_reads_nothing_and_moves_the_stamp(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, TURNS)
    machine.index()
    machine.index()
    before = machine.changes()
    stamp = machine.data / "indexed"
    os.utime(stamp, (1, 1))
    monkeypatch.setattr("libtool.features.workers.read_all", pytest.fail)
    assert machine.index() == index.IndexReport(1, 0, 0, 0, 0, 0, (), ())
    assert machine.changes() == before
    assert stamp.stat().st_mtime > 1


def test_a_file_that_cannot_be_read_is_told_and_tried_again(machine: Machine) -> None:
    machine.write(sid(1), TURNS)
    path = machine.write(SID, TURNS)
    aside = machine.home / "aside"

    def lose(_: index.Progress) -> None:
        if path.is_file():
            path.rename(aside)
            path.mkdir()

    def give_back() -> None:
        path.rmdir()
        aside.rename(path)

    report = machine.index(progress=lose)
    assert report.unreadable == ((str(path), "Is a directory"),)
    give_back()
    assert machine.rows("SELECT error FROM file WHERE path = ?", (str(path),)) == [("Is a directory",)]
    report = machine.index()
    assert (report.read, report.unreadable) == (1, ())
    assert machine.rows("SELECT DISTINCT error FROM file") == [("",)]
    # What was read before stays when a later reading fails.
    machine.append(path, rows(SID, [("more", "words")], first=3))
    machine.append(machine.projects / f"{sid(1)}.jsonl", "")
    os.utime(machine.projects / f"{sid(1)}.jsonl", (1, 1))
    machine.index(progress=lose)
    assert machine.hits("celadon")
    give_back()
    assert machine.index().records == 2


def test_a_fault_of_ours_is_told_once_and_tried_again_by_another_version(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = machine.write(SID, TURNS)
    with monkeypatch.context() as patch:
        patch.setattr("libtool.adapters.claude_code.ClaudeCodeReader.read", lambda *_: 1 // 0)
        ((told, why),) = machine.index().unreadable
    assert told == str(path)
    assert why.startswith(f"{OWN_FAULT}: ZeroDivisionError at test_index.py:")
    before = machine.changes()
    assert machine.index().read == 0
    assert machine.changes() == before
    monkeypatch.setattr("libtool.features.changes.OWN_FAULT", "internal error of lib 99")
    assert machine.index().records == 6


def test_a_grown_session_costs_its_new_bytes(machine: Machine) -> None:
    path = machine.write(SID, [(f"question {n} {'about clay ' * 60}", f"answer {n} {'about glaze ' * 60}") for n in range(6)])
    machine.index()
    before = machine.rows("SELECT ord, chunk FROM source ORDER BY ord")
    more = rows(SID, [("and the wheel?", "The bats warp.")], first=6)
    machine.append(path, more)
    report = machine.index()
    assert (report.read, report.bytes, report.records) == (1, len(more), 2)
    after = machine.rows("SELECT ord, chunk FROM source ORDER BY ord")
    assert len(before) > 4
    assert after[: len(before) - 1] == before[:-1]
    assert machine.hits("bats warp") == [(SID, 7)]
    assert machine.hits("answer") != []
    kept = machine.rows("SELECT id FROM chunk UNION ALL SELECT id + (2 << 40) FROM digest ORDER BY id")
    assert machine.rows("SELECT id FROM fts_docsize", name="search.db") == kept
    assert machine.rows("SELECT * FROM gone") == []
    whole = Machine(machine.home.parent / "whole")
    whole.write(SID, []).write_bytes(path.read_bytes())
    whole.index()
    assert machine.segments(SID) == whole.segments(SID)


def test_a_file_cut_short_keeps_what_was_said(machine: Machine) -> None:
    path = machine.write(SID, TURNS)
    machine.index()
    path.write_text(rows(SID, TURNS[:1]))
    machine.age(path)
    assert machine.index().read == 1
    assert machine.texts(SID) == [text for turn in TURNS for text in turn]
    assert machine.rows("SELECT path FROM part JOIN file ON file.id = part.file") == [(str(path),)]
    assert machine.hits("celadon") == [(SID, 2)]
    # It goes on from there in another way: both are kept.
    machine.append(path, rows(SID, [("Change the clay instead.", "Stoneware it is.")], first=1))
    machine.index()
    assert len(machine.segments(SID)) == 2
    assert machine.hits("celadon")
    assert machine.hits("stoneware") == [(SID, 2)]


def test_a_rewritten_file_of_the_same_size_is_read_whole(machine: Machine) -> None:
    path = machine.write(SID, TURNS)
    machine.index()
    text = path.read_text()
    assert len(text) > 2048
    path.write_text(text.replace("celadon", "tenmoku"))
    machine.age(path)
    report = machine.index()
    assert report.bytes == len(text)
    assert machine.hits("tenmoku") == [(SID, 2)]
    assert machine.hits("celadon") == []


def test_a_file_put_in_the_place_of_another_is_read_whole(machine: Machine) -> None:
    path = machine.write(SID, TURNS)
    machine.index()
    longer = path.with_name("new")
    longer.write_text(path.read_text().replace("celadon", "tenmoku") + rows(SID, [("more", "words")], first=3))
    longer.replace(path)
    machine.age(path)
    assert machine.index().bytes == path.stat().st_size
    assert machine.hits("tenmoku") == [(SID, 2)]


def test_a_file_replaced_by_another_session_loses_nothing(machine: Machine) -> None:
    path = machine.write(SID, TURNS, name="scratch")
    machine.index()
    machine.write(OTHER, [("How thick are the shelves?", "Two centimetres of cordierite.")], name="scratch")
    machine.index()
    assert path.exists()
    assert machine.hits("celadon") == [(SID, 2)]
    assert machine.hits("cordierite") == [(OTHER, 1)]


def test_a_deleted_file_stays_searchable_and_comes_back(machine: Machine) -> None:
    path = machine.write(SID, TURNS)
    machine.index()
    aside = path.rename(machine.home / "aside")
    assert machine.index().missing == 1
    assert machine.rows("SELECT missing FROM file") == [(1,)]
    assert machine.hits("celadon") == [(SID, 2)]
    assert machine.index().missing == 0
    aside.rename(path)
    report = machine.index()
    assert (report.read, report.bytes) == (1, 0)
    assert machine.rows("SELECT missing FROM file") == [(0,)]
    assert machine.index().read == 0


def test_a_fork_shares_the_history_and_both_sessions_show_it(machine: Machine) -> None:
    long = [(f"question {n} {'about clay ' * 60}", f"answer {n} {'about glaze ' * 60}") for n in range(4)]
    machine.write(SID, [*long, ("end of the first", "so be it")])
    machine.index()
    alone = machine.rows("SELECT count(*) FROM chunk")[0][0]
    machine.write(OTHER, [*long, ("end of the second", "good")], forkedFrom={"sessionId": SID, "messageUuid": "u"})
    machine.index()
    together = machine.rows("SELECT count(*) FROM chunk")[0][0]
    assert together < 2 * alone
    assert machine.texts(SID)[:8] == machine.texts(OTHER)[:8]
    assert machine.facts(OTHER)["forked_from"] == SID
    assert {session for session, _ in machine.hits("about clay")} <= {SID, OTHER}
    assert machine.hits('"question 0"')[0] == (SID, 1)


def test_a_session_in_two_files_is_one_session(machine: Machine) -> None:
    machine.write(SID, TURNS[:2])
    machine.write(SID, [("Now from a worktree.", "Cracks again.")], name=f"../-home-ada-work-kiln-2/{SID}")
    machine.index()
    assert len(machine.segments(SID)) == 2
    assert machine.rows("SELECT sid, turns, class FROM session") == [(SID, 2, "work")]
    assert machine.hits("worktree") == [(SID, 1)]


@pytest.mark.parametrize("newer_first", [True, False])
def test_an_older_copy_of_a_session_is_not_shown_beside_it(machine: Machine, newer_first: bool) -> None:
    def whole() -> Path:
        return machine.write(SID, TURNS)

    def copy() -> Path:
        return machine.write(SID, TURNS[:2], name=f"../-backup/{SID}")

    first, second = (whole, copy) if newer_first else (copy, whole)
    first()
    machine.index()
    second()
    machine.index()
    assert machine.texts(SID) == [text for turn in TURNS for text in turn]
    assert machine.hits("celadon") == [(SID, 2)]
    assert machine.rows("SELECT count(*) FROM chunk") == [(1,)]
    assert machine.index().read == 0
    # The copy goes on by itself: now it holds something of its own, from its beginning.
    path = machine.projects / ".." / "-backup" / f"{SID}.jsonl"
    machine.append(path, rows(SID, [("Elsewhere we chose raku.", "Raku, yes.")], first=2))
    machine.index()
    assert sorted(len(part) for part in machine.segments(SID)) == [6, 6]
    assert machine.hits("raku") == [(SID, 3)]


def test_a_forgotten_session_and_its_sub_agents_never_return(machine: Machine) -> None:
    path = machine.write(SID, TURNS)
    side = machine.write(
        SID, [("Count the shelves.", "Nine shelves of cordierite.")], name=f"{SID}/subagents/agent-a77", agentId="a77", isSidechain=True
    )
    machine.index()
    assert len(machine.rows("SELECT sid FROM session")) == 2
    store = index.open_store(machine.config, [])
    store.begin()
    store.forget("claude-code", SID)
    store.commit()
    store.close()
    machine.index()
    for one in (path, side):
        machine.append(one, rows(SID, [("and the celadon cordierite", "again")], first=8))
    machine.index()
    path.rename(path.with_name(f"{SID[:-1]}0.jsonl"))
    machine.index()
    assert machine.rows("SELECT sid FROM session") in ([], [(f"{SID[:-1]}0",)])
    assert machine.rows("SELECT sid FROM session WHERE sid = ? OR parent = ?", (SID, SID)) == []
    assert {session for session, _ in machine.hits("celadon")} <= {f"{SID[:-1]}0"}


def test_paths_and_agents_limit_a_run(machine: Machine) -> None:
    machine.write(sid(1), TURNS)
    elsewhere = machine.home.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / f"{OTHER}.jsonl").write_text(rows(OTHER, [("Is bone ash needed?", "For bone china only.")]))
    report = machine.index(paths=[str(elsewhere), str(elsewhere / "nothing")])
    assert (report.files, report.read, report.missing) == (1, 1, 0)
    assert report.unreadable == ((str(elsewhere / "nothing"), "no such file or directory"),)
    assert machine.index(agents=["codex"]).read == 0
    assert machine.index(agents=["claude-code"]).read == 1
    # What was pointed at once is followed.
    machine.append(elsewhere / f"{OTHER}.jsonl", rows(OTHER, [("And china stone?", "It melts.")], first=1))
    assert machine.index(agents=["codex"]).read == 0
    assert machine.index().read == 1
    assert machine.hits("china stone melts") != []


def test_a_walk_cut_short_is_told(machine: Machine) -> None:
    machine.config = machine.config.replace(walk_seconds=1e-9)
    (told,) = machine.index().told
    assert "cut short" in told


def test_changed_overrides_class_all_sessions_anew(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.write(OTHER, TURNS, cwd="/home/ada/bots/nightly")
    machine.index()
    assert machine.rows("SELECT class FROM session ORDER BY sid") == [("work",), ("work",)]
    toml = machine.home.parent / "config.toml"
    toml.write_text(toml.read_text() + f'[classes]\n"/home/ada/bots" = "automated"\n"claude-code:{SID[:8]}" = "trivial"\n')
    machine.reload()
    assert machine.index().read == 0
    assert machine.rows("SELECT class FROM session ORDER BY sid") == [("trivial",), ("automated",)]
    before = machine.changes()
    machine.index()
    assert machine.changes() == before


@pytest.mark.parametrize("first", ["parent", "sub-agent", "both"])
def test_sub_agents_are_withheld_with_their_parent_and_come_back_with_it(machine: Machine, first: str) -> None:
    asked = [("/security-review", "Nothing was found.")]
    task = [("Look at every handler of the kiln.", "The celadon handler takes what it is given.")]
    below: dict[str, Any] = {"name": f"{SID}/subagents/agent-a77", "agentId": "a77", "isSidechain": True}
    if first != "sub-agent":
        machine.write(SID, asked)
    if first == "parent":
        machine.index()
    machine.write(SID, task, **below)
    machine.index()
    machine.write(SID, asked)
    machine.index()
    assert machine.rows("SELECT DISTINCT class FROM session") == [("security-review",)]
    shown = Filter(classes=tuple(WITHHELD))
    assert not search.search(machine.config, "celadon handler", shown, limit=8).hits
    toml = machine.home.parent / "config.toml"
    toml.write_text(toml.read_text() + f'[classes]\n"claude-code:{SID}" = "work"\n')
    machine.reload()
    machine.index()
    assert machine.rows("SELECT class FROM session ORDER BY sid") == [("work",), ("sub-agent",)]
    assert search.search(machine.config, "celadon handler", shown, limit=8).hits
    machine.write(SID, [*asked, ("Now mend it.", "Mended.")])
    machine.index()
    machine.index(rebuild=True)
    assert machine.rows("SELECT class FROM session ORDER BY sid") == [("work",), ("sub-agent",)]


def test_a_file_that_nobody_knew_is_looked_at_by_a_newer_lib(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine.projects / "odd.jsonl").write_text("what is this\n")
    assert machine.index().read == 1
    assert machine.index().read == 0
    monkeypatch.setattr(index, "__version__", "99")
    assert machine.index().read == 1
    assert machine.index().read == 0


def test_side_files_alone_trigger_a_reading(machine: Machine) -> None:
    path = machine.write(SID, [("Count the pots.", "Five pots.")], name=f"{SID}/subagents/agent-a77", agentId="a77", isSidechain=True)
    machine.index()
    assert machine.facts(f"{SID}/a77")["title"] == ""
    path.with_suffix(".meta.json").write_text('{"agentType": "explore", "description": "Count all pots"}')
    report = machine.index()
    assert (report.read, report.bytes) == (1, path.stat().st_size)
    assert machine.facts(f"{SID}/a77")["title"] == "Count all pots"
    assert machine.index().read == 0


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_everything_is_private_whatever_the_umask(machine: Machine, mask: int) -> None:
    machine.write(SID, TURNS)
    before = os.umask(mask)
    try:
        machine.index()
        (machine.data / "scratch").mkdir()
        (machine.data / "scratch" / "copy.db").write_text("left by a kill")
        machine.data.chmod(0o755)
        machine.data.joinpath("store.db").chmod(0o644)
        machine.append(machine.projects / f"{SID}.jsonl", rows(SID, [("more", "words")], first=9))
        machine.index()
    finally:
        os.umask(before)
    assert machine.data.stat().st_mode & 0o777 == 0o700
    assert {path.name: oct(path.stat().st_mode & 0o777) for path in machine.data.iterdir() if path.stat().st_mode & 0o077} == {}
    assert not (machine.data / "scratch").exists()


@pytest.mark.parametrize("rebuild", [False, True])
def test_many_small_files_go_in_batches_of_seconds(machine: Machine, monkeypatch: pytest.MonkeyPatch, *, rebuild: bool) -> None:
    for number in range(4):
        machine.write(sid(number), [(f"question {number} about celadon", "clay")])
    monkeypatch.setattr(intake, "STORE_SECONDS", 0.0)

    def stop(state: index.Progress) -> None:
        if state.done == state.total:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        machine.index(progress=stop, rebuild=rebuild)
    assert machine.rows("SELECT count(*) FROM session") == [(4,)]
    assert machine.index().read == 0


def test_large_runs_go_in_batches_that_stay(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        machine.write(sid(number), [(f"question {number} about celadon", "clay " * 100)])
    size = (machine.projects / f"{sid(0)}.jsonl").stat().st_size
    monkeypatch.setattr(intake, "STORE_BATCH", size)

    def stop(state: index.Progress) -> None:
        if state.done > 4 * size:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        machine.index(progress=stop)
    assert machine.rows("SELECT count(*) FROM session") == [(5,)]
    # What was fed to the search db in a transaction that was still open comes again.
    assert machine.rows("SELECT count(*) FROM fts_docsize", name="search.db") == [(0,)]
    report = machine.index()
    assert (report.read, report.rows) == (1, 6)
    assert machine.rows("SELECT count(*) FROM fts_docsize", name="search.db") == [(6,)]
    assert not (machine.data / "scratch").exists()
