from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.porter import stem
from tests.domain.fts5 import Table

ENDINGS = (
    "ing ed eed es s sses ies y ational tional enci anci izer bli alli entli eli ousli ization ation ator alism iveness fulness ousness "
    "aliti iviti biliti logi icate ative alize iciti ical ful ness al ance ence er ic able ible ant ement ment ent ion sion tion ou ism "
    "ate iti ous ive ize e ll"
).split()
LETTERS = "aaeeiioouuyybcdfghlmnprstvwxz"
WORDS = st.builds(
    lambda head, tail: head + "".join(tail), st.text(LETTERS, min_size=1, max_size=8), st.lists(st.sampled_from(ENDINGS), max_size=3)
)


@pytest.fixture(scope="module")
def index() -> Table:
    return Table("porter unicode61")


@given(st.lists(WORDS, min_size=1, max_size=60))
def test_a_stem_is_that_of_fts5(index: Table, words: list[str]) -> None:
    assert [[stem(word)] for word in words] == index.tokens(*words)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("caresses", "caress"),
        ("ponies", "poni"),
        ("ties", "ti"),
        ("caress", "caress"),
        ("feed", "feed"),
        ("agreed", "agre"),
        ("plastered", "plaster"),
        ("sing", "sing"),
        ("conflated", "conflat"),
        ("hopping", "hop"),
        ("falling", "fall"),
        ("hissing", "hiss"),
        ("filing", "file"),
        ("happy", "happi"),
        ("sky", "sky"),
        ("relational", "relat"),
        ("adoption", "adopt"),
        ("controll", "control"),
        ("rate", "rate"),
        ("cease", "ceas"),
        ("by", "by"),
        ("", ""),
    ],
)
def test_known_words(word: str, expected: str) -> None:
    assert stem(word) == expected


@pytest.mark.parametrize("size", [2, 3, 62, 63, 64, 65, 66])
def test_words_of_every_length_that_fts5_treats_apart(index: Table, size: int) -> None:
    words = [("ab" * size)[: size - 3] + "ing" if size > 3 else "ing"[:size], "y" * size, "a" * (size - 1) + "s"]
    assert [[stem(word)] for word in words] == index.tokens(*words)


@pytest.mark.parametrize("word", ["straßed", "ßßing", "aßßing", "жая", "жжing", "naming", "æs", "øying", "a\u1208ing", "a\u5c30ing"])
def test_letters_beyond_ascii_count_as_bytes_as_in_fts5(index: Table, word: str) -> None:
    assert [[stem(word)]] == index.tokens(word)


@given(st.text(max_size=80))
def test_no_text_is_an_error_and_the_first_letter_stays(text: str) -> None:
    # rank.Matcher stems only what begins with a wanted letter.
    assert stem(text)[:1] == text[:1]
    assert len(stem(text)) <= len(text) + 1
