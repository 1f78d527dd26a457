from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from libtool.domain.body import ASSISTANT_CODES, MARK, TOOL_CODES, USER_CODES, decode, encode
from libtool.domain.condense import CODES, FAILED
from libtool.domain.text import clean

TEXTS = st.text().map(clean)
SEGMENTS = st.lists(st.tuples(st.sampled_from(USER_CODES + ASSISTANT_CODES + TOOL_CODES), st.integers(0, 10**9), TEXTS))


@given(SEGMENTS)
@example([("H", 0, ""), ("A", 12, " 3 leading digits"), ("R", 1, "\n\n")])
def test_decode_gives_back_what_was_encoded(segments: list[tuple[str, int, str]]) -> None:
    assert decode(encode(segments)) == segments


@given(st.text())
def test_no_cleaned_text_holds_the_mark(text: str) -> None:
    assert MARK not in clean(f"{text}{MARK}{text}")


def test_every_code_is_of_one_speaker() -> None:
    assert sorted(USER_CODES + ASSISTANT_CODES + TOOL_CODES) == sorted([*CODES.values(), FAILED])
