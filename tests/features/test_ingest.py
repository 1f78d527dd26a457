from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from libtool.adapters.discover import Candidate
from libtool.domain.redact import Redactor
from libtool.features import index
from libtool.features.ingest import Ports, ingest
from libtool.features.projects import ProjectNames
from libtool.features.reading import FACTS, Reading, Told, safe_name
from libtool.storage.store import Store
from tests.features.machine import CWD, OTHER, SID, Machine, rows, sid

TOKEN = "ghp_" + "aB3dE6gH9jK2mN5pQ8rS1tU4vW7xY0zA1bC2"[:36]
WORD = "4ml-KzzQ7x9-rod4bu0rT"[::-1]
"""A login that no rule knows by its shape."""


def hidden(machine: Machine, *logins: str) -> bool:
    """Whether nothing of these is in any file of the data dir, nor in what a search could print."""
    data = machine.bytes_of_all_files()
    return not any(login.encode() in data for login in logins)


def test_a_login_in_every_fact_reaches_no_file(machine: Machine) -> None:
    folder = f"/home/ada/token={TOKEN}/kiln"
    # No row states the session, so the file's name is its id.
    lines = rows("", [(f"Use {TOKEN} please", "I will not.")], cwd=folder, gitBranch=f"fix/{TOKEN}", version=TOKEN, entrypoint=TOKEN)
    lines += json.dumps({"type": "ai-title", "aiTitle": f"Push with {TOKEN}"}) + "\n"
    lines += json.dumps({"type": f"odd-{TOKEN}"}) + "\n"
    lines += rows("", [("fork", "it")], first=1, gitBranch=f"fix/{TOKEN}", forkedFrom={"sessionId": OTHER, "messageUuid": TOKEN})
    path = machine.projects / ".." / f"-{TOKEN}" / f"notes {TOKEN}.jsonl"
    path.parent.mkdir()
    path.write_text(lines)
    machine.age(path)
    machine.index()
    (row,) = machine.rows("SELECT path, state FROM file")
    assert "[REDACTED:login-" in row[0]
    assert row[1] is None
    (session,) = machine.rows("SELECT sid, cwd, branch, title FROM session")
    assert ["[REDACTED:" in text for text in session] == [True] * 4, session
    assert hidden(machine, TOKEN)
    # Found under its own name again: nothing to do, nothing missing.
    before = machine.changes()
    assert machine.index() == index.IndexReport(1, 0, 0, 0, 0, 0, (), ())
    assert machine.changes() == before
    # And it grows: read whole, since no state was kept, into the same session.
    machine.append(path, rows("", [("celadon", "yes")], first=2))
    report = machine.index()
    assert report.bytes == path.stat().st_size
    assert len(machine.rows("SELECT sid FROM session")) == 1
    assert machine.hits("celadon")
    assert hidden(machine, TOKEN)
    path.unlink()
    assert machine.index().missing == 1
    assert machine.index().missing == 0


def test_a_login_met_in_one_file_is_redacted_where_it_stands_alone(machine: Machine) -> None:
    machine.write(sid(1), [(f"The password: {WORD}", "Noted.")])
    path = machine.write(sid(2), [(f"try {WORD} then", "done")], gitBranch=f"wip/{WORD}", cwd=f"{CWD}/{WORD}")
    named = machine.write(sid(3), [("a file", "of that name")], name=f"../-home/{WORD}")
    machine.index()
    assert "[REDACTED:" in machine.texts(sid(2))[0]
    # In the next run it is known by its fingerprint alone.
    machine.write(sid(4), [(f"again {WORD} here", "done")], cwd=f"{CWD}/{WORD}")
    machine.append(path, rows(sid(2), [(f"and {WORD}", "done")], first=1))
    machine.append(named, rows(sid(3), [("more", "of it")], first=1))
    machine.index()
    assert "[REDACTED:" in machine.texts(sid(4))[0]
    assert hidden(machine, WORD)
    kept = machine.rows(
        "SELECT state FROM file JOIN part ON part.file = file.id JOIN session ON session.id = part.session WHERE sid = ?", (sid(2),)
    )
    assert kept == [(None,)]
    assert machine.rows("SELECT kind, spreads FROM login") != []
    assert machine.index().read == 0


