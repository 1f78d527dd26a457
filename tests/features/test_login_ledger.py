from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.domain.redact.rule import expand
from libtool.errors import LibError, NotIndexed, UsageError
from libtool.features import login_files, login_ledger
from libtool.storage.store import Store
from tests.features.machine import OTHER, SID, Machine, rows

if TYPE_CHECKING:
    from libtool.features.login_ledger import Entry

TOKEN, PASSWORD = expand("ghp_{a36}"), expand("Q7{w4}!{n3}x{w3}")
TURNS = [("how?", f"with {TOKEN}"), (f"the password is {PASSWORD}", "fine")]


@pytest.fixture
def leaky(machine: Machine) -> Machine:
    """A machine with two logins in one session, and one of them in another."""
    machine.write(SID, TURNS)
    machine.write(OTHER, [("and", f"use {TOKEN}")], first=700)
    machine.index()
    return machine


def entries(machine: Machine) -> dict[str, Entry]:
    return {one.kind: one for one in login_ledger.ledger(machine.config).entries}


def test_each_login_is_told_with_where_it_was_met(leaky: Machine) -> None:
    found = entries(leaky)
    token = found["github"]
    assert (token.first, token.last, token.times) == ("2026-03-01T09:00:30.000Z", "2026-03-02T10:40:30.000Z", 2)
    assert token.sessions == (f"claude-code:{SID}", f"claude-code:{OTHER}")
    assert (token.projects, token.machines) == (("kiln",), ("bench",))
    assert token.files == tuple(str(leaky.projects / f"{name}.jsonl") for name in (SID, OTHER))
    assert (token.rotated, token.again, token.ignored, token.spreads, token.current) == ("", False, False, True, True)
    assert found["pw"].files == (str(leaky.projects / f"{SID}.jsonl"),)
    text = repr(found)
    assert TOKEN not in text
    assert PASSWORD not in text


def test_without_a_store_there_is_no_ledger(machine: Machine) -> None:
    with pytest.raises(NotIndexed):
        login_ledger.ledger(machine.config)


def test_the_worst_comes_first(leaky: Machine) -> None:
    leaky.write("7b1d9e20-0000-4c7d-8e02-000000000003", [("a", "old " + expand("glpat-{u20}"))])
    leaky.index()
    by_kind = entries(leaky)
    assert [one.kind for one in login_ledger.ledger(leaky.config).entries] == ["github", "pw", "gitlab"]
    login_ledger.rotated(leaky.config, [by_kind["github"].fingerprint], "2026-04-01")
    assert [one.kind for one in login_ledger.ledger(leaky.config).entries] == ["pw", "gitlab", "github"]
    login_ledger.rotated(leaky.config, [by_kind["github"].fingerprint], "2026-03-01")
    assert [one.kind for one in login_ledger.ledger(leaky.config).entries] == ["github", "pw", "gitlab"]


@pytest.mark.parametrize(
    ("when", "again"),
    [
        ("2026-03-01", True),
        ("2026-03-02", False),
        ("2026-03-02T10:40:29Z", True),
        ("2026-03-02T10:40:30Z", False),
        ("2026-04-01", False),
        ("", False),
    ],
)
def test_what_is_seen_again_after_its_rotation_is_said_loudly(leaky: Machine, when: str, again: bool) -> None:
    fingerprint = entries(leaky)["github"].fingerprint
    login_ledger.rotated(leaky.config, [fingerprint], when)
    found = login_ledger.ledger(leaky.config)
    assert (entries(leaky)["github"].again, bool(found.alerts), bool(leaky.index().told)) == (again, again, again)
    if again:
        assert (
            leaky.index()
            .told[0]
            .startswith(f"login {fingerprint} (github) was seen again on 2026-03-02, after it was rotated on 2026-03-0")
        )


def test_a_file_that_is_gone_or_was_cleaned_holds_it_no_more(leaky: Machine) -> None:
    (leaky.projects / f"{OTHER}.jsonl").unlink()
    assert entries(leaky)["github"].files == (str(leaky.projects / f"{SID}.jsonl"),)
    leaky.write(SID, [TURNS[1]])
    assert entries(leaky)["github"].files == ()
    assert entries(leaky)["pw"].files == (str(leaky.projects / f"{SID}.jsonl"),)
    leaky.index()
    assert entries(leaky)["github"].files == ()
    assert len(entries(leaky)["github"].sessions) == 2


def test_a_changed_file_is_read_again_also_for_what_stands_bare_in_it(leaky: Machine) -> None:
    path = leaky.write(SID, [("once", f"more {PASSWORD} here")])
    assert entries(leaky)["pw"].files == (str(path),)
    assert entries(leaky)["github"].files == (str(leaky.projects / f"{OTHER}.jsonl"),)


