from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from libtool.cli.budget import cut, folded, room_of, size

TEXTS = st.text(st.characters(exclude_categories=[]), max_size=60)


@given(TEXTS, st.integers(0, 200))
def test_a_cut_text_fits_and_is_a_beginning(text: str, room: int) -> None:
    kept = cut(text, room)
    assert size(kept) - 1 == len(kept.encode("utf-8", "replace")) <= room
    assert cut(text, 10_000).startswith(kept.removesuffix("…"))
    assert cut(kept, room) == kept


def test_what_is_printed_as_an_escape_is_counted_as_one() -> None:
    assert size("\u202e") == len("\\u202e") + 1
    assert [cut("\u202eabc", room) for room in (9, 8, 4, 3)] == ["\\u202eabc", "\\u202…", "\\…", ""]
    assert cut("日本語", 9) == "日本語"
    assert [cut("日本語", room) for room in (8, 6, 5, 3, 0)] == ["日…", "日…", "", "", ""]


def test_a_budget_counts_four_bytes_a_token_and_nought_is_none() -> None:
    assert [room_of(1), room_of(600)] == [3, 2399]
    assert room_of(0) > 10**9


def test_white_space_is_folded() -> None:
    assert folded(" a\n\tb  c\u2003d ") == "a b c d"
