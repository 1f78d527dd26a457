from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.cited import Cited, of_data, of_item, of_text, without
from libtool.domain.entry import identity

CLAUDE = Cited("claude-code", "3f2a9c1e-7b1d", "laptop", "2026-10-03")
CODEX = Cited("codex", "rollout/0199a8f2", "desk", "2026-10-02")
NOTE = Cited("note", "~/tide%20notes/WORKLOG.md", "desk", "2026-10-01")


@pytest.mark.parametrize("one", [CLAUDE, CODEX, NOTE])
def test_an_item_names_what_its_words_say(one: Cited) -> None:
    assert of_item(f"{one.agent}:{one.sid} {one.machine} {one.date}") == one


@pytest.mark.parametrize(
    "text",
    [
        "",
        "words",
        "codex:0199a8f2",
        "codex:0199a8f2 desk",
        "codex:0199 desk 2026-10-02",
        "codex:0199a8f2#7 desk 2026-10-02",
        "x 2026-10-02",
    ],
)
def test_other_items_name_nothing(text: str) -> None:
    assert of_item(text) is None
    assert of_text(f"- {text}") == []


def test_lines_are_found_whatever_their_marker_and_the_rest_is_kept() -> None:
    lines = (
        "- claude-code:3f2a9c1e-7b1d laptop 2026-10-03\r",
        "an aside",
        "*  codex:rollout/0199a8f2\tdesk  2026-10-02 ",
        "more",
        "+ note:~/tide%20notes/WORKLOG.md desk 2026-10-01",
    )
    text = "\n".join(lines)
    assert of_text(text) == of_data(text.encode()) == [CLAUDE, CODEX, NOTE]
    assert without(text) == "an aside\nmore\n"


def test_a_line_that_goes_on_is_none() -> None:
    assert of_text("- codex:0199a8f2 desk 2026-10-02 and more\n  - codex:0199a8f2 desk 2026-10-02") == []


def test_bytes_that_are_no_text_are_read_past() -> None:
    assert of_data(b"\xff\n- codex:rollout/0199a8f2 desk 2026-10-02\n\xfe") == [CODEX]


@given(st.text(st.sampled_from("- codex:019a8f2\n\t 20-1")) | st.text())
def test_an_item_and_its_line_are_read_alike(text: str) -> None:
    item = identity(text)
    assert of_text(f"- {item}\n") == [one for one in [of_item(item)] if one]
    assert of_text(without(text)) == []
