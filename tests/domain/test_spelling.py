from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.porter import stem
from libtool.domain.spelling import closest, distances, typed

SHORT = st.text("abc", max_size=7)
WORDS = st.text("abcdeinostyz", min_size=1, max_size=12)
SAID = (
    "configuration glazes authentication database deployment celadon migrations scheduler permission pagination "
    "rotation encoding throttled retries checksum repository dependency workspace transcript session".split()
)
STEMS = [stem(word) for word in SAID]


def model(first: str, second: str) -> int:
    """Optimal string alignment by its definition."""

    @cache
    def edits(at: int, to: int) -> int:
        if not at or not to:
            return at + to
        ways = [edits(at - 1, to) + 1, edits(at, to - 1) + 1, edits(at - 1, to - 1) + (first[at - 1] != second[to - 1])]
        if at > 1 and to > 1 and first[at - 2 : at] == second[to - 2 : to][::-1]:
            ways.append(edits(at - 2, to - 2) + 1)
        return min(ways)

    return edits(len(first), len(second))


@given(SHORT, SHORT)
def test_distances_are_those_of_the_definition(first: str, second: str) -> None:
    assert distances(first, second) == [model(first[:at], second) for at in range(len(first) + 1)]


@given(SHORT, SHORT)
def test_a_distance_is_the_same_both_ways_and_nothing_only_between_equals(first: str, second: str) -> None:
    assert distances(first, second)[-1] == distances(second, first)[-1]
    assert (distances(first, second)[-1] == 0) == (first == second)


@pytest.mark.parametrize(
    ("word", "means"),
    [
        ("confguration", "configuration"),
        ("ocnfiguration", "configuration"),
        ("configuratoin", "configuration"),
        ("configuratiom", "configuration"),
        ("databse", "database"),
        ("deploymnet", "deployment"),
        ("celadom", "celadon"),
        ("authentcation", "authentication"),
        ("migratiins", "migrations"),
        ("sesion", "session"),
        ("shceduler", "scheduler"),
        ("retriez", "retries"),
    ],
)
def test_a_misspelled_word_means_the_nearest_known_one(word: str, means: str) -> None:
    assert closest(word, STEMS) == stem(means)


@pytest.mark.parametrize("word", ["kubernetes", "internationalisation", "glass", "sensor", "rotunda", "encyclopedia"])
def test_an_unknown_word_means_nothing(word: str) -> None:
    assert closest(word, [*STEMS, "inter", "nation"]) is None


def test_of_equally_near_words_the_first_is_taken() -> None:
    assert closest("glaxe", ["glare", "glaze"]) == "glare"
    assert closest("glaxe", ["glaze", "glare"]) == "glaze"
    assert closest("glaxe", []) is None


@given(WORDS, st.lists(WORDS, max_size=6))
def test_what_is_taken_is_known_and_a_known_stem_is_taken_first(word: str, known: list[str]) -> None:
    stems = [stem(one) for one in known]
    found = closest(word, stems)
    assert found is None or found in stems
    assert closest(word, [*stems, stem(word)]) == stem(word)


@given(st.sampled_from([*SAID, "cause", "agreed", "collision", "accidental", "house", "browsing", "decisions", "convince"]))
def test_a_typed_word_has_the_stem_it_was_made_for(word: str) -> None:
    assert stem(typed(stem(word))) == stem(word)
