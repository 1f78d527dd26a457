from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact.rule import expand
from libtool.features import login_ledger, login_sharing
from libtool.features.login_sharing import shared, take_shared
from libtool.storage import key
from tests.features.machine import SID, Machine

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = expand("ghp_{a36}")
TURNS = [("how?", f"with {TOKEN}")]


@pytest.fixture
def two(tmp_path: Path) -> tuple[Machine, Machine]:
    """Two machines with one key, on which one login was met."""
    both = Machine(tmp_path / "one"), Machine(tmp_path / "two")
    for machine in both:
        machine.write(SID, TURNS)
        key.replace(machine.config, bytes(range(32)))
        machine.index()
    return both


def changed(content: bytes, **fields: Any) -> bytes:
    """A file with other fields; those of a login are given as `login_...`."""
    value = json.loads(content)
    for name, field in fields.items():
        if name.startswith("login_"):
            value["logins"][0][name.removeprefix("login_")] = field
        else:
            value[name] = field
    return json.dumps(value).encode()


def test_what_is_shared_holds_fingerprints_and_dates_alone(two: tuple[Machine, Machine]) -> None:
    content = shared(two[0].config)
    (fingerprint,) = (one.fingerprint for one in login_ledger.ledger(two[0].config).entries)
    day = "2026-03-01"
    assert json.loads(content) == {
        "version": 1,
        "key": key.tag(bytes(range(32))),
        "logins": [{"fingerprint": fingerprint, "kind": "github", "first": day, "last": day, "rotated": ""}],
    }
    for word in (TOKEN, "kiln", "ada", SID, str(two[0].home), bytes(range(32)).hex()):
        assert word.encode() not in content
    two[0].index()
    assert shared(two[0].config) == content == shared(two[1].config)


def test_there_is_nothing_to_share_without_a_store_or_a_key(machine: Machine) -> None:
    assert shared(machine.config) == b""
    assert take_shared(machine.config, {"a.json": b"{}"}) == 0
    machine.write(SID, TURNS)
    machine.index()
    (machine.data / "key").unlink()
    assert shared(machine.config) == b""


def test_what_one_machine_rotated_is_rotated_on_the_other(two: tuple[Machine, Machine]) -> None:
    (entry,) = login_ledger.ledger(two[0].config).entries
    login_ledger.rotated(two[0].config, [entry.fingerprint], "2026-03-09T10:00:00Z")
    files = {"logins/desk.json": shared(two[0].config)}
    assert take_shared(two[1].config, files) == 1
    (theirs,) = login_ledger.ledger(two[1].config).entries
    assert (theirs.rotated, theirs.machines) == ("2026-03-09T10:00:00Z", ("bench", "desk"))
    before = two[1].changes()
    assert take_shared(two[1].config, files) == 0
    assert two[1].changes()["search.db"] == before["search.db"]


def test_its_own_file_tells_a_machine_nothing(two: tuple[Machine, Machine]) -> None:
    rotated = changed(shared(two[0].config), login_rotated="2026-03-09")
    assert take_shared(two[0].config, {"logins/bench.json": rotated}) == 0
    assert login_ledger.ledger(two[0].config).entries[0].rotated == ""


def test_a_machine_with_another_key_is_named_and_not_matched(two: tuple[Machine, Machine]) -> None:
    other = changed(shared(two[0].config), key="0" * 16, login_rotated="2026-03-09")
    empty = changed(shared(two[0].config), key="1" * 16, logins=[])
    assert take_shared(two[1].config, {"desk.json": other, "attic.json": empty}) == 0
    found = login_ledger.ledger(two[1].config)
    assert (found.strangers, found.entries[0].rotated, found.entries[0].machines) == (("attic", "desk"), "", ("bench",))
    assert take_shared(two[1].config, {"desk.json": empty, "attic.json": shared(two[0].config)}) == 0
    found = login_ledger.ledger(two[1].config)
    assert (found.strangers, found.entries[0].machines) == (("desk",), ("attic", "bench"))


@pytest.mark.parametrize(
    "fields",
    [
        {"version": 2},
        {"version": None},
        {"key": "xyz"},
        {"key": 7},
        {"logins": {}},
        {"logins": [7]},
        {"login_fingerprint": "x" * 12},
        {"login_fingerprint": None},
        {"login_kind": "<script>"},
        {"login_rotated": "9999"},
        {"login_last": "yesterday"},
    ],
)
def test_of_a_file_that_is_not_as_it_must_be_nothing_is_taken(two: tuple[Machine, Machine], fields: dict[str, Any]) -> None:
    good = changed(shared(two[0].config), login_rotated="2026-03-09")
    assert take_shared(two[1].config, {"desk.json": changed(good, **fields)}) == 0
    assert login_ledger.ledger(two[1].config).strangers == ()
    assert take_shared(two[1].config, {"desk.json": good}) == 1


def test_size_and_name_are_looked_at(two: tuple[Machine, Machine], monkeypatch: pytest.MonkeyPatch) -> None:
    good = changed(shared(two[0].config), login_rotated="2026-03-09")
    for name in ("desk", "desk.txt", "a b.json", ".json", "x" * 101 + ".json"):
        assert take_shared(two[1].config, {name: good}) == 0
    with monkeypatch.context() as patched:
        patched.setattr(login_sharing, "LARGEST", 10)
        assert take_shared(two[1].config, {"desk.json": good}) == 0
    with monkeypatch.context() as patched:
        patched.setattr(login_sharing, "MOST", 0)
        assert take_shared(two[1].config, {"desk.json": good}) == 0
    assert take_shared(two[1].config, {"desk.json": b"[" * 100_000}) == 0


@given(st.binary(max_size=300) | st.recursive(st.none() | st.text(max_size=9), st.lists).map(lambda v: json.dumps(v).encode()))
def test_whatever_another_machine_sends_is_judged(content: bytes) -> None:
    assert login_sharing._checked(content) is None
