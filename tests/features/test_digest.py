from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from libtool.domain.digest import LIMIT
from libtool.domain.ref import parse
from libtool.features import digest, forget, search, show_digest
from libtool.storage.digests import Digests
from libtool.storage.search_db import Filter
from libtool.storage.session_db import SessionDb, tail
from libtool.storage.store import Store
from tests.features.machine import OTHER, SID, Machine, rows, sid

TURNS = [
    (
        f"Please raise the ceiling_{word}() of the kiln, it is too low.",
        f"Raised ceiling_{word}() in src/kiln/{word}.py. {'It holds well. ' * 40}",
    )
    for word in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
]


def printed(machine: Machine, session: str = SID) -> str:
    return show_digest.of_ref(machine.config, parse(f"claude-code:{session}")).text


def kept(machine: Machine) -> list[tuple[str, bytes]]:
    return [tuple(row) for row in machine.rows("SELECT sid, body FROM digest JOIN session ON session.id = session ORDER BY sid")]


def test_an_index_makes_digests_and_a_second_run_writes_nothing(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    assert [name for name, _ in kept(machine)] == [SID]
    assert machine.rows("SELECT * FROM due") == []
    assert "ceiling_zeta()" in printed(machine)
    before = machine.rows("SELECT id, body FROM digest")
    assert machine.index().rows == 0
    assert machine.rows("SELECT id, body FROM digest") == before


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cuts=st.lists(st.integers(1, 11), max_size=3, unique=True).map(sorted))
def test_grown_in_steps_it_is_that_of_one_pass(tmp_path_factory: pytest.TempPathFactory, cuts: list[int]) -> None:
    lines = rows(SID, TURNS).splitlines(keepends=True)
    whole, grown = (Machine(tmp_path_factory.mktemp("machine")) for _ in range(2))
    whole.write(SID, TURNS)
    whole.index()
    path = grown.write(SID, [])
    for begin, end in zip([0, *cuts], [*cuts, len(lines)], strict=True):
        grown.append(path, "".join(lines[begin:end]))
        grown.index()
    assert kept(grown) == kept(whole)
    assert grown.rows("SELECT count(*) FROM digest") == grown.rows("SELECT count(*) FROM session")


