from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from libtool.features.githooks.hunks import carry

LINES = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n"]), max_size=8).map(b"".join)


def test_a_change_is_carried_where_nobody_edited() -> None:
    old = b"1\n2\n3\n4\n5\n6\n"
    new = b"1\nTWO\n3\n4\n5\n6\n"
    assert carry(old, new, b"1\n2\n3\n4\nfive\n6\n") == b"1\nTWO\n3\n4\nfive\n6\n"
    assert carry(old, new, b"1\ntwo\n3\n4\n5\n6\n") == b"1\ntwo\n3\n4\n5\n6\n"


def test_as_a_whole_or_not_at_all() -> None:
    old, new = b"1\n2\n3\n4\n5\n6\n", b"1\nTWO\n3\n4\n5\nSIX\n"
    edited = b"1\ntwo\n3\n4\n5\n6\n"
    assert carry(old, new, edited) == b"1\ntwo\n3\n4\n5\nSIX\n"
    assert carry(old, new, edited, whole=True) == edited
    assert carry(old, new, b"1\n2\n3\nfour\n5\n6\n", whole=True) == b"1\nTWO\n3\nfour\n5\nSIX\n"


@given(LINES, LINES, LINES)
def test_laws(old: bytes, new: bytes, edited: bytes) -> None:
    assert carry(old, new, old) == new
    assert carry(old, old, edited) == edited
    assert carry(old, new, new) == new
    assert carry(old, new, edited, whole=True) in (edited, carry(old, new, edited))
