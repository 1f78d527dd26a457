from __future__ import annotations

import re

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from libtool.domain import outline
from tests.compat.lab import entry

WORDS = st.text(st.sampled_from("ab 1-=#`~<>[]():|*_\t\\\"'!."), max_size=12)
LINES = st.one_of(
    st.just(""),
    st.builds("{} {}\n".format, st.sampled_from(["#", "##"]), st.builds("x{}".format, WORDS)),
    st.builds("{}{}".format, st.sampled_from(["- ", "- 2026-10-03: ", "  ", ""]), st.builds("y{}".format, WORDS)),
)


def slowly(text: str) -> list[tuple[int, int]]:
    """As mistune alone reads it."""
    plain = outline._PLAIN
    try:
        outline._PLAIN = re.compile("(?!)")
        return outline.outline(text)
    finally:
        outline._PLAIN = plain


@given(st.lists(LINES, max_size=12).map("\n".join), st.sampled_from(["", "\n"]))
@settings(max_examples=400)
def test_a_plain_text_is_read_as_mistune_reads_it(text: str, end: str) -> None:
    assume(outline._PLAIN.fullmatch(text + end))
    assert outline.outline(text + end) == slowly(text + end)


def test_an_entry_is_plain() -> None:
    text = entry("Alpha", decided=("2026-10-03: one", "two"))
    assert outline._PLAIN.fullmatch(text)
    assert len(outline.outline(text)) == 9
