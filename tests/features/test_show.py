from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.body import decode, encode
from libtool.domain.chunk import Chunker, Segment
from libtool.errors import LibError, NotIndexed, UsageError
from libtool.features import index
from libtool.features.show import fit, joined, show
from tests.carried import CACHE, EXPLORE, QUOTA

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config

NOTE = """# Ferry board

## Cache

The cache lives in SQLite.

## Quota

Sixty requests a minute.
"""


def in_chunks(*segments: Segment) -> list[list[tuple[str, int, str]]]:
    chunker = Chunker()
    chunks = [chunk for segment in segments for chunk in chunker.add(segment, "")]
    return [decode(encode(chunk.segments)) for chunk in [*chunks, *chunker.close()]]


@pytest.mark.parametrize("ref", ["codex:3be1f08d6a55", "codex:019caf3e", "3be1f08d6a55", QUOTA, "codex:F08D6A55", " codex:f08d6a55 "])
def test_any_telling_part_of_an_id_names_the_session(indexed: Config, ref: str) -> None:
    assert show(indexed, ref, turns=None).ref == "codex:f08d6a55"


def test_a_session_knows_its_family_and_its_file(indexed: Config, home: Path) -> None:
    parent, child = show(indexed, CACHE, turns=None), show(indexed, EXPLORE, turns=None)
    assert (parent.children, parent.parent, parent.here) == (["claude-code:a3f09c11"], "", True)
    assert parent.path == str(next(home.glob(".claude/projects/*/b1f6c2a4*.jsonl")))
    assert (child.children, child.parent) == ([], "claude-code:9c31f7a2")


def test_a_sub_agent_whose_parent_is_unknown_names_none(staged: Config, home: Path) -> None:
    next(home.glob(".claude/projects/*/b1f6c2a4*.jsonl")).unlink()
    index.run(staged, {})
    assert show(staged, EXPLORE, turns=None).parent == ""


def test_a_deleted_transcript_is_still_shown(indexed: Config, home: Path) -> None:
    before = show(indexed, QUOTA, turns=None).messages
    next(home.glob(".codex/sessions/*/*/*/*.jsonl")).unlink()
    gone = show(indexed, QUOTA, turns=None)
    assert (gone.here, gone.messages) == (False, before)


def test_a_turn_brings_what_is_around_it(indexed: Config) -> None:
    assert {turn for _, turn, _ in show(indexed, QUOTA + "#2", turns=None).messages} == {1, 2, 3}
    assert {turn for _, turn, _ in show(indexed, QUOTA + "#3", turns=None).messages} == {2, 3}
    assert {turn for _, turn, _ in show(indexed, QUOTA, turns=(2, 2)).messages} == {2}


def test_what_is_not_there_is_said(indexed: Config) -> None:
    for ref, turns, hint in (
        (QUOTA + "#9", None, f"`lib show {QUOTA}` shows what it has"),
        (QUOTA.removeprefix("codex:") + "#9", None, f"`lib show {QUOTA.removeprefix('codex:')}` shows what it has"),
        (QUOTA, (40, 44), "its last one is 3"),
        ("codex:nothing-like-it", None, "`lib search` prints the REFs that exist"),
        ("nothing-like-it", None, "`lib search` prints the REFs that exist"),
        ("entry:ferry-cache", None, "`lib search ferry cache` looks in everything that is indexed"),
    ):
        with pytest.raises(LibError) as raised:
            show(indexed, ref, turns=turns)
        assert (raised.value.exit_code, raised.value.hint) == (1, hint)


def test_an_ambiguous_part_lists_the_candidates(staged: Config, home: Path) -> None:
    for number in range(10):
        (home / f"HANDOFF-{number}.md").write_text(f"# Handoff {number}\n\nThe board is done.\n")
    index.run(staged, {})
    with pytest.raises(UsageError) as raised:
        show(staged, "note:HANDOFF-", turns=None)
    assert raised.value.message == "HANDOFF- may be one of several"
    assert raised.value.hint.count("note:~/HANDOFF-") == 8
    assert raised.value.hint.endswith(", ...")
    (home / "HANDOFF-2.md").rename(home / "HANDOFF-22.md")
    index.run(staged, {})
    with pytest.raises(UsageError) as raised:
        show(staged, "note:HANDOFF-2", turns=None)
    assert raised.value.hint == "say which: note:~/HANDOFF-2.md, note:~/HANDOFF-22.md"


def test_a_tail_that_two_sessions_share_is_made_longer(staged: Config, home: Path) -> None:
    path = next(home.glob(".codex/sessions/*/*/*/*.jsonl"))
    other = "019caf3e-5d20-7a41-9c7e-0000f08d6a55"
    twin = path.with_name(path.name.replace("019caf3e-5d20-7a41-9c7e-3be1f08d6a55", other))
    twin.write_text(path.read_text().replace("019caf3e-5d20-7a41-9c7e-3be1f08d6a55", other).replace("quay 61", "quay 62"))
    index.run(staged, {})
    assert show(staged, QUOTA, turns=None).ref == "codex:3be1f08d6a55"


def test_a_note_begins_with_the_passage_asked_for(staged: Config, home: Path) -> None:
    (home / "WORKLOG.md").write_text(NOTE)
    index.run(staged, {})
    for ref, lines in (
        ("note:~/WORKLOG.md", [3, 7]),
        ("note:~/WORKLOG.md#L1", [3, 7]),
        ("note:WORKLOG.md#L8", [7, 3]),
        (f"note:{home}/WORKLOG.md#L9", [7, 3]),
    ):
        shown = show(staged, ref, turns=None)
        assert ([line for _, line, _ in shown.messages], shown.ref) == (lines, "note:~/WORKLOG.md")


