from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.features.code import Code
from tests.features.library import entry

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program


@pytest.fixture
def shelf(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LIB_LIBRARY", str(home / "library"))
    (home / "library" / "entries").mkdir(parents=True)
    return home / "library" / "entries"


def test_the_folder_one_stands_in_is_looked_in(shelf: Path, home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    code = Code(home / "api")
    old = code.commit("Begin", a__py="one\n")
    monkeypatch.chdir(code.folder)
    (shelf / "cron.md").write_text(entry("Cron", "No. (2026-03-02)", Pointers=f'- api@{old} a.py#L1\n- absent api@{old[:7]} "zebra"'))
    assert lib("verify") == (0, "1 entry: 1 hold, 0 changed, 0 not checked\n", "")
    assert lib("verify", "--all")[1].split("\n")[:3] == [
        f"entry:cron: holds at {old[:12]}",
        f"  same: api@{old} a.py#L1",
        f'  absent: absent api@{old[:7]} "zebra"',
    ]
    assert lib("verify", "entry:cron")[1] == lib("verify", "cron.md", "--all")[1]
    code.commit("Change", a__py="2\n")
    said, out, _ = lib("verify")
    assert (said, out.split("\n")[1]) == (1, f"  changed: api@{old} a.py#L1")
    told = lib.json("verify", "cron")["entries"]
    assert [(one["ref"], one["state"], [check["state"] for check in one["checks"]]) for one in told] == [
        ("entry:cron", "changed", ["changed", "holds"])
    ]


def test_an_entry_without_pointers_is_not_named(shelf: Path, lib: Program) -> None:
    (shelf / "cron.md").write_text(entry("Cron", "No. (2026-03-02)"))
    assert lib("verify")[1] == "1 entry: 0 hold, 0 changed, 1 not checked\n"
    assert lib("verify", "cron")[1].startswith("entry:cron: unknown\n")


def test_an_outcome_that_cannot_be_kept_is_told(shelf: Path, home: Path, lib: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    (shelf / "cron.md").write_text(entry("Cron", "No. (2026-03-02)"))
    (home / "data" / "checked").mkdir(parents=True)
    monkeypatch.setenv("LIB_DATA_DIR", str(home / "data"))
    code, out, said = lib("verify")
    assert (code, out) == (0, "1 entry: 0 hold, 0 changed, 1 not checked\n")
    assert said.startswith("lib: `lib search` and `lib show` will not tell this outcome: ")
