from __future__ import annotations

import json
import os
import re
import zlib
from typing import TYPE_CHECKING

import pytest

from libtool.domain.redact import Redactor
from libtool.domain.redact.rule import expand
from libtool.features import index, login_enrol, login_ledger, review_kept, sweep
from libtool.storage import key, purge
from libtool.storage.store import Store, compress, decompress
from tests.features.machine import OTHER, SID, Machine, rows

if TYPE_CHECKING:
    from collections.abc import Iterator

TOKEN = expand("{w3}{n3}{w4}-Q{u9}")
"""Nothing says that it is a login, until its owner does."""


@pytest.fixture
def store(machine: Machine) -> Iterator[Store]:
    machine.data.mkdir()
    store = Store(machine.config.store_db)
    yield store
    store.close()


def held(machine: Machine) -> bool:
    return TOKEN.encode() in machine.bytes_of_all_files()


def test_what_was_stored_before_a_login_was_known_is_rewritten(machine: Machine) -> None:
    machine.write(SID, [(f"try {TOKEN} first", "done"), ("and", "now")], gitBranch=f"fix/{TOKEN}")
    machine.write(OTHER, [("something", "else")], first=700)
    machine.index()
    assert held(machine)
    before = machine.rows("SELECT id FROM chunk ORDER BY id")
    done = login_enrol.enrol(machine.config, TOKEN)
    assert (done.new, done.wiped) == (True, True)
    assert done.changed >= 2
    assert not held(machine)
    placeholder = f"[REDACTED:own-{done.fingerprint}]"
    assert f"try {placeholder} first" in machine.texts(SID)
    assert machine.facts(SID)["branch"] == f"fix/{placeholder}"
    assert machine.hits("try first") == [(SID, 1)]
    assert machine.hits(f'"{done.fingerprint}"')
    assert len(set(before) & set(machine.rows("SELECT id FROM chunk"))) == len(before) - 1
    (entry,) = login_ledger.ledger(machine.config).entries
    assert (entry.kind, entry.times, entry.sessions, len(entry.files)) == ("own", 1, (f"claude-code:{SID}",), 1)
    assert machine.index().rows == 0


def test_only_new_logins_make_work(machine: Machine) -> None:
    machine.write(SID, [("hello", "there")])
    machine.index()
    login_enrol.enrol(machine.config, TOKEN)
    before = machine.changes()
    again = login_enrol.enrol(machine.config, TOKEN)
    assert (again.new, again.changed) == (False, 0)
    machine.index()
    assert machine.rows("SELECT swept FROM login") == [(1,)]
    assert machine.changes()["search.db"] == before["search.db"]


def test_a_chunk_that_two_sessions_share_is_rewritten_for_both(machine: Machine) -> None:
    turns = [(f"the long story of {TOKEN} " + "clay " * 80, "and its end " * 30)]
    machine.write(SID, turns)
    machine.write(OTHER, turns)
    machine.index()
    login_enrol.enrol(machine.config, TOKEN)
    assert machine.texts(SID) == machine.texts(OTHER)
    assert machine.rows("SELECT count(*) FROM chunk") == [(1,)]
    assert not held(machine)
    assert login_ledger.ledger(machine.config).entries[0].times == 2


def test_one_that_becomes_equal_to_another_is_joined_with_it(machine: Machine) -> None:
    key.replace(machine.config, bytes(range(32)))
    placeholder = f"[REDACTED:own-{Redactor(bytes(range(32))).fingerprint(TOKEN)}]"
    story = "the long story of {} " + "clay " * 80
    machine.write(SID, [(story.format(TOKEN), "end")])
    machine.write(OTHER, [(story.format(placeholder), "end")])
    machine.index()
    login_enrol.enrol(machine.config, TOKEN)
    assert machine.rows("SELECT count(*) FROM chunk") == [(1,)]
    assert machine.texts(SID) == machine.texts(OTHER)