def test_what_the_user_called_harmless_stays(machine: Machine) -> None:
    machine.write(SID, [(f"The password: {WORD}", "Noted.")])
    machine.index()
    ((fingerprint,),) = machine.rows("SELECT fingerprint FROM login")
    other = Machine(machine.home.parent / "other", f'logins.allow = ["{fingerprint}"]\n')
    other.data.mkdir(mode=0o700)
    shutil.copy(machine.data / "key", other.data / "key")
    other.write(SID, [(f"The password: {WORD}", "Noted.")])
    other.index()
    assert WORD in other.texts(SID)[0]


def test_a_state_that_holds_a_login_still_gives_the_same_session(machine: Machine) -> None:
    folder = machine.home / f"token={TOKEN}" / "kiln"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "config").write_text('[remote "origin"]\n\turl = git@github.com:ada/pottery.git\n')
    path = machine.write(SID, [("one", "two")], cwd=str(folder))
    machine.index()
    machine.append(path, rows(SID, [("three", "four")], first=1, cwd=str(folder)))
    machine.index()
    assert machine.texts(SID) == ["one", "two", "three", "four"]
    facts = machine.facts(SID)
    assert (facts["project"], facts["project_key"], facts["turns"]) == ("pottery", "github.com/ada/pottery", 2)


WORDS = st.sampled_from([TOKEN, "clay", "glaze fires", "Ωmega", "a\nb", "x" * 1600, "sentence one. " * 70, f"password: {WORD}", " "])
LINES = st.lists(st.tuples(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), WORDS), min_size=1, max_size=5)


@settings(max_examples=25)
@given(LINES, st.data())
def test_a_file_read_in_steps_gives_what_one_pass_gives(turns: list[tuple[str, str]], data: st.DataObject) -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        whole, steps = Machine(folder / "whole"), Machine(folder / "steps")
        text = rows(SID, turns).encode()
        cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=3)))
        steps.data.mkdir(mode=0o700)
        whole.write(SID, []).write_bytes(text)
        whole.index()
        shutil.copy(whole.data / "key", steps.data / "key")
        path = steps.projects / f"{SID}.jsonl"
        for end in [*cuts, len(text)]:
            path.open("ab").close()
            with path.open("r+b") as file:
                file.write(text[:end])
            steps.age(path)
            steps.index()
        assert steps.segments(SID) == whole.segments(SID)
        wanted = {name: value for name, value in whole.facts(SID).items() if name != "id"}
        assert {name: value for name, value in steps.facts(SID).items() if name != "id"} == wanted
        assert steps.words() == whole.words()
    finally:
        shutil.rmtree(folder)


def test_every_split_point_of_a_small_file(machine: Machine) -> None:
    text = rows(SID, [("first clay", f"password: {WORD}"), ("then", "glaze " * 300), ("third", WORD)]).encode()
    machine.write(SID, []).write_bytes(text)
    machine.index()
    wanted = machine.segments(SID)
    steps = Machine(machine.home.parent / "steps")
    steps.data.mkdir(mode=0o700)
    shutil.copy(machine.data / "key", steps.data / "key")
    path = steps.projects / f"{SID}.jsonl"
    for cut in range(1, len(text), 97):
        for name in ("store.db", "store.db-wal", "search.db", "search.db-wal"):
            (steps.data / name).unlink(missing_ok=True)
        path.write_bytes(text[:cut])
        steps.age(path)
        steps.index()
        with path.open("ab") as file:
            file.write(text[cut:])
        steps.age(path)
        steps.index()
        assert steps.segments(SID) == wanted, cut


