from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from libtool.features.check import check
from tests.features.library import Library, entry
from tests.features.machine import OTHER, SID, Machine
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path

TODAY = dt.date(2026, 11, 30)
LINE = f"- claude-code:{SID} bench 2026-03-01"


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    machine = Machine(tmp_path / "m")
    for session in (SID, OTHER):
        machine.write(session, [("Close the damper", "Closed.")])
    machine.index()
    return Library(machine)


def fixed(shelf: Library, *items: str) -> tuple[str, list[str]]:
    """(the Session section, the codes left) after `lib check --fix` of an entry with these items there."""
    path = shelf.write("kiln", entry("Kiln", "Slowly. (2026-03-01)", Session="\n".join(f"- {item}" for item in items)))
    (checked,) = check(shelf.machine.config, environment(), today=TODAY, fix=True)
    return path.read_text().partition("## Session\n\n")[2].rstrip("\n"), [problem.code for problem in checked.problems]


@pytest.mark.parametrize("ref", [f"claude-code:{SID[-8:]}", f"claude-code:{SID}", f"ref: claude-code:{SID[-8:]}#1", f"`{SID[-12:]}`"])
def test_a_ref_becomes_the_line_of_its_session(shelf: Library, ref: str) -> None:
    assert fixed(shelf, ref) == (LINE, [])


def test_the_lines_are_in_order_and_none_is_there_twice(shelf: Library) -> None:
    other = f"claude-code:{OTHER} sofa 2026-02-01"
    assert fixed(shelf, SID[-8:], f"claude-code:{SID[-8:]}#1", other) == (f"- {other}\n{LINE}", [])


@pytest.mark.parametrize(
    "text", ["claude-code:deadbeef", "claude-code:b2c3d4e5", "codex:last", "last Friday's chat", "note:~/kiln.md", "entry:kiln"]
)
def test_what_names_no_session_of_this_machine_stays(shelf: Library, text: str) -> None:
    assert fixed(shelf, text) == (f"- {text}", ["E602"])


def test_where_nothing_is_indexed_all_stays(tmp_path: Path) -> None:
    shelf = Library(Machine(tmp_path / "m"))
    assert fixed(shelf, f"claude-code:{SID}") == (f"- claude-code:{SID}", ["E602"])
