from __future__ import annotations

import itertools
import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.chance import NOWHERE, Chance, spans
from libtool.domain.rank import Occurrence

SPOTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60)), max_size=12).map(
    lambda pairs: [Occurrence(term, at, at * 5, at * 5 + 4) for at, term in sorted((at, term) for term, at in pairs)]
)


@given(SPOTS, st.sets(st.integers(0, 3), min_size=1))
def test_spans_are_those_of_trying_all(found: list[Occurrence], needed: set[int]) -> None:
    places = [[one.at for one in found if one.term == term] for term in sorted(needed)]
    ways = list(itertools.product(*places))
    shortest = min((max(chosen) - min(chosen) + 1 for chosen in ways), default=NOWHERE)
    ordered = min((chosen[-1] - chosen[0] + 1 for chosen in ways if list(chosen) == sorted(chosen)), default=NOWHERE)
    assert spans(found, needed) == (shortest, ordered)


@pytest.mark.parametrize(("counts", "length"), [((300, 200), 5), ((900, 700, 800), 12), ((2000, 1500, 1500, 1200), 20)])
def test_what_is_expected_is_what_strewn_words_do(counts: tuple[int, ...], length: int) -> None:
    tokens, rng = 200_000, random.Random(7)  # noqa: S311 - nothing secret
    met = in_order = 0
    rounds = 20
    for _ in range(rounds):
        strewn = sorted((rng.randrange(tokens), term) for term, count in enumerate(counts) for _ in range(count))
        for groups in _groups(strewn, len(counts), length):
            met += 1
            in_order += groups == sorted(groups)
    chance = Chance(10_000, tokens, counts)
    needed = set(range(len(counts)))
    assert met / rounds == pytest.approx(chance.expected(needed, length), rel=0.3)
    assert in_order / rounds == pytest.approx(chance.expected(needed, length, ordered=True), rel=0.5)


def _groups(strewn: list[tuple[int, int]], count: int, length: int) -> list[list[int]]:
    """The terms, by place, of every group of one of each within `length` tokens."""
    groups = []
    for first, (at, _) in enumerate(strewn):
        near = list(itertools.takewhile(lambda spot: spot[0] < at + length, strewn[first:]))  # noqa: B023 - used at once
        for others in itertools.combinations(near[1:], count - 1):
            terms = [near[0][1], *(term for _, term in others)]
            if len(set(terms)) == count:
                groups.append(terms)
    return groups


COUNTS = st.lists(st.integers(1, 40_000), min_size=2, max_size=5)


@given(COUNTS, st.integers(5, 200), st.integers(1, 50_000))
def test_chance_grows_with_length_frequency_and_disorder(counts: list[int], length: int, chunks: int) -> None:
    needed = set(range(len(counts)))
    chance = Chance(chunks, chunks * 200, counts)
    here = chance.expected(needed, length)
    assert here <= chance.expected(needed, length + 1)
    assert here <= Chance(chunks, chunks * 200, [count + 1 for count in counts]).expected(needed, length)
    assert chance.expected(needed, length, ordered=True) == pytest.approx(here / math.factorial(len(counts)))
    assert chance.expected(needed - {0}, length, subject=(0,)) <= chance.expected(needed - {0}, length)


@given(COUNTS, st.integers(5, 200))
def test_chance_grows_with_the_library_at_the_same_share_of_words(counts: list[int], length: int) -> None:
    needed = set(range(len(counts)))
    small, large = (Chance(times * 40_000, times * 8_000_000, [times * count for count in counts]) for times in (1, 10))
    assert small.expected(needed, length) * 10 == pytest.approx(large.expected(needed, length), rel=0.001)


def test_a_small_library_does_not_call_its_own_subject_common() -> None:
    three_chats = Chance(12, 2400, (12, 10))
    assert three_chats.expected({0, 1}, 10) < 0.05 < Chance(12_000, 2_400_000, (12_000, 10_000)).expected({0, 1}, 2)


def test_an_empty_library_expects_nothing() -> None:
    assert Chance(0, 0, (1, 1)).expected({0, 1}, 5) == 0
