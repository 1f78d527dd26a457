from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libtool.domain.chance import Chance
from libtool.domain.condense import CODES, FAILED
from libtool.domain.excerpt import excerpt
from libtool.domain.fts import columns
from libtool.domain.query import NAME, PHRASE, WORD, Query, Term, parse
from libtool.domain.rank import FAIR, LABELS, STRONG, WEAK, Matcher, Occurrence, View, fused, nearness, tier
from tests.domain.fts5 import COLUMNS, Table

RARE = Chance(10_000, 2_000_000, [5] * 60)
"""Terms that no accident brings together within a chunk."""
SPOTS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60)), max_size=12).map(
    lambda pairs: [Occurrence(term, at, at * 5, at * 5 + 4) for at, term in sorted((at, term) for term, at in pairs)]
)
SAID = st.lists(
    st.sampled_from(
        [
            *("load_kiln", "loadKiln", "Kiln", "kilns", "load", "loading", "firing", "fire", "fires", "src/kiln/fire.py", "load-kiln"),
            *("数据库", "数据", "库。错", "がぞう", "café", "cafe\u0301", "한국어", "naïveKiln", "ÜBER", "über", "—", "the", "IOError"),
            *(".py", "abc3f2a9", "3f2a9c1e", ".", "\n", "_", "deploying", "deployment", "copyright"),
        ]
    ),
    max_size=25,
).map(" ".join)
ASKED = st.lists(
    st.sampled_from(
        [
            *("load_kiln", "loadKiln", "kiln", '"load kiln"', '"loading kilns"', "fire", "fires", "src/kiln/fire.py", "load-kiln"),
            *("数据库", "数据", "がぞう", "café", "cafe", "한국", "ioerror", "über", "3f2a9c1e"),
            *("kil*", "deploy*", "copy*", "lo*", '"load*', "数据*", "src/kil*", "fir*"),
        ]
    ),
    min_size=1,
    max_size=4,
).map(" ".join)


def words(*kinds: str) -> list[Term]:
    return [Term(kind, f"w{number}", [(f"w{number}",)]) for number, kind in enumerate(kinds)]


def found_terms(query: Query, text: str) -> set[int]:
    return {occurrence.term for occurrence in Matcher(query.terms).find(text)}


@given(ASKED, SAID)
@example("test* testing", "it was testing")
@example("load_kiln", "load\nkiln")
@example("数据库", "数据。库 数据库")
@example("cafe", "cafe\u0301s")
def test_a_term_is_found_where_fts5_finds_it(asked: str, said: str) -> None:
    query = parse(asked)
    table, names = Table("porter unicode61", COLUMNS), Table("porter unicode61", COLUMNS)
    table.add(columns([("H", 1, said)], "", "")[0], "", "", "")
    names.add(*columns([("H", 1, said)], "", ""))
    found = found_terms(query, said)
    for number, term in enumerate(query.terms):
        if number in found:
            assert names.matches(term.match())
        elif not term.prefix:
            assert not table.matches(term.match())


@pytest.mark.parametrize(
    ("asked", "said", "shown"),
    [
        ("kiln", "the Kilns, kiln", ["Kilns", "kiln"]),
        ("load_kiln", "x loadKiln y load-kiln z", ["loadKiln", "load-kiln"]),
        ("kiln", "call loadKiln", ["loadKiln"]),
        ("数据库", "修复数据库错误", ["数据库"]),
        ("错", "修复 错 误", ["错"]),
        ('"disk full"', "Disks full; full disk; disk\nfull", ["Disks full", "disk\nfull"]),
        ("deploy*", "deploying a deploy-ment to deplore", ["deploying", "deploy"]),
        ("src/kil*", "see src/kilns and src/fire", ["src/kilns"]),
        ("src/kil*", "ends in src", []),
        ("kil* firing", "kilns fire killing", ["kilns", "fire", "killing"]),
        ("testing test*", "testing", ["testing", "testing"]),
        ("cafe", "Cafe\u0301s CAFÉ", ["Cafe\u0301s", "CAFÉ"]),
        ("xyz", "", []),
        ("", "kiln", []),
    ],
)
def test_occurrences_are_where_the_words_stand(asked: str, said: str, shown: list[str]) -> None:
    found = Matcher(parse(asked).terms).find(said)
    assert [said[occurrence.start : occurrence.end] for occurrence in found] == shown
    assert [occurrence.at for occurrence in found] == sorted(occurrence.at for occurrence in found)


@given(SPOTS, st.integers(1, 4))
def test_nearness_is_that_of_trying_all(found: list[Occurrence], count: int) -> None:
    found = [one for one in found if one.term < count]
    places = [[one.at for one in found if one.term == term] for term in range(count)]
    near = [any(abs(a - b) <= 20 for a in first for b in second) for first, second in itertools.pairwise(places)]
    assert nearness(words(*[WORD] * count), found) == pytest.approx(1 + 0.6 * sum(near) / len(near) if near else 1.0)


def spots(*places: tuple[int, int]) -> list[Occurrence]:
    return [Occurrence(term, at, at, at + 1) for term, at in places]


