"""Finds all trigger literals of a text in one pass, whatever the text holds (NUL, lone surrogates, megabytes on one line)."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol

    class Finder(Protocol):
        """Finds literals in lower-cased bytes, overlapping ones too."""

        def find_matches_as_indexes(self, haystack: bytes, overlapping: bool = False) -> list[Hit]:
            """All hits as (index, start, end) in bytes."""
            ...


_SLOW_BYTES = 1 << 20
Hit = tuple[int, int, int]
"""Index of the literal, start and end."""


def ascii_first(literals: Iterable[str]) -> tuple[str, ...]:
    """Each literal once, in the order that `Triggers` asks for."""
    return tuple(sorted(set(literals), key=lambda one: (not one.isascii(), one)))


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


class GrowingFinder:
    """Quickly made and slow at first; from a megabyte on slowly made and fast. Raises ImportError where there is no native one."""

    def __init__(self, literals: Sequence[bytes]) -> None:
        from ahocorasick_rs import BytesAhoCorasick, Implementation  # noqa: PLC0415 - absent on some platforms

        self._make: Callable[[], Finder] = lambda: BytesAhoCorasick(literals, implementation=Implementation.DFA)
        # 1 ms where the other takes 8: a git hook or a pipe looks at a few kilobytes.
        self._finder: Finder = BytesAhoCorasick(literals, implementation=Implementation.NoncontiguousNFA)
        self._left = _SLOW_BYTES

    def find_matches_as_indexes(self, haystack: bytes, overlapping: bool = False) -> list[Hit]:
        """All hits as (index, start, end) in bytes."""
        if self._left > 0:
            self._left -= len(haystack)
            if self._left <= 0:
                self._finder = self._make()
        return self._finder.find_matches_as_indexes(haystack, overlapping=overlapping)


def build(literals: Sequence[bytes]) -> Finder:
    """The fastest finder that this platform has."""
    try:
        return GrowingFinder(literals)
    except ImportError:
        return RegexFinder(literals)


class Triggers:
    """Literals (lower case, those in ASCII first) and where they stand in a text, in code points."""

    def __init__(self, literals: Sequence[str], make: Callable[[Sequence[bytes]], Finder] = build) -> None:
        plain = [literal for literal in literals if literal.isascii()]
        foreign = [literal for literal in literals if not literal.isascii()]
        if [*plain, *foreign] != list(literals):
            raise ValueError("literals in ASCII come first")
        self._first = len(plain)
        self._sizes = [len(literal) for literal in foreign]
        self.plain = make([one.encode() for one in plain]).find_matches_as_indexes if plain else _nothing
        self._find_foreign = make([one.encode() for one in foreign]).find_matches_as_indexes if foreign else _nothing

    def hits(self, text: str) -> list[Hit]:
        """(index of the literal, start, end) in code points, in the order of their ends.

        A literal with a question mark is also found where the text has any character beyond ASCII in its place.
        """
        # One byte a character, so that bytes are code points; `bytes.lower` changes ASCII only and keeps every length.
        hits = self.plain(text.encode("ascii", "replace").lower(), overlapping=True)
        if text.isascii():
            return hits
        return sorted(hits + list(self._beyond_ascii(text)), key=_end)

    def _beyond_ascii(self, text: str) -> Iterator[Hit]:
        """Hits of the literals beyond ASCII: byte offsets to code points, decoding every byte once at most (hits come by rising ends)."""
        data = text.encode("utf-8", "surrogatepass").lower()
        seen, points = 0, 0
        for index, _, end in self._find_foreign(data, overlapping=True):
            points += len(data[seen:end].decode("utf-8", "surrogatepass"))
            seen = end
            yield self._first + index, points - self._sizes[index], points


def _nothing(_haystack: bytes, *, overlapping: bool = True) -> list[Hit]:  # noqa: ARG001 - as a finder's method
    return []


def _end(hit: Hit) -> int:
    return hit[2]
