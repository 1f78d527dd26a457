from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact.nearly import nearly
from libtool.domain.redact.rule import expand

MIXED = expand("K{n2}{w3}Q!{w3}{n2}")
LONG = expand("Q{n1}{a30}")


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (f"the login of the box, {MIXED}, is old", [True]),
        (f"{MIXED} is what the auth wants", [True]),
        (f"the kiln wants {MIXED}", []),
        (f"the kiln wants\nlogin\n{MIXED}\nlogin", []),
        (f"the kiln wants {LONG}.", [False]),
        (f"x = {LONG}", [False]),
        ("[REDACTED:pw-0123456789ab] login", []),
        ("login with your-api-key and $PASSWORD9x", []),
        ("login at 7f4a1214ab8f18ab2b0169fe0df3d9e1d657f8fc", []),
        ("token short1A", []),
    ],
)
def test_what_no_one_writes_by_chance_is_told(text: str, near: list[bool]) -> None:
    found = list(nearly(text))
    assert [one[2] for one in found] == near
    assert {text[start:end] for start, end, _ in found} <= {MIXED, LONG}


@given(st.text())
def test_spans_are_inside_the_text_and_in_order(text: str) -> None:
    before = 0
    for start, end, _ in nearly(text):
        assert before <= start < end <= len(text)
        before = end
