from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.terminal import TerminalLog
from libtool.domain.session import HUMAN, PLAN, RESULT, Record
from tests.adapters.reading import read
from tests.adapters.sampled import check_samples

if TYPE_CHECKING:
    from pathlib import Path

ADAPTER = TerminalLog()


def records(tmp_path: Path, text: str) -> list[Record]:
    path = tmp_path / "day.md"
    path.write_text(text, encoding="utf-8")
    return read(ADAPTER, path).records


def test_known_only_with_all_three_marks() -> None:
    marks = ["> a prompt\n", "⏺ an answer\n", "  ⎿  a result\n"]
    assert ADAPTER.sniff("".join(marks).encode(), "/x.md")
    for missing in marks:
        assert not ADAPTER.sniff("".join(mark for mark in marks if mark != missing).encode(), "/x.md")
    assert not ADAPTER.sniff("".join(f"    {mark}" for mark in marks).encode(), "/x.md")
    assert ADAPTER.places("/h", {}) == []
    assert ADAPTER.side_files("/x.md") == ()


words = st.text(st.characters(categories=("Lu", "Ll", "Nd")), min_size=1, max_size=12)


@given(said=st.lists(words, min_size=1, max_size=30), width=st.integers(30, 60))
def test_wrapped_lines_are_joined(tmp_path_factory: pytest.TempPathFactory, said: list[str], width: int) -> None:
    lines = [""]
    for word in said:
        if len(lines[-1]) + 1 + len(word) > width - 2:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    ruler = "⏺ " + "x" * (width - 2)
    text = f"{ruler}\n\n> " + "\n  ".join(lines) + "\n"
    found = records(tmp_path_factory.mktemp("t"), text)
    assert [record.text for record in found if record.kind == HUMAN] == [" ".join(said)]


def test_an_empty_log(tmp_path: Path) -> None:
    assert records(tmp_path, "") == []


def test_a_result_without_a_call_is_the_windows_own(tmp_path: Path) -> None:
    assert [record.kind for record in records(tmp_path, "> look at @a.md\n  ⎿  Read a.md (3 lines)\n\n✻ Thinking…\n")] == [HUMAN]


def test_a_rejected_plan_without_a_box(tmp_path: Path) -> None:
    found = records(tmp_path, "⏺ Task(x)\n  ⎿  User rejected Claude's plan:\n     1. Do it.\n⏺ Read(a)\n  ⎿\n")
    assert [(record.kind, record.text, record.failed) for record in found if record.kind in (PLAN, RESULT)] == [(PLAN, "1. Do it.", True)]


@pytest.mark.shared
def test_human_turns_of_the_samples(update_golden: bool) -> None:
    check_samples(ADAPTER, update=update_golden)