def test_names_of_files_sessions_and_tombstones_are_changed_alike(machine: Machine) -> None:
    path = machine.write(f"{TOKEN}", [("hello", "there")], name=TOKEN)
    machine.write(f"x@{TOKEN}", [("good", "bye")], name=f"x {TOKEN}", parentUuid=None)
    machine.index()
    store = Store(machine.config.store_db)
    store.begin()
    store.forget("claude-code", f"x@{TOKEN}")
    store.db.execute("INSERT INTO tombstone VALUES ('codex', ?)", (f"y {TOKEN}",))
    store.commit()
    store.close()
    machine.index()
    assert TOKEN in (machine.data / "forgotten").read_text()
    login_enrol.enrol(machine.config, TOKEN)
    assert not held(machine)
    fingerprint = login_ledger.ledger(machine.config).entries[0].fingerprint
    assert f"y [REDACTED:login-{fingerprint}]" in (machine.data / "forgotten").read_text()
    report = machine.index()
    assert (report.records, report.missing, report.unreadable) == (0, 0, ())
    machine.append(path, rows(TOKEN, [("more", "words")], first=9))
    machine.index()
    assert machine.texts(f"[REDACTED:login-{fingerprint}]")[-1] == "words"
    assert not held(machine)


def test_a_session_whose_new_name_is_taken_is_joined_with_the_one_that_has_it(store: Store, machine: Machine) -> None:
    name = f"[REDACTED:login-{Redactor(key.load(machine.config)).fingerprint(TOKEN)}]"
    store.begin()
    old, new = store.session_id("codex", TOKEN), store.session_id("codex", name)
    for number, session in enumerate((old, new)):
        part, _ = store.part(number + 1, session)
        store.db.execute("UPDATE part SET turns = ? WHERE id = ?", (7 - number, part))
    store.commit()
    store.close()
    assert login_enrol.enrol(machine.config, TOKEN).changed == 1
    assert machine.rows("SELECT sid, turns FROM session") == [(name, 7)]
    assert machine.rows("SELECT session FROM part") == [(new,), (new,)]


def test_what_readers_and_the_walk_remember_is_looked_through(store: Store, machine: Machine) -> None:
    hidden = "pa\\ss9-Wo" + expand("{n3}{w4}")
    store.begin()
    for number, (state, tally) in enumerate(
        [
            (json.dumps({"title": hidden}), json.dumps({"notes": [f"{hidden} and {hidden}"], "n": 1})),
            (json.dumps({"title": "a \\ b"}), json.dumps({"notes": ["a \\ b"]})),
            (None, ""),
        ]
    ):
        store.db.execute(
            "INSERT INTO file(path, agent, inode, size, mtime_ns, offset, edge, missing, side, state, tally, error)"
            " VALUES (?, 'codex', 1, 1, 1, 1, x'00', 1, '', ?, ?, ?)",
            (f"/{number}", state, tally, f"no {hidden}" if number == 2 else ""),
        )
    store.save_fact("walk", json.dumps({"folders": {hidden: {}}}))
    store.commit()
    store.close()
    done = login_enrol.enrol(machine.config, hidden)
    assert done.changed == 3
    found = machine.rows("SELECT state, tally, error FROM file ORDER BY path")
    placeholder = f"[REDACTED:own-{done.fingerprint}]"
    assert found[0][0] is None
    assert json.loads(found[0][1]) == {"notes": [f"{placeholder} and {placeholder}"], "n": 1}
    assert found[1][0] == json.dumps({"title": "a \\ b"})
    assert found[2] == (None, "", f"no {placeholder}")
    assert machine.rows("SELECT value FROM fact WHERE name = 'walk'") == [("",)]


def test_a_file_that_the_walk_remembers_by_a_login_is_forgotten(machine: Machine) -> None:
    folder = machine.home / "work" / ".specstory" / "history"
    folder.mkdir(parents=True)
    (folder / f"{TOKEN}.md").write_text("<!-- Generated by SpecStory -->\n\nnothing\n")
    machine.write(SID, [("hello", "there")])
    machine.index()
    assert held(machine)
    login_enrol.enrol(machine.config, TOKEN)
    assert not held(machine)
    machine.index()
    machine.index()
    assert not held(machine)


def test_tables_of_others_are_looked_through_too(machine: Machine) -> None:
    machine.write(SID, [("hello", "there")])
    machine.index()
    store = Store(machine.config.store_db)
    store.db.execute("CREATE TABLE later (name TEXT PRIMARY KEY, count INTEGER, text TEXT, body BLOB) WITHOUT ROWID")
    bodies = [compress(f"kept {TOKEN} too"), b"no zlib", compress("nothing")]
    values = (f"kept {TOKEN} here", *bodies)
    store.db.execute("INSERT INTO later VALUES ('a', 1, ?, ?), ('b', 2, NULL, ?), ('c', 3, 'nothing', ?)", values)
    store.save_logins([(login_enrol.found_as((machine.data / "key").read_bytes(), TOKEN), "own", 1, "")])
    assert sweep.sweep(machine.config, store) == 2
    kept = [body for (body,) in store.db.execute("SELECT body FROM later ORDER BY name")]
    assert (kept[0] != bodies[0], kept[1:]) == (True, bodies[1:])
    assert re.fullmatch(r"kept \[REDACTED:own-[0-9a-f]{12}\] too", decompress(kept[0]))
    texts = store.db.execute("SELECT text FROM later ORDER BY name").fetchall()
    store.db.execute("DROP TABLE later")
    store.close()
    assert [text is None or TOKEN in text for (text,) in texts] == [False, True, False]


