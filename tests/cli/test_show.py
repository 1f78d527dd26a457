from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.cli.commands.show import rendered
from libtool.features.show import Shown
from tests.carried import QUOTA

if TYPE_CHECKING:
    from pathlib import Path

    from tests.carried import Program

FACTS: dict[str, Any] = {
    "agent": "codex",
    "sid": "f08d6a55",
    "project": "board",
    "branch": "",
    "machine": "desk",
    "title": "",
    "started": "",
    "ended": "",
    "turns": 3,
    "class": "work",
}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=200) | st.sampled_from(
    ["修复" * 200, "👩‍👩‍👧" * 90, "\u202e" * 99]
)


def session(messages: list[tuple[str, int, str]], children: int = 0, **facts: str) -> Shown:
    shown = Shown({**FACTS, **facts}, "codex:f08d6a55", messages, 0)
    shown.here = True
    shown.children = [f"codex:{number:08d}" for number in range(children)]
    return shown


@given(
    st.lists(st.tuples(st.sampled_from("HQKTSPACFRXN"), st.integers(0, 9), TEXTS), max_size=12),
    st.integers(1, 900),
    st.integers(0, 40),
    TEXTS,
    st.sampled_from(["desk", "laptop"]),
    st.sampled_from(["codex", "note"]),
)
def test_the_budget_holds_for_all_that_is_printed(
    messages: list[tuple[str, int, str]], budget: int, children: int, title: str, machine: str, agent: str
) -> None:
    text = rendered(session(messages, children, title=title, agent=agent), machine, budget * 4 - 1)
    assert len(text.encode()) + 1 <= budget * 4


def test_all_sub_agents_are_counted_and_some_are_named() -> None:
    assert rendered(session([], 2), "desk", 4000).splitlines()[-1] == "sub-agents: codex:00000000 codex:00000001"
    assert rendered(session([], 25), "desk", 4000).endswith("codex:00000019 5 more")
    assert rendered(session([], 25), "desk", 400).splitlines()[-1] == "sub-agents: 25"


def test_one_label_for_what_one_said_in_a_row() -> None:
    messages = [("H", 1, "a"), ("A", 1, "b"), ("A", 1, "c"), ("C", 1, "d"), ("A", 2, "e"), ("N", 2, "f")]
    lines = rendered(session(messages), "desk", 4000).splitlines()
    assert lines[2:] == ["## turn 1", "user: a", "assistant: b", "c", "call: d", "## turn 2", "assistant: e", "f"]


@pytest.mark.usefixtures("indexed")
def test_a_session_of_another_machine_says_where_it_lives(home: Path, lib: Program) -> None:
    (home / ".config/lib-sessions/config.toml").write_text('machine = "laptop"\n')
    code, out, _ = lib("show", QUOTA, "--turns", "2")
    assert (code, out.splitlines()[2]) == (0, "the transcript is on the machine desk; this is what lib has of it here")
    assert not lib.json("show", QUOTA)["here"]
    assert lib("show", QUOTA, "--raw")[0] == 15


@pytest.mark.usefixtures("staged")
def test_a_budget_of_nought_shows_all(home: Path, lib: Program) -> None:
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    path.write_text(path.read_text().replace("Can we get", "word " * 4000 + "Can we get"))
    lib("index")
    whole, cut = lib("show", QUOTA, "--budget", "0")[1], lib("show", QUOTA)[1]
    assert whole.count("word ") == 4000
    assert "word word\nword" not in whole
    assert len(cut.encode()) <= 8000
    assert lib.json("show", QUOTA, "--budget", "0")["left_out"] == 0
    assert lib.json("show", QUOTA, "--budget", "50")["left_out"] > 0
