from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.domain.ref import parse
from libtool.errors import LibError, LibraryNotFound, Unproved
from libtool.features import search, show_entry
from libtool.features import verify as features_verify
from libtool.features.verify import Verified, verify
from libtool.storage.lock import writer_lock
from libtool.storage.search_db import Filter
from tests.features.code import Code, environ
from tests.features.library import Library, entry
from tests.features.machine import SID, Machine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def code(tmp_path: Path) -> Code:
    return Code(tmp_path / "api")


@pytest.fixture
def shelf(machine: Machine) -> Library:
    return Library(machine)


def run(shelf: Library, code: Code, *topics: str) -> list[Verified]:
    return verify(shelf.machine.config, environ(), topics, [], str(code.folder)).entries


def told(one: Verified) -> list[tuple[str, str]]:
    return [(check.outcome, check.state) for check in one.checks]


def test_claims_and_places(shelf: Library, code: Code) -> None:
    old = code.commit("Begin", a__py="one\ntwo\n")
    pointers = f'- api@{old} a.py#L2\n- web@1234567 x\n- https://example.org/\n- absent api@{old} "token cron"\n- absent web@1234567 "x"'
    shelf.write("cron", entry("Cron", "No. (2026-03-02)", Pointers=pointers))
    shelf.write("glaze", entry("Glaze", "Ash. (2026-03-02)"))
    steps: list[tuple[int, int]] = []
    report = verify(shelf.machine.config, environ(), [], [str(code.folder)], "/", progress=lambda done, total: steps.append((done, total)))
    found = report.entries
    assert [(one.topic, one.state, one.commits) for one in found] == [("cron", "holds", (old,)), ("glaze", "unknown", ())]
    assert told(found[0]) == [("same", "holds"), ("unknown", "unknown"), ("absent", "holds"), ("unknown", "unknown")]
    assert steps == [(0, 2), (1, 2)]
    code.commit("More", a__py="one\n2\n", **{"token_cron.py": ""})
    (one,) = run(shelf, code, "cron")
    assert one.state == "changed"
    assert told(one)[0] == ("changed", "changed")
    assert (one.checks[2].outcome, one.checks[2].detail) == ("present", "1 place, the first token_cron.py")
    code.commit("Twice", b__py="token_cron()\ntoken_cron()\n")
    code.git("rm", "-q", "token_cron.py")
    assert run(shelf, code, "cron")[0].checks[2].detail == "3 places, the first token_cron.py"
    code.commit("Drop")
    shelf.write("same", entry("Same", "No. (2026-03-02)", Pointers=f'- absent api@{old[:9]} "token cron"'))
    found = run(shelf, code, "cron", "same")
    assert [found[0].checks[2].detail, found[1].checks[0].detail] == ["2 places, the first b.py:1"] * 2


def test_sessions_and_links(shelf: Library, code: Code) -> None:
    far, lost = "0199a8f2-5d20-7a41-9c7e-3be1f08d6a55", "0199a8f2-0000-0000-0000-000000000000"
    cited = f"- claude-code:{SID} bench 2026-03-02\n- codex:{far} barn 2026-03-01\n- codex:{lost} bench 2026-03-01"
    text = entry("Cron", "No. (2026-03-02)", Pointers=f"- [[cron]]\n- [[zebra]]\n- claude-code:{SID}\n- codex:{far}#3", Session=cited)
    shelf.write("cron", text)
    (one,) = run(shelf, code)
    assert [check.outcome for check in one.checks if check.item.startswith("claude-code")] == ["unknown", "unknown"]
    assert one.checks[-1].detail == "nothing is indexed on this machine"
    shelf.machine.write(SID, [("How should the celadon be fired?", "At cone nine.")])
    shelf.machine.index()
    (one,) = run(shelf, code)
    assert {check.item.split("#")[0]: (check.outcome, check.detail) for check in one.checks} == {
        "[[cron]]": ("here", ""),
        "[[zebra]]": ("gone", "there is no such entry"),
        f"claude-code:{SID}": ("here", ""),
        f"codex:{far}": ("elsewhere", "not on this machine"),
        f"claude-code:{SID} bench": ("here", ""),
        f"codex:{far} barn": ("elsewhere", "on barn"),
        f"codex:{lost} bench": ("gone", ""),
    }