def test_what_is_ignored_is_not_looked_for(machine: Machine) -> None:
    machine.write(SID, [("hello", TOKEN)])
    machine.index()
    store = Store(machine.config.store_db)
    fingerprint = login_enrol.found_as((machine.data / "key").read_bytes(), TOKEN)
    store.save_logins([(fingerprint, "own", 1, "")])
    assert sweep.sweep(machine.config.replace(logins_allow=(fingerprint,)), store) == 0
    assert sweep.sweep(machine.config, store) == 0
    store.close()


def test_a_reader_in_the_way_is_said_and_the_next_run_wipes(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine.write(SID, [(f"try {TOKEN} first", "done")])
    machine.index()
    monkeypatch.setattr(purge, "WAIT_SECONDS", 0.1)
    reader = Store.for_reading(machine.config.store_db)
    reader.db.execute("BEGIN")
    reader.db.execute("SELECT count(*) FROM session").fetchone()
    assert not login_enrol.enrol(machine.config, TOKEN).wiped
    reader.close()
    assert machine.rows("SELECT value FROM fact WHERE name = 'traces'") == [("1",)]
    machine.index()
    assert machine.rows("SELECT value FROM fact WHERE name = 'traces'") == [("",)]
    assert not held(machine)


def test_a_search_db_of_another_store_is_left_to_the_next_run(machine: Machine) -> None:
    machine.write(SID, [(f"try {TOKEN} first", "done")])
    machine.index()
    search = index.open_search(machine.config, [])
    search.db.execute("UPDATE mark SET value = 7 WHERE name = 'store'")
    search.close()
    assert login_enrol.enrol(machine.config, TOKEN).changed == 2
    machine.index()
    for name in os.listdir(machine.data):
        if ".damaged-" in name:
            os.unlink(machine.data / name)
    assert not held(machine)


@pytest.mark.parametrize("at_once", [True, False])
def test_what_the_search_db_holds_of_the_library_is_taken_in_again(machine: Machine, at_once: bool) -> None:
    entries = os.path.join(machine.config.library, "entries")
    os.makedirs(entries)
    for name, word in (("kiln-ports", TOKEN), ("kiln-clay", "celadon")):
        with open(os.path.join(entries, f"{name}.md"), "w", encoding="utf-8") as file:
            file.write(f"# {name}\n\n## Answer\n\nThe one to use is {word} today.\n")
    machine.write(SID, [("hello", "there")])
    machine.index()
    assert any(TOKEN.encode() in zlib.decompress(body) for (body,) in machine.rows("SELECT body FROM passage", name="search.db"))
    if at_once:
        assert login_enrol.enrol(machine.config, TOKEN).changed == 0
    else:
        store = Store(machine.config.store_db)
        store.save_logins([(login_enrol.found_as(key.load(machine.config), TOKEN), "own", 1, "")])
        store.close()
        assert machine.index().entries == 1
    bodies = machine.rows("SELECT body FROM passage", name="search.db")
    assert not any(TOKEN.encode() in zlib.decompress(body) for (body,) in bodies)
    assert TOKEN.encode() not in (machine.data / "search.db").read_bytes()
    assert machine.index().rows == 0


def test_what_was_kept_of_a_review_is_looked_through_too(machine: Machine) -> None:
    machine.data.mkdir()
    path = review_kept.keep(machine.config, "claude-code", SID, f"- 2026-10-01: try {TOKEN} first")
    other = review_kept.keep(machine.config, "claude-code", SID, "- 2026-10-01: nothing of the kind")
    done = login_enrol.enrol(machine.config, TOKEN)
    assert done.changed == 1
    assert not held(machine)
    clean = review_kept.keep(machine.config, "claude-code", SID, f"- 2026-10-01: try [REDACTED:own-{done.fingerprint}] first")
    assert sorted(os.listdir(os.path.dirname(path))) == sorted(os.path.basename(one) for one in (other, clean))
    review_kept.forget(machine.config, "claude-code", SID)
    assert os.listdir(os.path.dirname(path)) == []
