"""Finds all trigger literals of a text in one pass, whatever the text holds (NUL, lone surrogates, megabytes on one line)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Hit = tuple[int, int, int]
"""Index of the literal, start and end."""


class Finder(Protocol):
    """Finds literals in lower-cased bytes, overlapping ones too."""

    def find_matches_as_indexes(self, haystack: bytes, overlapping: bool = False) -> list[Hit]:
        """All hits as (index, start, end) in bytes."""
        ...


class RegexFinder:
    """The slower path for a platform for which `ahocorasick-rs` has no wheel; same hits."""

    def __init__(self, literals: Sequence[bytes]) -> None:
        index = {literal: i for i, literal in enumerate(literals)}
        longest_first = sorted(index, key=len, reverse=True)
        self._pattern = re.compile(b"(?=(" + b"|".join(map(re.escape, longest_first)) + b"))")
        # The alternation reports the longest literal at a place; those that begin it are at the same place.
        self._at = {literal: [(i, len(other)) for other, i in index.items() if literal.startswith(other)] for literal in longest_first}

    def find_matches_as_indexes(self, haystack: bytes, overlapping: bool = True) -> list[Hit]:  # noqa: ARG002 - as the native one
        """All hits as (index, start, end) in bytes; `overlapping` is always so."""
        return [(i, m.start(), m.start() + size) for m in self._pattern.finditer(haystack) for i, size in self._at[m[1]]]


def build(literals: Sequence[bytes]) -> Finder:
    """The fastest finder that this platform has."""
    try:
        from ahocorasick_rs import BytesAhoCorasick, Implementation  # noqa: PLC0415 - absent on some platforms
    except ImportError:
        return RegexFinder(literals)
    return BytesAhoCorasick(literals, implementation=Implementation.DFA)


class Triggers:
    """Literals (lower case) and where they stand in a text, in code points."""

    def __init__(self, literals: Sequence[str], finder: Finder | None = None) -> None:
        self._sizes = tuple(map(len, literals))
        self._finder = finder or build([literal.encode() for literal in literals])

    def hits(self, text: str) -> list[Hit]:
        """(index of the literal, start, end) in code points, in the order of their ends."""
        # `bytes.lower` changes ASCII only and keeps every length; str.lower does neither.
        data = text.encode("utf-8", "surrogatepass").lower()
        hits = self._finder.find_matches_as_indexes(data, overlapping=True)
        if not hits or len(data) == len(text):
            return hits
        return list(self._in_code_points(data, hits))

    def _in_code_points(self, data: bytes, hits: list[Hit]) -> Iterator[Hit]:
        """Byte offsets to code point offsets, decoding every byte of the text at most once: hits come by rising ends."""
        seen, points = 0, 0
        for index, _, end in hits:
            points += len(data[seen:end].decode("utf-8", "surrogatepass"))
            seen = end
            yield index, points - self._sizes[index], points