def test_a_file_that_was_put_in_the_place_of_another_is_read_again(leaky: Machine) -> None:
    path = leaky.projects / f"{SID}.jsonl"
    status, text = path.stat(), path.read_text()
    path.rename(path.with_name("backup"))
    path.write_text(text.replace(TOKEN, "x" * len(TOKEN)))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert str(path) not in entries(leaky)["github"].files


def test_a_file_that_cannot_be_looked_into_is_taken_to_hold_what_it_held(leaky: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    both = tuple(str(leaky.projects / f"{name}.jsonl") for name in (SID, OTHER))
    leaky.write(SID, [("nothing", "here")])
    with monkeypatch.context() as patched:
        patched.setattr(login_files, "READ_AGAIN", 10)
        assert entries(leaky)["github"].files == both
    (leaky.projects / f"{SID}.jsonl").write_text("no transcript any more")
    assert entries(leaky)["github"].files == both
    leaky.projects.rename(leaky.projects.with_name("moved"))
    leaky.projects.write_text("in the way")
    assert entries(leaky)["github"].files == both


def test_a_file_with_a_login_in_its_name_is_told_by_its_redacted_name(machine: Machine) -> None:
    machine.write(SID, [("a", "b")], name=TOKEN)
    machine.index()
    (entry,) = login_ledger.ledger(machine.config).entries
    assert (entry.sessions, entry.times, entry.first[:10]) == ((f"claude-code:{SID}",), 0, "2026-03-01")
    assert [TOKEN in path or "[REDACTED:" in path for path in entry.files] == [True]
    assert TOKEN not in repr(entry)


def test_a_part_of_a_fingerprint_or_a_placeholder_is_enough(leaky: Machine) -> None:
    fingerprint = entries(leaky)["github"].fingerprint
    for text in (
        fingerprint[:6],
        fingerprint.upper(),
        f"[REDACTED:github-{fingerprint}]",
        f"github-{fingerprint}",
        f" REDACTED:x-{fingerprint} ",
    ):
        assert login_ledger.named(leaky.config, text) == fingerprint
    for text in ("", "abc", "xyz12345", fingerprint + "0", TOKEN):
        with pytest.raises(UsageError, match="no fingerprint") as refused:
            login_ledger.named(leaky.config, text)
        assert TOKEN not in refused.value.message + refused.value.hint
    with pytest.raises(LibError, match="was met"):
        login_ledger.named(leaky.config, "f" * 12 if not fingerprint.startswith("ffff") else "e" * 12)


def test_an_ambiguous_one_lists_the_candidates(leaky: Machine) -> None:
    store = Store(leaky.config.store_db)
    store.save_logins([(f"abcd{number:08x}", "pw", 0, "") for number in range(9)])
    store.close()
    with pytest.raises(UsageError, match="one of several") as refused:
        login_ledger.named(leaky.config, "abcd")
    assert refused.value.hint.startswith("say which: abcd00000000, ")
    assert refused.value.hint.endswith(", ...")
    with pytest.raises(UsageError, match="one of several") as refused:
        login_ledger.named(leaky.config, "abcd0000000")
    store = Store(leaky.config.store_db)
    store.db.execute("DELETE FROM login WHERE fingerprint >= 'abcd00000002'")
    store.close()
    with pytest.raises(UsageError) as refused:
        login_ledger.named(leaky.config, "abcd")
    assert refused.value.hint == "say which: abcd00000000, abcd00000001"


def test_what_is_ignored_is_written_into_the_configuration_and_shown_again(leaky: Machine) -> None:
    fingerprint = entries(leaky)["github"].fingerprint
    assert login_ledger.ignore(leaky.config, fingerprint, f"not {TOKEN} but a test")
    leaky.reload()
    assert not login_ledger.ignore(leaky.config, fingerprint, "again")
    with open(leaky.config.config_file, encoding="utf-8") as file:
        text = file.read()
    assert TOKEN not in text
    assert "but a test" in text
    assert entries(leaky)["github"].ignored
    leaky.index()
    assert f"with {TOKEN}" in leaky.texts(SID)
    assert not any(PASSWORD in said for said in leaky.texts(SID))


def test_a_growing_file_adds_to_what_was_counted(leaky: Machine) -> None:
    path = leaky.projects / f"{SID}.jsonl"
    leaky.append(path, rows(SID, [("again", f"{TOKEN} and {TOKEN}")], first=50))
    leaky.index()
    token = entries(leaky)["github"]
    assert (token.times, token.last[:10]) == (4, "2026-03-02")
    leaky.write(SID, [*TURNS, ("again", "no more")])
    leaky.index()
    assert entries(leaky)["github"].times == 2


def test_a_forgotten_session_is_in_no_ledger(leaky: Machine) -> None:
    store = Store(leaky.config.store_db)
    store.begin()
    store.forget("claude-code", SID)
    store.commit()
    store.close()
    assert entries(leaky)["github"].sessions == (f"claude-code:{OTHER}",)
    assert entries(leaky)["pw"].sessions == ()
    assert os.path.exists(leaky.config.store_db)
