from __future__ import annotations

import unicodedata

from hypothesis import assume, example, given
from hypothesis import strategies as st

from libtool.domain.excerpt import SNIPPETS, excerpt, snippet_lengths
from libtool.domain.query import parse
from libtool.domain.rank import Matcher
from libtool.domain.text import clean

PROSE = st.lists(
    st.sampled_from("kiln glaze the of fire,\n ash x1 loadKiln 数据 — long-hyphenated-word".split(" ")), min_size=1, max_size=300
).map(" ".join)


@given(PROSE | st.text().map(clean), st.sampled_from(["kiln", "kiln glaze", "fire ash", "loadKiln 数据"]), st.integers(60, 700))
@example("x " * 60 + "kiln" + " y" * 56 + " glaze" + " z" * 60, "kiln glaze", 120)
@example("x" * 500 + " kiln " + "y" * 500, "kiln", 60)
@example("kiln " + "x " * 400 + "glaze", "kiln glaze", 500)
@example(("kiln glaze " + "x " * 400) * 2, "kiln glaze", 700)
def test_an_excerpt_is_short_clean_and_shows_a_term(text: str, asked: str, length: int) -> None:
    matcher = Matcher(parse(asked).terms)
    found = matcher.find(text)
    shown, at = excerpt(text, found, length)
    assert len(shown) <= length + len("… ……")
    assert not [letter for letter in shown if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp")]
    assert shown == " ".join(shown.split())
    assert 0 <= at <= len(text)
    if found:
        assert matcher.find(shown)
        assert at in {occurrence.start for occurrence in found}


@given(PROSE, st.integers(60, 400))
def test_what_is_left_out_is_marked(text: str, length: int) -> None:
    text = " ".join(text.split())
    assume(text)
    shown, _ = excerpt(text, Matcher(parse("ash").terms).find(text), length)
    assert (shown == text) or "…" in shown
    for part in shown.split("… …"):
        assert part.strip("…") in text


def test_the_densest_place_is_shown_whole() -> None:
    text = "kiln " + "x " * 300 + "the kiln took the glaze" + " y" * 300
    found = Matcher(parse("kiln glaze").terms).find(text)
    shown, at = excerpt(text, found, 120)
    assert "kiln took the glaze" in shown
    assert text[at:].startswith("kiln took")
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_a_place_as_long_as_the_excerpt_keeps_its_first_and_last_word() -> None:
    text = "a " * 50 + "kiln " + "b " * 55 + "glaze" + " c" * 50
    begin, end = text.index("kiln"), text.index("glaze") + len("glaze")
    shown, _ = excerpt(text, Matcher(parse("kiln glaze").terms).find(text), end - begin)
    assert shown.strip("…").split() == text[begin:end].split()


def test_a_long_excerpt_shows_a_second_place_far_from_the_first() -> None:
    text = "kiln glaze asked " + "x " * 600 + "kiln glaze answered " + "y " * 300
    shown, at = excerpt(text, Matcher(parse("kiln glaze").terms).find(text), 700)
    assert at == 0
    assert "asked" in shown
    assert "answered" in shown
    near = "kiln glaze asked " + "x " * 100 + "kiln glaze answered " + "y " * 600
    assert "… …" not in excerpt(near, Matcher(parse("kiln glaze").terms).find(near), 700)[0]


def test_without_a_term_the_beginning_is_shown() -> None:
    assert excerpt("one two three four", [], 12) == ("one two…", 0)
    assert excerpt("one\ntwo", [], 12) == ("one two", 0)


def test_a_few_strong_hits_share_the_room_of_the_loose_ones() -> None:
    assert snippet_lengths(0) == snippet_lengths(3) == snippet_lengths(50) == SNIPPETS
    assert snippet_lengths(1) == (700, 300, 220, 160, 120)
    assert snippet_lengths(2) == (700, 700, 160, 120)


def test_a_line_drawn_across_the_page_takes_no_room() -> None:
    text = "\n".join(["⎯" * 200, "FAIL kiln", "=" * 80, "glaze...", "a" * 9, "-- --"])
    assert excerpt(text, Matcher(parse("kiln").terms).find(text), 700)[0] == "⎯⎯⎯ FAIL kiln === glaze... aaaaaaaaa -- --"
    longer = text + " ash" * 300
    shown, _ = excerpt(longer, Matcher(parse("kiln").terms).find(longer), 400)
    assert "⎯⎯⎯ FAIL kiln === glaze... aaaaaaaaa -- -- ash" in shown
