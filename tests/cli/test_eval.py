from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

from libtool.features.evaluate import hybrid
from tests.features.evaluate.test_hybrid import PACKAGE

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from libtool.config import Config
    from tests.carried import Program

ENTRY = """# Timetable cache

## Answer

The timetable is cached for 15 minutes.

## Decided

- 2026-03-02: 15 minutes (claude-code:b1f6c2a4-93d1-4c5e-8a27-5e0d9c31f7a2)

## Blocker

None.

## Superseded

None.

## Measured

None.

## Open

None.

## Pointers

None.

## Session

- claude-code:b1f6c2a4-93d1-4c5e-8a27-5e0d9c31f7a2
"""


def questions(home: Path) -> str:
    path = home / "q.jsonl"
    row = {"id": "cache", "question": "How long?", "queries": ["timetable cache minutes"], "answer_any": ["15.minutes"]}
    path.write_text(json.dumps(row), encoding="utf-8")
    return str(path)


def test_entries_are_read_first_and_their_line_is_counted(home: Path, indexed: Config, lib: Program) -> None:
    without = {one["set_up"]: one for one in lib.json("eval", questions(home))["set_ups"]}
    entries = home / "library" / "entries"
    entries.mkdir(parents=True)
    assert indexed.library == str(home / "library")
    empty = {one["set_up"]: one for one in lib.json("eval", questions(home))["set_ups"]}
    assert empty["entries + keyword"]["tokens"] == without["entries + keyword"]["tokens"]
    (entries / "timetable-cache.md").write_text(ENTRY, encoding="utf-8")
    with_entries = {one["set_up"]: one for one in lib.json("eval", questions(home))["set_ups"]}
    assert with_entries["keyword only"]["tokens"] == without["keyword only"]["tokens"]
    assert with_entries["entries + keyword"]["answered"] == 1
    assert with_entries["entries + keyword"]["tokens"] != without["entries + keyword"]["tokens"]


def test_the_hybrid_set_up_is_one_more_row(
    home: Path, tmp_path: Path, indexed: Config, lib: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert indexed.home == str(home)
    (tmp_path / f"{hybrid.MODEL}.py").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    # Set, then deleted: undone, the module that is about to be imported goes again.
    monkeypatch.setitem(sys.modules, hybrid.MODEL, None)
    del sys.modules[hybrid.MODEL]
    found = lib.json("eval", questions(home), "--hybrid")
    assert [one["set_up"] for one in found["set_ups"]][-1] == "entries + hybrid"
    assert found["set_ups"][-1]["answered"] == 1
    assert "missed" not in lib("eval", questions(home))[1]


def test_no_command_to_answer_with_is_no_quiet_evaluation_without_one(home: Path, indexed: Config, lib: Program) -> None:
    assert indexed.home == str(home)
    code, said, remark = lib("eval", questions(home), "--answer-with", "")
    assert (code, said, "--answer-with: no command" in remark) == (2, "", True)


def test_what_was_not_asked_costs_nothing_known(home: Path, indexed: Config, lib: Program) -> None:
    assert indexed.home == str(home)
    path = home / "negative.jsonl"
    path.write_text('{"question": "Why a gas kiln?", "kind": "negative"}', encoding="utf-8")
    raw, keyword, _ = lib.json("eval", str(path))["set_ups"]
    assert (raw["tokens"], raw["tokens_negative"], raw["seconds"]) == (None, None, None)
    assert (keyword["tokens"], keyword["tokens_negative"] > 0) == (None, True)
    assert lib("eval", str(path))[1].splitlines()[1].split()[-3:] == ["-", "-", "-"]
