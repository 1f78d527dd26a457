from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.pointers import Claim, CodePlace, Link, Pointer, SessionPointer, pointer


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ('absent acme/api@9f3c2d1 "token cron"', Claim("acme/api", "9f3c2d1", "token cron")),
        ('2026-03-02: absent a@b.c@9f3c2d1 " x " (claude-code:3f2a9c1e#4)', Claim("a@b.c", "9f3c2d1", "x")),
        ("acme/api@9f3c2d1 deploy/sidecar.yaml#L10-L44", CodePlace("acme/api", "9f3c2d1", "deploy/sidecar.yaml", 10, 44)),
        ("acme/api@9f3c2d1 a b#L7", CodePlace("acme/api", "9f3c2d1", "a b", 7, 7)),
        ("acme/api@9f3c2d1 a#L7-3", CodePlace("acme/api", "9f3c2d1", "a", 7, 7)),
        ("acme/api@9f3c2d1 a#L7-9", CodePlace("acme/api", "9f3c2d1", "a", 7, 9)),
        ("acme/api@9f3c2d1 src", CodePlace("acme/api", "9f3c2d1", "src", 0, 0)),
        ("[[ other-topic ]]", Link("other-topic")),
        ("codex:0199a8f2#7", SessionPointer("codex", "0199a8f2")),
        ("https://example.org/x", None),
        ("some words", None),
        ('absent nothing "x"', None),
        ('absent acme/api@9f3c2d1 " "', None),
        ('absent acme/api@9f3c2d1 """', None),
        ("@@9f3c2d1 a", None),
        ("a 2026-03-02: codex:0199a8f2", None),
    ],
)
def test_pointers(item: str, found: Pointer | None) -> None:
    assert pointer(item) == found


@given(st.text())
def test_any_text_is_some_pointer_or_none(text: str) -> None:
    found = pointer(text)
    if isinstance(found, CodePlace):
        assert (found.first, found.last) == (0, 0) or 0 <= found.first <= found.last
