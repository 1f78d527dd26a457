from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libtool.domain.body import encode
from libtool.domain.chunk import CHUNK_LIMIT, PROMPT_BREAK, Chunk, Chunker, Segment, identity, pieces

WORDS = st.text("abcäé", min_size=1, max_size=CHUNK_LIMIT // 5)
SPACES = st.sampled_from([" ", " ", " ", "\n", "\n\n", ". ", "\t", "  \n"])
TEXTS = st.lists(st.tuples(WORDS, SPACES), max_size=20).map(lambda pairs: "".join(word + space for word, space in pairs)) | st.text(
    "ab \n\t", max_size=2 * CHUNK_LIMIT
)
SEGMENTS = st.lists(st.builds(Segment, st.sampled_from("HKAAAARCF"), st.integers(0, 9), TEXTS), max_size=12)


def in_one_go(segments: list[Segment]) -> list[Chunk]:
    return in_steps(segments, len(segments) + 1)


def in_steps(segments: list[Segment], step: int) -> list[Chunk]:
    """The chunks when the transcript is read `step` segments at a time, the last chunk being taken up again each time."""
    chunks: list[Chunk] = []
    for begin in range(0, len(segments), step):
        chunker = Chunker(chunks.pop() if chunks else None)
        for number, segment in enumerate(segments[begin : begin + step], begin):
            chunks += chunker.add(segment, f"2026-10-03T10:00:{number:02d}Z")
        chunks += chunker.close()
        assert chunker.close() == []
    return chunks


def words_of(text: str) -> list[str]:
    return text.split()


@given(SEGMENTS)
def test_no_word_is_lost_and_no_chunk_is_empty_or_too_long(segments: list[Segment]) -> None:
    chunks = in_one_go(segments)
    kept = [segment for chunk in chunks for segment in chunk.segments]
    assert words_of(" ".join(segment.text for segment in kept)) == words_of(" ".join(segment.text for segment in segments))
    for chunk in chunks:
        assert sum(len(segment.text) for segment in chunk.segments) <= CHUNK_LIMIT
        assert all(segment.text.strip() for segment in chunk.segments)
        assert chunk.segments


@given(SEGMENTS, st.integers(1, 12))
@example([Segment("A", 1, "a" * PROMPT_BREAK), Segment("H", 2, " " * 2000), Segment("A", 2, "b")], 2)
@example([Segment("A", 1, "a" * CHUNK_LIMIT), Segment("A", 1, " "), Segment("A", 1, "b")], 1)
def test_reading_in_steps_gives_the_same_chunks(segments: list[Segment], step: int) -> None:
    assert in_steps(segments, step) == in_one_go(segments)


@given(SEGMENTS)
def test_every_piece_keeps_the_code_and_turn_of_its_segment(segments: list[Segment]) -> None:
    facts = [(segment.code, segment.turn) for segment in segments if segment.text.strip()]
    kept = [(segment.code, segment.turn) for chunk in in_one_go(segments) for segment in chunk.segments]
    assert [fact for at, fact in enumerate(kept) if at == 0 or fact != kept[at - 1]] == [
        fact for at, fact in enumerate(facts) if at == 0 or fact != facts[at - 1]
    ]


def test_a_prompt_begins_a_chunk_once_the_last_one_is_long() -> None:
    short, long = Segment("A", 1, "a" * (PROMPT_BREAK - 1)), Segment("A", 1, "a" * PROMPT_BREAK)
    for code in "HK":
        prompt = Segment(code, 2, "next")
        assert [len(chunk.segments) for chunk in in_one_go([short, prompt])] == [2]
        assert [len(chunk.segments) for chunk in in_one_go([long, prompt])] == [1, 1]
    assert [len(chunk.segments) for chunk in in_one_go([long, Segment("A", 1, "more")])] == [2]


def test_a_chunk_has_the_time_of_its_first_segment() -> None:
    chunks = in_one_go([Segment("A", 1, "a" * 900), Segment("A", 1, "b" * 900), Segment("A", 1, "c")])
    assert [chunk.time[-3:] for chunk in chunks] == ["00Z", "01Z"]


@given(TEXTS, st.integers(700, CHUNK_LIMIT))
def test_pieces_lose_white_space_only(text: str, first: int) -> None:
    found = pieces(text, first)
    assert "".join("".join(found).split()) == "".join(text.split())
    assert all(len(piece) <= (CHUNK_LIMIT if at else first) for at, piece in enumerate(found) if piece is not text)


@pytest.mark.parametrize("mark", ["\n\n", "\n", ". ", " ", "\t"])
def test_pieces_end_at_the_best_place_in_the_second_half(mark: str) -> None:
    text = ("x" * 1000 + mark + "y" * 300 + {"\n\n": "\n", "\n": ". ", ". ": " ", " ": "\t", "\t": "-"}[mark]).ljust(2000, "z")
    assert pieces(text, CHUNK_LIMIT)[0] == ("x" * 1000 + mark).rstrip()


def test_a_text_without_blanks_is_cut_by_length_in_linear_time() -> None:
    begun = time.process_time()
    found = pieces("x" * 50_000_000, 700)
    assert time.process_time() - begun < 10
    assert {len(piece) for piece in found[1:-1]} == {CHUNK_LIMIT}
    assert len(found[0]) == 700


def test_copies_share_long_chunks_only() -> None:
    long, short = encode([("A", 1, "a" * 300)]), encode([("H", 1, "go on")])
    assert identity(long, "codex:1") == identity(long, "codex:2") != identity(long + "b", "codex:1")
    assert identity(short, "codex:1") != identity(short, "codex:2")
    assert len(identity(short, "pi:\ud800")) == 16