def test_nothing_is_shown_before_something_is_indexed(staged: Config) -> None:
    with pytest.raises(NotIndexed):
        show(staged, QUOTA, turns=None)


WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=12), min_size=1, max_size=700).map(" ".join)


@given(st.lists(st.tuples(st.sampled_from("APS"), WORDS), min_size=1, max_size=6))
def test_a_text_that_was_cut_is_whole_again(texts: list[tuple[str, str]]) -> None:
    segments = [Segment(code, turn, text) for turn, (code, text) in enumerate(texts, 1)]
    assert joined(in_chunks(*segments)) == [tuple(segment) for segment in segments]


def test_the_white_space_of_a_cut_is_what_stands_around_it() -> None:
    lines = "\n".join(f"line {number} of a list" for number in range(200))
    paragraphs = "\n\n".join(f"Paragraph {number} of a text." for number in range(200))
    blob = "x" * 4000
    for text in (lines, paragraphs, blob):
        assert joined(in_chunks(Segment("A", 1, text))) == [("A", 1, text)]


def test_two_calls_and_two_outputs_stay_apart() -> None:
    calls = [Segment("C", 1, f"$ {letter * 390}") for letter in "abcdef"]
    outputs = [Segment("R", 1, letter * 900) for letter in "abcd"]
    for segments in (calls, outputs):
        assert joined(in_chunks(*segments)) == [tuple(segment) for segment in segments]
    long = Segment("F", 1, " ".join(["word"] * 220))
    assert joined(in_chunks(Segment("A", 1, "a" * 700), long)) == [("A", 1, "a" * 700), tuple(long)]


MESSAGES = st.lists(st.tuples(st.sampled_from("HQKTSPACFRX"), st.integers(0, 12), st.text(min_size=1, max_size=300)), max_size=20)


@given(MESSAGES, st.integers(0, 4000), st.integers(0, 12))
def test_what_fits_is_in_order_and_within_the_room(messages: list[tuple[str, int, str]], room: int, turn: int) -> None:
    kept, left_out = fit(messages, room, turn)
    assert len(kept) + left_out == len(messages)
    assert sum(len(text.encode()) for _, _, text in kept) <= room
    rest = iter(messages)
    assert all(any(one[:2] == other[:2] and one[2][:-1] == other[2][: len(one[2]) - 1] for other in rest) for one in kept)
    assert fit(messages, 1 << 30, turn) == (messages, 0)


def test_the_turn_asked_for_and_the_persons_words_come_first() -> None:
    messages = [
        ("C", 1, "c" * 100),
        ("H", 2, "h" * 100),
        ("A", 2, "a" * 100),
        ("A", 2, "z" * 100),
        ("R", 2, "r" * 100),
        ("H", 3, "n" * 100),
    ]
    kept = [text[0] for _, _, text in fit(messages, 420, 2)[0]]
    assert kept == ["h", "a", "z"]
    assert [text[0] for _, _, text in fit(messages, 300, 2)[0]] == ["h", "z"]
    assert [text[0] for _, _, text in fit(messages, 700, 2)[0]] == ["h", "a", "z", "r", "n"]


def test_a_long_message_leaves_room_for_what_was_called_in_the_turn_asked_for() -> None:
    messages = [("H", 1, "h" * 50), ("A", 2, "a" * 5000), ("C", 2, "git commit -m one"), ("R", 2, "r" * 900), ("C", 3, "git push")]
    kept, left_out = fit(messages, 1000, 2)
    assert [text.rstrip("…")[:4] for _, _, text in kept] == ["aaaa", "git "]
    assert left_out == 3
    many = [("A", 2, "a" * 5000), *[("C", 2, f"call {number}") for number in range(500)]]
    assert len(fit(many, 1000, 2)[0][0][2]) > 700
    assert [text[0] for _, _, text in fit(messages, 1000)[0]] == ["h", "a"]


def test_the_path_of_a_note_in_a_login_shaped_folder_is_not_told(staged: Config, home: Path) -> None:
    folder = home / ("ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
    folder.mkdir()
    (folder / "WORKLOG.md").write_text(NOTE)
    index.run(staged, {})
    shown = show(staged, "note:WORKLOG.md", turns=None)
    assert folder.name not in shown.ref + shown.path
    assert not shown.here
    assert os.path.exists(folder)


def test_what_does_not_fit_is_cut_between_characters() -> None:
    for size in range(140, 160):
        [(code, turn, text)], left_out = fit([("A", 1, "日本" * 100)], size)
        assert (code, turn, left_out) == ("A", 1, 0)
        assert text == ("日本" * 100)[: len(text) - 1] + "…"
        assert size - 60 < len(text.encode()) < size - 24
    assert fit([("A", 1, "a" * 100)], 90) == ([], 1)


def test_an_id_that_another_one_ends_with_is_shown_whole(staged: Config, home: Path) -> None:
    path = next(home.glob(".pi/agent/sessions/*/*.jsonl"))
    for sid in ("kayak12345", "red-kayak12345"):
        path.with_name(f"2026-03-21_{sid}.jsonl").write_text(path.read_text().replace("a90c57e2-3f18-4b6d-8d02-71c4be95f360", sid))
    index.run(staged, {})
    assert show(staged, "pi:kayak12345", turns=None).ref == "pi:kayak12345"
    assert show(staged, "pi:red-kayak", turns=None).ref == "pi:d-kayak12345"