def test_an_export_gives_way_to_the_session_it_was_made_of(machine: Machine) -> None:
    history = machine.home / "work" / "kiln" / ".specstory" / "history"
    history.mkdir(parents=True)
    export = history / "2026-03-04_08-15-00Z-glaze.md"
    export.write_text(
        "<!-- Generated by SpecStory, Markdown v2.1.0 -->\n\n# Glaze (2026-03-04 08:15:00Z)\n\n"
        f"<!-- Claude Code Session {SID} (2026-03-04 08:15:00Z) -->\n\n"
        "_**User (2026-03-04 08:15:00Z)**_\n\nWhy does the celadon crack?\n\n---\n\n"
        "_**Agent - sidechain**_\n\nCount the celadon pots.\n\n---\n\n"
        "_**Agent (claude-opus-4-8 2026-03-04 08:15:30Z)**_\n\nIt shrinks.\n\n---\n"
    )
    machine.index()
    assert machine.rows("SELECT agent FROM session ORDER BY id") == [("specstory",), ("specstory",)]
    assert machine.hits("celadon")
    machine.write(SID, [("Why does the celadon crack?", "It shrinks.")])
    machine.index()
    assert machine.rows("SELECT agent, sid FROM session") == [("claude-code", SID)]
    assert machine.hits("celadon crack") == [(SID, 1)]
    # Whatever comes first: the export is not taken, also when it changes.
    export.write_text(export.read_text().replace("shrinks", "shrinks a lot"))
    machine.age(export)
    assert machine.index().read == 1
    assert machine.rows("SELECT agent, sid FROM session") == [("claude-code", SID)]
    store = index.open_store(machine.config, [])
    store.begin()
    store.forget("claude-code", SID)
    store.commit()
    store.close()
    machine.age(export)
    machine.index()
    assert machine.rows("SELECT agent, sid FROM session") == []


def test_a_login_of_a_forgotten_session_is_sighted_nowhere(machine: Machine) -> None:
    path = machine.write(SID, [(f"Use {TOKEN} please", "I will not.")])
    machine.index()
    assert machine.rows("SELECT count(*) FROM sighting") == [(1,)]
    with index.open_store(machine.config, []) as store:
        store.begin()
        store.forget("claude-code", SID)
        store.commit()
    machine.age(path)
    machine.index()
    assert machine.rows("SELECT count(*) FROM sighting") == [(0,)]


def test_a_short_id_of_two_agents_means_two_sessions(machine: Machine) -> None:
    history = machine.home / "work" / ".specstory" / "history"
    history.mkdir(parents=True)
    (history / "a.md").write_text(
        "<!-- Generated by SpecStory -->\n\n<!-- Claude Code Session scratch (2026-03-04 08:15:00Z) -->\n\n"
        "_**User (2026-03-04 08:15:00Z)**_\n\nWhy does the celadon crack?\n\n---\n"
    )
    machine.write("scratch", [("Pick a clay.", "Stoneware.")])
    machine.index()
    assert machine.rows("SELECT agent FROM session ORDER BY agent") == [("claude-code",), ("specstory",)]


def test_one_session_in_a_database_and_in_old_files_is_shown_once(machine: Machine) -> None:
    case = Path(__file__).parents[1] / "adapters" / "fixtures" / "opencode" / "storage" / "home"
    shutil.copytree(case, machine.home, dirs_exist_ok=True)
    machine.index()
    root = machine.home / ".local" / "share" / "opencode"
    before = machine.rows("SELECT sid, turns FROM session ORDER BY sid")
    known = machine.rows("SELECT id FROM chunk ORDER BY id")
    assert len(before) == 1
    # The same session as `opencode export` writes it.
    (info,) = [path for path in (root / "storage" / "session").rglob("*.json") if "a1b2" in path.name]
    messages = [
        {
            "info": json.loads(path.read_text()),
            "parts": [json.loads(part.read_text()) for part in sorted((root / "storage" / "part" / path.stem).glob("*.json"))],
        }
        for path in sorted((root / "storage" / "message" / info.stem).glob("msg_[01].json"))
    ]
    copy = machine.home / "export.json"
    copy.write_text(json.dumps({"info": json.loads(info.read_text()), "messages": messages}))
    report = machine.index(paths=[str(copy)])
    assert report.read == 1
    assert report.records > 0
    assert machine.rows("SELECT sid, turns FROM session ORDER BY sid") == before
    assert machine.rows("SELECT id FROM chunk ORDER BY id") == known
    assert machine.rows("SELECT count(*) FROM part") == [(1,)]
    assert machine.index().read == 0


def test_a_name_is_safe_and_stays_what_it_is() -> None:
    key = bytes(range(32))
    redactor = Redactor(key)
    assert safe_name("/home/ada/a b.jsonl", redactor) == "/home/ada/a b.jsonl"
    first, second = safe_name(f"/x/{TOKEN}", redactor), safe_name(f"/x/{TOKEN[:-1]}Q", redactor)
    assert first != second
    assert TOKEN not in first
    assert first == safe_name(first, redactor) == safe_name(f"/x/{TOKEN}", Redactor(key, known=[*redactor.found]))
    odd = os.fsdecode(b"/x/\xff\x1b[31m")
    assert safe_name(odd, redactor) != safe_name(os.fsdecode(b"/x/\xfe\x1b[31m"), redactor)
    assert safe_name(safe_name(odd, redactor), redactor) == safe_name(odd, redactor)
    safe_name(odd, redactor).encode()


