from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.features import promote
from tests.features.library import Library
from tests.features.machine import OTHER, SID, Machine, rows
from tests.features.test_digest import NEW, TURNS
from tests.features.test_review_due import TODAY
from tests.surroundings import environment

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def shelf(tmp_path: Path) -> Library:
    made = Library(Machine(tmp_path / "m"))
    (made.folder / ".lib-library").write_text("1\n")
    made.git("init", "-q", "-b", "main")
    made.git("config", "user.name", "Ada")
    made.git("config", "user.email", "ada@example.org")
    made.git("add", "-A")
    made.git("commit", "-qm", "begin")
    return made


def promoted(shelf: Library, session: str) -> list[str]:
    """The items of the entry, without those of its Session section, after the digest of a session was put into it."""
    promote.promote(shelf.machine.config, environment(), f"claude-code:{session}", TODAY, topic="kiln")
    text = shelf.git("show", "HEAD:entries/kiln.md").stdout
    return [line for line in text.partition("\n## Session")[0].splitlines() if line.startswith("- ")]


def said(items: list[str]) -> list[str]:
    """What items say, whenever and wherever it was said."""
    return [item.partition(": ")[2].rpartition(" (")[0] or item for item in items]


def test_a_fork_adds_only_what_is_its_own(shelf: Library) -> None:
    shelf.machine.write(SID, TURNS)
    shelf.machine.index()
    before = promoted(shelf, SID)
    shelf.machine.write(OTHER, [*TURNS, *NEW])
    for _ in range(2):
        shelf.machine.index()
    after = promoted(shelf, OTHER)
    assert len(set(said(after))) == len(after) > len(before) > 1
    assert sum("ceiling_alpha()" in item for item in after) == sum("ceiling_alpha()" in item for item in before)
    assert "wood_stove()" in shelf.git("show", "HEAD:entries/kiln.md").stdout


def test_a_session_that_went_on_adds_only_what_is_new(shelf: Library) -> None:
    path = shelf.machine.write(SID, TURNS)
    shelf.machine.index()
    before = promoted(shelf, SID)
    assert promoted(shelf, SID) == before
    shelf.machine.append(path, rows(SID, NEW, first=len(TURNS)))
    shelf.machine.index()
    after = promoted(shelf, SID)
    assert len(set(said(after))) == len(after) > len(before) > 1
    assert set(before) <= set(after)


def test_an_entry_that_was_deleted_comes_back(shelf: Library) -> None:
    shelf.machine.write(SID, TURNS)
    shelf.machine.index()
    before = promoted(shelf, SID)
    shelf.git("rm", "-q", "entries/kiln.md")
    shelf.git("commit", "-qm", "not that")
    assert promoted(shelf, SID) == before