def test_search_and_show_tell_the_last_check_without_git(shelf: Library, code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    old = code.commit("Begin", a__py="one\n")
    path = shelf.write("kiln-firing", entry("Fire the kiln", "At cone nine, celadon. (2026-03-02)", Pointers=f"- api@{old} a.py#L1"))
    shelf.machine.write(SID, [("Which clay?", "The red one.")])
    shelf.machine.index()
    settings = shelf.machine.config

    def checked() -> tuple[str, str]:
        hit = search.search(settings, "kiln celadon", Filter(), limit=5).hits[0]
        return hit.checked, show_entry.show_entry(settings, parse("entry:kiln-firing")).checked

    assert checked() == ("", "")
    assert run(shelf, code)[0].state == "holds"
    monkeypatch.setattr(os, "posix_spawn", None)
    with monkeypatch.context() as inner:
        inner.setattr("subprocess.Popen", None)
        assert checked() == (f"holds, at {old[:12]}",) * 2
    code.commit("More", b__py="two\n")
    assert checked() == (f"holds, at {old[:12]}; not checked since",) * 2
    new = code.commit("Change", a__py="2\n")
    run(shelf, code)
    assert checked() == (f"changed, at {new[:12]}",) * 2
    path.write_text(path.read_text().replace("nine", "ten"))
    assert checked()[1] == f"changed, at {new[:12]}; not checked since"
    path.write_text(entry("Fire the kiln", "At cone nine, celadon. (2026-03-02)"))
    run(shelf, code)
    assert checked()[1] == ""


def test_what_is_not_checked_is_counted(shelf: Library, code: Code) -> None:
    old = code.commit("Begin", a__py="one\n")
    shelf.write("cron", entry("Cron", "No. (2026-03-02)", Pointers=f"- api@{old} a.py\n- web@1234567 x"))
    run(shelf, code)
    shown = show_entry.show_entry(shelf.machine.config, parse("entry:cron"))
    assert shown.checked == f"holds (1 of 2 not checked), at {old[:12]}"


def test_an_entry_of_any_bytes_and_hostile_pointers(shelf: Library, code: Code) -> None:
    code.commit("Begin", a__py="one\n")
    login = "ghp_" + "q7Xw2Lm9" * 4 + "Zk4t"
    shelf.write("odd", f'<<<<<<< x\n## Pointers\n- api@1234567 {login}\n- absent api@1234567 ","\n- absent api@1234567 "\u202e..."\n')
    (one,) = run(shelf, code)
    assert {check.outcome for check in one.checks} == {"unknown"}
    assert login not in str(one)
    assert "\u202e" not in str(one.checks)


def test_what_is_not_there(shelf: Library, code: Code, tmp_path: Path) -> None:
    with pytest.raises(LibError, match="no such entry"):
        run(shelf, code, "zebra")
    settings = shelf.machine.config.replace(library=str(tmp_path / "nowhere"))
    with pytest.raises(LibraryNotFound):
        verify(settings, environ(), [], [], "/")
    with pytest.raises(Unproved, match="git is not on PATH"):
        verify(shelf.machine.config, {"PATH": ""}, [], [], "/")


def test_a_clone_that_is_not_here_today_does_not_undo_the_last_check(shelf: Library, code: Code) -> None:
    old = code.commit("Begin", a__py="one\n")
    shelf.write("cron", entry("Cron", "No. (2026-03-02)", Pointers=f"- api@{old} a.py"))
    run(shelf, code)
    away = code.folder.rename(code.folder.parent / "away")
    assert [one.state for one in verify(shelf.machine.config, environ(), [], [], "/").entries] == ["unknown"]
    shown = show_entry.show_entry(shelf.machine.config, parse("entry:cron"))
    assert shown.checked == f"holds, at {old[:12]}; not checked since"
    away.rename(code.folder)
    assert show_entry.show_entry(shelf.machine.config, parse("entry:cron")).checked == f"holds, at {old[:12]}"


def test_what_cannot_be_kept_is_found_all_the_same(shelf: Library, code: Code, monkeypatch: pytest.MonkeyPatch) -> None:
    old = code.commit("Begin", a__py="one\n")
    shelf.write("cron", entry("Cron", "No. (2026-03-02)", Pointers=f"- api@{old} a.py"))
    monkeypatch.setattr(features_verify, "LOCK_SECONDS", 0.0)
    with writer_lock(shelf.machine.config, 1.0, task="lib index"):
        report = verify(shelf.machine.config, environ(), [], [], str(code.folder))
    assert [one.state for one in report.entries] == ["holds"]
    assert "lib index" in report.unkept
    os.makedirs(os.path.join(shelf.machine.config.data_dir, "checked"))
    assert verify(shelf.machine.config, environ(), [], [], str(code.folder)).unkept
