from __future__ import annotations

import builtins
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact.triggers import FewFinder, GrowingFinder, RegexFinder, Triggers, ascii_first

if TYPE_CHECKING:
    from collections.abc import Sequence

LITERALS = ("a", "ab", "abc", "bc", "password", "pass", "==", "\\n", "ß", "\N{HIRAGANA LETTER A}")
texts = st.text(st.one_of(st.sampled_from("abcABCpswordPASß\N{HIRAGANA LETTER A}=\\n\x00\ud800\U0001f600"), st.characters(codec=None)))


def naive(text: str, literals: Sequence[str]) -> set[tuple[int, int, int]]:
    """Every place of every literal, ASCII case ignored."""
    lowered = "".join(c.lower() if c.isascii() else c for c in text)
    return {(i, at, at + len(one)) for i, one in enumerate(literals) for at in range(len(text)) if lowered.startswith(one, at)}


def grown(literals: Sequence[bytes]) -> GrowingFinder:
    """A finder that has seen enough to be the native one."""
    finder = GrowingFinder(literals)
    finder.find_matches_as_indexes(b" " * (32 << 10), overlapping=True)
    return finder


@given(texts)
def test_both_finders_find_every_place_in_code_points(text: str) -> None:
    expected = naive(text, LITERALS)
    for triggers in (Triggers(LITERALS), Triggers(LITERALS, RegexFinder), Triggers(LITERALS, FewFinder), Triggers(LITERALS, grown)):
        hits = triggers.hits(text)
        assert len(hits) == len(set(hits))
        assert set(hits) == expected


def test_a_platform_without_the_native_finder_has_the_slow_one(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name == "ahocorasick_rs":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    slow = grown([b"key", b"ey"])
    assert isinstance(slow._finder, RegexFinder)
    monkeypatch.undo()
    native = grown([b"key", b"ey"])
    assert not isinstance(native._finder, RegexFinder | FewFinder)
    for text in (b"a key", b"x" * (2 << 20) + b"ey"):
        assert set(slow.find_matches_as_indexes(text, overlapping=True)) == set(native.find_matches_as_indexes(text, overlapping=True))


@given(st.lists(st.binary(min_size=1, max_size=4), min_size=1, unique=True), st.binary(max_size=60))
def test_all_finders_give_hits_by_their_ends_the_longest_first(literals: list[bytes], text: bytes) -> None:
    hits = FewFinder(literals).find_matches_as_indexes(text)
    assert hits == grown(literals).find_matches_as_indexes(text, overlapping=True)
    assert sorted(RegexFinder(literals).find_matches_as_indexes(text)) == sorted(hits)


def test_one_kind_of_literal_is_enough() -> None:
    assert Triggers(("a",)).hits("\u3042a") == [(0, 1, 2)]
    assert Triggers(("\u3042",)).hits("a\u3042") == [(0, 1, 2)]


def test_literals_come_in_the_order_of_their_numbers() -> None:
    with pytest.raises(ValueError, match="ASCII"):
        Triggers(("\u3042", "a"))
    assert ascii_first(("\u3042", "b", "a", "b")) == ("a", "b", "\u3042")


def test_a_finder_finds_the_same_while_it_grows() -> None:
    finder = GrowingFinder([b"key", b"ey"])
    kinds = []
    for size in (1, 1 << 15, 2 << 20, 1):
        finder.find_matches_as_indexes(b"x" * size, overlapping=True)
        kinds.append(finder._finder)
        assert finder.find_matches_as_indexes(b"a key", overlapping=True) == [(0, 2, 5), (1, 3, 5)]
    assert len({id(kind) for kind in kinds}) == 3
    assert kinds[2] is kinds[3]