@pytest.mark.parametrize(
    ("terms", "found", "missing", "granted", "expected"),
    [
        ([WORD], [(0, 5)], 0, (), STRONG),
        ([WORD, WORD], [(0, 5), (1, 34)], 0, (), STRONG),
        ([WORD, WORD], [(0, 5), (1, 35)], 0, (), FAIR),
        ([WORD, WORD], [(0, 5)], 0, (), WEAK),
        ([WORD, WORD], [(0, 5), (1, 6)], 1, (), WEAK),
        ([WORD, WORD], [(0, 5)], 0, (1,), STRONG),
        ([WORD, PHRASE], [(1, 5)], 0, (), STRONG),
        ([WORD, NAME], [(1, 5)], 3, (), STRONG),
        ([WORD, NAME], [(0, 5)], 0, (), WEAK),
        ([WORD], [], 0, (), WEAK),
    ],
)
def test_tiers(terms: list[str], found: list[tuple[int, int]], missing: int, granted: tuple[int, ...], expected: str) -> None:
    assert tier(words(*terms), spots(*found), RARE, missing, frozenset(granted)) == expected


@pytest.mark.parametrize(
    ("counts", "found", "expected"),
    [
        ((200, 200), [(0, 5), (1, 6)], STRONG),
        ((200, 200), [(1, 5), (0, 6)], FAIR),
        ((200, 200), [(0, 5), (1, 12)], FAIR),
        ((200, 20), [(0, 5), (1, 12)], STRONG),
        ((9000, 9000), [(0, 5), (1, 6)], FAIR),
        ((9000, 9000, 9000), [(0, 5), (1, 6), (2, 7)], FAIR),
        ((9000, 9000, 2), [(0, 5), (1, 6), (2, 7)], STRONG),
        ((9000, 9000, 2), [(2, 5), (1, 15), (0, 34)], FAIR),
    ],
)
def test_words_that_meet_by_accident_are_no_prior_work(counts: tuple[int, ...], found: list[tuple[int, int]], expected: str) -> None:
    chance = Chance(10_000, 2_000_000, counts)
    assert tier(words(*[WORD] * len(counts)), spots(*found), chance) == expected


def test_what_a_session_is_about_counts_as_said_beside_the_words() -> None:
    terms, found = words(WORD, WORD, WORD), spots((1, 5), (2, 12))
    of_few, of_many = Chance(10_000, 2_000_000, (50, 400, 400)), Chance(10_000, 2_000_000, (9000, 400, 400))
    assert tier(terms, found, of_few, granted=frozenset({0})) == STRONG
    assert tier(terms, found, of_many, granted=frozenset({0})) == FAIR


def test_what_a_session_is_about_counts_for_more_where_it_is_said_again() -> None:
    terms, chance = words(WORD, WORD, WORD), Chance(10_000, 2_000_000, (1000, 400, 400))
    assert tier(terms, spots((1, 5), (2, 12)), chance, granted=frozenset({0})) == FAIR
    assert tier(terms, spots((1, 5), (2, 12), (0, 14)), chance) == STRONG
    assert tier(terms, spots((1, 5), (2, 12), (0, 14)), chance, granted=frozenset({0})) == STRONG


@pytest.mark.parametrize(("counts", "expected"), [((100, 3), STRONG), ((100, 400), FAIR), ((9000, 3), FAIR)])
def test_one_word_beside_what_a_session_is_about_may_be_an_accident(counts: tuple[int, int], expected: str) -> None:
    chance = Chance(10_000, 2_000_000, counts)
    assert tier(words(WORD, WORD), spots((1, 5)), chance, granted=frozenset({0})) == expected


def test_a_view_labels_who_speaks_and_knows_the_turns() -> None:
    view = View([("H", 1, "why?"), ("H", 1, "again"), ("A", 1, "so"), ("R", 2, "out"), ("N", 7, "note")])
    assert view.text == "user: why?\nagain\nassistant: so\noutput: out\nnote\n"
    assert [view.turn(view.text.index(word)) for word in ("user", "why", "so", "out", "note")] == [1, 1, 1, 2, 7]
    assert (View([]).text, View([]).turn(3)) == ("", 0)


def test_every_code_has_a_label() -> None:
    assert set(LABELS) == {*CODES.values(), FAILED}


@pytest.mark.parametrize("said", ["kiln " * 300, "k" * 1500, "数" * 1500, "aA" * 750, "é " * 750])
def test_hostile_chunks_take_little_time(said: str) -> None:
    matcher = Matcher(parse("kiln glaze kil* 数据 loadKiln " + "w*" * 20).terms)
    begun = time.process_time()
    for _ in range(20):
        found = matcher.find(said)
        tier(matcher.terms, found, RARE)
        nearness(matcher.terms, found)
        excerpt(said, found, 700)
    assert time.process_time() - begun < 10


@given(st.lists(st.integers(0, 20), unique=True), st.lists(st.integers(0, 20), unique=True))
def test_two_rankings_fused_hold_all_and_keep_what_both_agree_on(first: list[int], second: list[int]) -> None:
    both = fused(first, second)
    assert sorted(both) == sorted({*first, *second})
    assert fused(first, []) == first
    assert fused(first, first) == first
    for better, worse in itertools.combinations(first, 2):
        if better in second and worse in second and second.index(better) < second.index(worse):
            assert both.index(better) < both.index(worse)
