from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.cli.commands.forget import NAMED, described, remaining
from libtool.features.forget import Forgotten, Target
from tests.carried import CACHE, QUOTA
from tests.cli.terminal import typed

if TYPE_CHECKING:
    from libtool.config import Config
    from tests.carried import Program

TARGET = Target("codex:f08d6a55", "codex", "A title", "board", "2026-03-05T06:48:07Z", 1, ("a",), (), ())


@pytest.mark.parametrize(("keys", "code"), [("y\n", 0), ("YES\n", 0), ("n\n", 1), ("\n", 1), ("\x04", 1), ("what\n", 1)])
@pytest.mark.usefixtures("indexed")
def test_a_person_is_asked(lib: Program, monkeypatch: pytest.MonkeyPatch, keys: str, code: int) -> None:
    with typed(monkeypatch, keys):
        done, out, err = lib("forget", QUOTA)
    assert done == code
    assert err.startswith("codex:f08d6a55 | 2026-03-05 | ferry-board | 3 turns\nForget it for good?")
    assert (lib("show", QUOTA)[0], out[:10]) == ((1, "forgotten:") if code == 0 else (0, ""))
    assert ("nothing was changed" in err) == (code == 1)


def test_what_remains_is_said(indexed: Config, lib: Program) -> None:
    os.link(indexed.store_db, indexed.store_db + ".damaged-1")
    code, out, _ = lib("forget", CACHE, "--yes")
    assert code == 0
    assert "with 1 sub-agent | Cache the timetable" in out
    assert "Agents' own files are left as they are. These still hold it: " in out
    assert f"set aside; they may hold it, delete them: {indexed.store_db}.damaged-1\n" in out


def test_all_that_may_remain_is_told_apart() -> None:
    assert remaining(TARGET, Forgotten(1, purged=True, aside=())) == []
    many = tuple(f"codex:{number}" for number in range(NAMED + 2))
    lines = remaining(TARGET._replace(copies=many), Forgotten(1, purged=False, aside=()))
    assert lines == [
        "these sessions copied a part of it and keep that: codex:0, codex:1, codex:2, codex:3, codex:4 and 2 more",
        "another program is reading the databases: the next `lib index` wipes the last traces",
    ]


def test_a_note_has_no_turns() -> None:
    assert described(TARGET) == "codex:f08d6a55 | 2026-03-05 | board | 1 turn | A title"
    assert described(TARGET._replace(agent="note", ref="note:~/x", started="", project="", title="a\nb")) == "note:~/x | a b"