def test_a_turn_reads_only_what_is_new(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    path = machine.write(SID, TURNS)
    machine.index()
    read: list[int] = []
    real = Digests.chunks

    def watched(self: Digests, part: int, first: int) -> Any:
        read.append(first)
        return real(self, part, first)

    monkeypatch.setattr(Digests, "chunks", watched)
    machine.append(path, rows(SID, [("And the wheel of it?", "The wheel_of_it() is fixed in src/wheel.py now.")], first=6))
    machine.index()
    assert len(read) == 1
    assert read[0] > 1
    assert "wheel_of_it()" in printed(machine)


def test_its_time_is_of_the_newest_text_whatever_was_read_last(machine: Machine) -> None:
    path = machine.write(SID, [])
    times = []
    for first, turns in ((30, TURNS), (0, TURNS[:3]), (3, TURNS[3:])):
        machine.append(path, rows(SID, turns, first=first))
        machine.index()
        times += machine.rows("SELECT time FROM digest")
    assert times == times[:1] * 3
    assert times[:1] == machine.rows("SELECT max(time) FROM chunk")


def test_a_rewritten_file_starts_anew(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    machine.write(
        SID, [(prompt.replace("ceiling", "floor"), answer.replace("ceiling", "floor") + "More. " * 9) for prompt, answer in TURNS]
    )
    machine.index()
    assert "floor_zeta()" in printed(machine)
    assert "ceiling_zeta()" not in printed(machine)


NEW = [("Now fire the wood_stove() instead.", f"Fired wood_stove() in src/stove.py. {'It burns well. ' * 50}")]


@pytest.mark.parametrize("first", [SID, OTHER])
def test_a_fork_says_what_it_continues_and_no_more_of_it(machine: Machine, first: str) -> None:
    for name in (first, OTHER if first == SID else SID):
        machine.write(name, [*TURNS, *NEW] if name == OTHER else TURNS)
        machine.index()
    machine.index()
    assert machine.rows("SELECT * FROM due") == []
    original, copied = printed(machine), printed(machine, OTHER)
    assert "ceiling_alpha()" in original
    assert "continues" not in original
    assert f"continues claude-code:{SID[-8:]}" in copied
    assert "wood_stove()" in copied
    assert "ceiling_" not in copied
    assert machine.index().rows == 0


def test_a_fork_grows_by_what_is_its_own(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    path = machine.write(OTHER, TURNS)
    machine.index()
    assert kept(machine)[-1][0] == SID
    for number, (prompt, answer) in enumerate([*NEW, *NEW[:1]], 6):
        machine.append(path, rows(OTHER, [(prompt, answer)], first=number))
        machine.index()
    text = printed(machine, OTHER)
    assert "wood_stove()" in text
    assert "ceiling_" not in text
    assert f"continues claude-code:{SID[-8:]}" in text


def test_two_sessions_with_one_prompt_are_no_fork(machine: Machine) -> None:
    prompt = "Implement the plan of the kiln_driver() and of its damper, all of it, please. " * 20
    for name, word in ((SID, "alpha"), (OTHER, "beta")):
        machine.write(name, [(prompt, f"Done: ceiling_{word}() is raised. " + "It holds well. " * 90), ("Go on", "Went on with it. " * 99)])
    machine.index()
    assert "continues" not in printed(machine, SID) + printed(machine, OTHER)
    assert "kiln_driver()" in printed(machine, SID)
    assert "kiln_driver()" in printed(machine, OTHER)


def test_sub_agents_and_withheld_classes_get_none_until_asked(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.write(sid(7), [("ok", "ok")])
    machine.index()
    assert [name for name, _ in kept(machine)] == [SID]
    store = Store(machine.config.store_db)
    store.db.execute("UPDATE session SET class = 'automated' WHERE sid = ?", (SID,))
    store.close()
    machine.write(sid(8), TURNS[:1])
    machine.index()
    assert [name for name, _ in kept(machine)] == [sid(8)]
    assert "ceiling_zeta()" in printed(machine)


def test_what_says_nothing_has_no_digest(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    store = Store(machine.config.store_db)
    (row,) = store.session_rows()
    assert Digests(store.db).get(row)
    store.db.execute("DELETE FROM source")
    assert not digest.update(store, row)
    assert Digests(store.db).get(row) is None
    store.close()


def test_there_is_time_for_some_and_the_rest_is_still_to_come(machine: Machine) -> None:
    for number in range(4):
        machine.write(sid(number), TURNS[:2])
    machine.index()
    store = Store(machine.config.store_db)
    store.db.execute("INSERT INTO due SELECT id FROM session")
    ticks = iter(range(99))
    assert digest.catch_up(store, seconds=6, clock=lambda: next(ticks)).left == 2
    assert digest.catch_up(store, seconds=-1).left == 2
    assert digest.catch_up(store, seconds=60) == (0, 0)
    assert digest.catch_up(store, seconds=60) == (0, 0)
    store.close()


def test_a_forgotten_session_leaves_nothing_of_its_digest(machine: Machine) -> None:
    secretive = [(prompt, answer.replace("ceiling", "quaggamire")) for prompt, answer in TURNS]
    machine.write(SID, secretive)
    machine.write(OTHER, [("Is the shed swept by now?", "Yes, the old shed is swept.")])
    machine.index()
    assert b"quaggamir" in (machine.data / "search.db").read_bytes()
    forget.forget(machine.config, forget.target(machine.config, f"claude-code:{SID}"))
    assert kept(machine)[0][0] == OTHER
    assert machine.rows("SELECT * FROM gathered WHERE part NOT IN (SELECT id FROM part)") == []
    assert machine.rows("SELECT * FROM gone") == []
    for path in machine.data.iterdir():
        assert path.is_dir() or b"quaggamir" not in path.read_bytes(), path
    assert machine.index().rows == 0


def test_a_login_known_too_late_leaves_the_digest_too(machine: Machine) -> None:
    value = "Zk" + "7qR2mW9x" + "T4vB8nC1"
    turns = [(prompt, answer.replace("It holds", f"The word is {value} and it holds", 1)) for prompt, answer in TURNS]
    machine.write(SID, turns)
    machine.index()
    assert value in printed(machine)
    machine.write(OTHER, [("Set it up again.", f"Run `export KILN_PASSWORD={value}` first, the kiln asks for it.")])
    machine.index()
    assert value not in printed(machine)
    assert "ceiling_zeta()" in printed(machine)
    for path in machine.data.glob("*.db*"):
        assert value.lower().encode() not in path.read_bytes().lower(), path
    assert machine.index().rows == 0


def test_a_digest_answers_where_no_chunk_does_as_well(machine: Machine) -> None:
    filler = "Nothing of it matters to anybody in the shed. " * 60
    machine.write(
        SID,
        [
            ("Why does the celadon crack?", f"Because of the quartz. {filler}"),
            ("And why does the raku crack then?", f"The smoke of the firing is why. {filler}"),
        ],
    )
    machine.index()
    hits = search.search(machine.config, "celadon smoke quartz raku", Filter(), limit=9).hits
    (hit,) = [hit for hit in hits if hit.kind == "digest"]
    assert hit.ref == f"digest:claude-code:{SID[-8:]}"
    assert hit.tier == search.STRONG
    # What a chunk says as well is not told twice.
    hits = search.search(machine.config, "quartz", Filter(), limit=9).hits
    assert [hit.kind for hit in hits] == ["session"]
    narrow = search.search(machine.config, "celadon smoke quartz raku", Filter(project="kiln", kinds=("session",)), limit=9).hits
    assert "digest" in [hit.kind for hit in narrow]
    notes = search.search(machine.config, "celadon smoke", Filter(kinds=("note",)), limit=9).hits
    assert notes == []


def test_a_tail_names_one_session(machine: Machine) -> None:
    for first in "12":
        machine.write(f"{first}{SID[1:]}", TURNS)
    machine.write("short", TURNS)
    machine.index()
    with SessionDb(machine.config.store_db) as database:
        assert tail(database.rows, "claude-code", f"1{SID[1:]}") == f"1{SID[1:]}"[-36:]
        assert tail(database.rows, "claude-code", "short") == "short"
    assert len(printed(machine, f"1{SID[1:]}").encode()) <= LIMIT


def test_forks_of_a_fork_settle_also_when_all_is_read_anew(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.write(OTHER, [*TURNS, *NEW])
    machine.write(sid(9), [*TURNS, *NEW, ("And now the shed of it?", "Swept_shed() is in src/shed.py now. " + "It is clean. " * 60)])
    for _ in range(3):
        machine.index()
    before = kept(machine)
    assert len(before) == 3
    assert "continues" not in printed(machine)
    assert "ceiling_" not in printed(machine, OTHER) + printed(machine, sid(9))
    for order in ("ASC", "DESC"):
        store = Store(machine.config.store_db)
        store.db.execute("DELETE FROM gathered")
        for (row,) in store.rows(f"SELECT id FROM session ORDER BY ended {order}"):  # noqa: S608
            digest.update(store, row)
        store.close()
        for _ in range(3):
            machine.index()
        assert kept(machine) == before
        assert machine.rows("SELECT * FROM due") == []