def test_a_path_of_any_bytes_is_indexed(machine: Machine) -> None:
    path = os.fsencode(machine.projects) + b"/\xff\xfe\x07.jsonl"
    with open(path, "wb") as file:
        file.write(rows("", [("Why so odd a celadon?", "Bytes.")]).encode())
    assert machine.index().unreadable == ()
    assert machine.hits("celadon")
    assert machine.index().read == 0


@pytest.mark.parametrize("first", ["long", "short"])
def test_a_session_in_two_files_is_classed_by_the_whole(machine: Machine, first: str) -> None:
    long = [(f"question {n}", "answer " * 50) for n in range(5)]
    turns = {"long": long, "short": [("hi", "hello")]}
    second = "short" if first == "long" else "long"
    machine.write(SID, turns[first])
    machine.write(SID, turns[second], name=f"../-elsewhere/{SID}")
    machine.index()
    assert machine.facts(SID)["class"] == "work"
    assert machine.facts(SID)["turns"] == 5


def test_a_record_of_nothing_stores_nothing_and_counts(machine: Machine) -> None:
    path = machine.write(SID, [("one", "two")], cwd="")
    machine.index()
    chunks = machine.rows("SELECT id FROM chunk")
    call = {"type": "tool_use", "id": "t", "name": "AskUserQuestion", "input": {"questions": []}}
    row = {"type": "assistant", "uuid": "x", "sessionId": SID, "message": {"role": "assistant", "id": "m", "content": [call]}}
    machine.append(path, json.dumps(row) + "\n")
    assert machine.index().records == 1
    assert machine.rows("SELECT id FROM chunk") == chunks
    assert machine.facts(SID)["calls"] == 1
    assert machine.facts(SID)["project"] == ""


def test_a_project_once_known_stays(machine: Machine) -> None:
    machine.write(SID, [("one", "two")])
    machine.write(SID, [("three", "four")], name=f"../-elsewhere/{SID}", cwd="")
    machine.index()
    assert (machine.facts(SID)["project"], machine.facts(SID)["cwd"]) == ("kiln", CWD)


def test_two_sessions_of_one_name_in_one_file_are_one(machine: Machine) -> None:
    machine.index()
    told = Told("codex", "abcdef-123456", subagent=False, started="", ended="", facts=dict.fromkeys(FACTS, ""), folder="", remote="")
    rows_read = ((0, "human", "H", "first celadon", "", 0), (1, "human", "H", "second celadon", "", 0))
    reading = Reading("codex", sessions=(told, told), rows=rows_read, records=2)
    store = Store(machine.config.store_db)
    candidate = Candidate("/x", 1, 1, 1, "/", "codex")
    ingest(Ports(store, Redactor(bytes(32)), ProjectNames(), "bench", ()), candidate, "", None, reading)
    store.close()
    assert machine.texts("abcdef-123456") == ["first celadon", "second celadon"]


def test_a_login_known_from_elsewhere_is_not_stored_in_part_where_an_output_is_cut(machine: Machine) -> None:
    machine.write(sid(1), [(f"The password: {WORD}", "Noted.")])
    path = machine.write(sid(2), [("one", "two")])
    for place in range(280, 301):
        output = f"{'a ' * 200}"[: place - 1] + f" {WORD}" + " b" * 2000
        call = {"type": "tool_use", "id": f"t{place}", "name": "Bash", "input": {"command": "env"}}
        result = {"type": "tool_result", "tool_use_id": f"t{place}", "content": output}
        for kind, role, part in (("assistant", "assistant", call), ("user", "user", result)):
            message = {"role": role, "id": f"m{place}", "content": [part]}
            machine.append(path, json.dumps({"type": kind, "uuid": f"{role}{place}", "sessionId": sid(2), "message": message}) + "\n")
    machine.index()
    assert hidden(machine, WORD[:4])
