from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.cli.commands.index import NAMED

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program


@pytest.mark.usefixtures("staged")
def test_only_some_of_many_unreadable_files_are_named(home: Path, lib: Program) -> None:
    for number in range(NAMED + 2):
        (home / f".pi/agent/sessions/--x--/2026-01-0{number + 1}_a.jsonl").mkdir(parents=True)
    code, _, err = lib("index")
    assert code == 4
    assert err.count("lib: cannot read ") == NAMED
    assert err.endswith("lib: and 2 more; `lib status` names them\n")
    assert [one["reason"] for one in lib.json("index")["unreadable"]] == ["a folder where a file should be"] * (NAMED + 2)


@pytest.mark.usefixtures("staged")
def test_a_walk_that_was_cut_short_is_said(home: Path, lib: Program) -> None:
    (home / ".config/lib-sessions/config.toml").write_text("walk.seconds = 1e-9\n")
    code, _, err = lib("index")
    assert (code, err) == (0, "lib: the walk through your projects was cut short by its limit of time: see `walk` in docs/config.md\n")
    assert lib.json("index")["told"] == [err[5:-1]]
