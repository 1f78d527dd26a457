from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.ref import FEWEST, meant, parse, turns
from libtool.errors import UsageError


@pytest.mark.parametrize(
    ("text", "kind", "agent", "name", "turn"),
    [
        ("claude-code:3f2a9c1e#41", "session", "claude-code", "3f2a9c1e", 41),
        ("claude-code:3f2a9c1e", "session", "claude-code", "3f2a9c1e", 0),
        (" codex:3f2a9c1e\n", "session", "codex", "3f2a9c1e", 0),
        ("3f2a9c1e#7", "session", "", "3f2a9c1e", 7),
        (":3f2a9c1e", "session", "", "3f2a9c1e", 0),
        ("entry:auth-rotation", "entry", "", "auth-rotation", 0),
        ("entry:a#3", "entry", "", "a", 3),
        ("note:docs/work log.md#L12", "note", "note", "docs/work log.md", 12),
        ("note:C:\\notes\\a.md", "note", "note", "C:\\notes\\a.md", 0),
        ("digest:pi:3f2a9c1e", "digest", "pi", "3f2a9c1e", 0),
        ("digest:3f2a9c1e#2", "digest", "", "3f2a9c1e", 2),
        ("aider:chat#1234567890", "session", "aider", "chat#1234567890", 0),
        ("ref: claude-code:3f2a9c1e#41", "session", "claude-code", "3f2a9c1e", 41),
        ("CLAUDE-CODE:3f2a9c1e", "session", "claude-code", "3f2a9c1e", 0),
        ("claude-code:\udcff\udcff3f2a9c1e", "session", "claude-code", "??3f2a9c1e", 0),
    ],
)
def test_every_form(text: str, kind: str, agent: str, name: str, turn: int) -> None:
    ref = parse(text)
    assert (ref.kind, ref.agent, ref.name, ref.turn) == (kind, agent, name, turn)


@pytest.mark.parametrize(
    "text", ["", "#3", "claude-code:", "claude-code:3f2a9", "3f2a9", "entry:", "note: ", "entry:#4", "digest:", "digest:pi:", "\0"]
)
def test_what_is_too_little_is_a_usage_error_that_shows_the_form(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse(text)
    assert str(FEWEST) in raised.value.hint
    assert raised.value.message == f"not a reference: {text.strip() or 'nothing was given'}"


@given(st.text(max_size=60))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        ref = parse(text)
    except UsageError:
        return
    assert ref.name
    assert ref.turn >= 0


@given(st.sampled_from(["claude-code", "codex", "pi"]), st.text("0123456789abcdef-", min_size=FEWEST, max_size=36), st.integers(0, 99_999))
def test_what_lib_prints_is_understood(agent: str, name: str, turn: int) -> None:
    ref = parse(f"{agent}:{name}" + (f"#{turn}" if turn else ""))
    assert (ref.kind, ref.agent, ref.name, ref.turn) == ("session", agent, name, turn)


@pytest.mark.parametrize(
    ("text", "expected"), [("7", (7, 7)), ("3-9", (3, 9)), (" 3-3 ", (3, 3)), ("3-", (3, 1 << 30)), ("-9", (0, 9)), ("0", (0, 0))]
)
def test_ranges_of_turns(text: str, expected: tuple[int, int]) -> None:
    assert turns(text) == expected


@pytest.mark.parametrize("text", ["", "-", "a", "3--9", "9-3", "1234567890", "3-9-", "3 - 9", "\ud800", "1.5"])
def test_what_is_no_range_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError):
        turns(text)


@pytest.mark.parametrize(
    ("part", "found"),
    [("tide-01", ["tide-01"]), ("-01", ["tide-01", "quay-01"]), ("TIDE", ["tide-01", "tide-012"]), ("e-012", ["tide-012"]), ("moor", [])],
)
def test_a_part_means_the_whole_id_before_its_end_and_its_end_before_its_middle(part: str, found: list[str]) -> None:
    assert meant(iter(["tide-01", "quay-01", "tide-012"]), part) == found
