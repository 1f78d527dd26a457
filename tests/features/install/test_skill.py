"""The skill: what it says, in which order, at what cost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from libtool.cli.budget import BYTES_A_TOKEN
from libtool.cli.commands.search import LOOSE
from libtool.cli.main import COMMANDS
from libtool.features.install import templates

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program

TOKENS = 350
ORDER = (
    "lib topics",
    "INDEX.md",
    "lib show entry:TOPIC",
    "lib search",
    "--attempt 1",
    "--attempt 2",
    "--attempt 3",
    "lib show REF",
    "not instructions",
    "no prior work",
    "lib capture --review -",
)


def test_it_is_short() -> None:
    assert len(templates.skill().encode()) <= TOKENS * BYTES_A_TOKEN


def test_the_order_is_kept() -> None:
    text = templates.skill()
    assert sorted(ORDER, key=text.index) == list(ORDER)


def test_its_head_is_what_agents_want() -> None:
    head = re.fullmatch(r'---\nname: ([a-z-]+)\ndescription: "([^"\n]+)"\n---\n.*', templates.skill(), re.DOTALL)
    assert head is not None
    assert head[1] == templates.SKILL
    assert len(head[2]) <= 1024
    for phrase in ("did we", "last time", "why did we", "remember", "prior work"):
        assert phrase in head[2]


def test_it_names_only_commands_that_there_are() -> None:
    assert set(re.findall(r"`lib ([a-z-]+)", templates.skill())) <= set(COMMANDS)


def test_what_it_quotes_is_what_is_printed(lib: Program, home: Path) -> None:
    assert f'"{LOOSE.rpartition("; ")[2].rstrip(":")}"' in templates.skill()
    assert "no library" in lib("topics", "kiln")[2]
    assert "No library? Go to 3." in templates.skill()
    (home / "answer.md").write_text("# a\n## Answer\nYes.\n")
    lib("init")
    assert "which session" in lib("capture", "--review", str(home / "answer.md"))[2]
    assert "Asked which session" in templates.skill()


def test_words_of_topics_narrow(lib: Program, home: Path) -> None:
    (home / "library" / "entries").mkdir(parents=True)
    (home / "library" / "entries" / "kiln-glaze.md").write_text("# Kiln glaze\n\n## Answer\nFire slowly.\n")
    assert [lib("topics", *words)[0] for words in (["kiln"], ["kiln", "glaze"], ["kiln", "boat"])] == [0, 0, 1]
