"""Finds all trigger literals of a text in one pass, whatever the text holds (NUL, lone surrogates, megabytes on one line)."""

from __future__ import annotations

import bisect
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Protocol, TypeVar

    T = TypeVar("T")

    class Finder(Protocol):
        """Finds literals in lower-cased bytes, overlapping ones too."""

        def find_matches_as_indexes(self, haystack: bytes, overlapping: bool = False) -> list[Hit]:
            """All hits as (index, start, end) in bytes."""
            ...


_STAGES = ((24 << 10, "NoncontiguousNFA"), (1 << 20, "DFA"))
"""Bytes from which on a native finder is worth its making: 3 ms, then 8 more."""
LEAST, DENSE = 500, 48
"""Triggers of a text, and characters for each of them, from which on it is worth to remember."""
SEPARATOR = "\n\0\n"
"""Between texts that are looked at in one pass: no literal, token or line of a key goes over it."""
_HEAD = 3
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


class FewFinder:
    """Made at once, and good for a few kilobytes: looks for those literals alone whose first three characters are in the text."""

    def __init__(self, literals: Sequence[bytes]) -> None:
        self._literals = literals
        self._short = [i for i, literal in enumerate(literals) if len(literal) < _HEAD]
        # Those that begin alike stand side by side in this order.
        self._order = sorted(range(len(literals)), key=literals.__getitem__)
        self._last = {literals[i][:_HEAD]: at for at, i in enumerate(self._order)}

    def find_matches_as_indexes(self, haystack: bytes, overlapping: bool = True) -> list[Hit]:  # noqa: ARG002 - as the native one
        """All hits as (index, start, end) in bytes; `overlapping` is always so."""
        heads = {haystack[at : at + _HEAD] for at in range(len(haystack) - _HEAD + 1)}
        hits: list[Hit] = []
        for i in (*self._short, *(i for head in heads.intersection(self._last) for i in self._that_begin_with(head))):
            literal = self._literals[i]
            at = haystack.find(literal)
            while at >= 0:
                hits.append((i, at, at + len(literal)))
                at = haystack.find(literal, at + 1)
        return sorted(hits, key=_by_end)

    def _that_begin_with(self, head: bytes) -> Iterator[int]:
        for at in range(self._last[head], -1, -1):
            i = self._order[at]
            if not self._literals[i].startswith(head):
                return
            yield i


class GrowingFinder:
    """Made at once and slow at first; then, as more text comes, quickly made and faster; from a megabyte on slowly made and fast."""

    def __init__(self, literals: Sequence[bytes]) -> None:
        self._literals = literals
        self._finder: Finder = FewFinder(literals)
        self._next = list(_STAGES)
        self._seen = 0

    def find_matches_as_indexes(self, haystack: bytes, overlapping: bool = False) -> list[Hit]:
        """All hits as (index, start, end) in bytes."""
        if self._next:
            self._seen += len(haystack)
            self._grow()
        return self._finder.find_matches_as_indexes(haystack, overlapping=overlapping)

    def _grow(self) -> None:
        kind = ""
        while self._next and self._seen >= self._next[0][0]:
            kind = self._next.pop(0)[1]
        if kind:
            try:
                from ahocorasick_rs import BytesAhoCorasick, Implementation  # noqa: PLC0415 - absent on some platforms
            except ImportError:
                self._finder = RegexFinder(self._literals)
                self._next.clear()
            else:
                self._finder = BytesAhoCorasick(self._literals, implementation=getattr(Implementation, kind))


class Triggers:
    """Literals (lower case, those in ASCII first) and where they stand in a text, in code points."""

    def __init__(self, literals: Sequence[str], make: Callable[[Sequence[bytes]], Finder] = GrowingFinder) -> None:
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


def hits_of(texts: Sequence[str], ends: list[int], hits: list[tuple[T, int, int]]) -> dict[str, list[tuple[T, int, int]]]:
    """The hits in texts that were joined, by text and at their places in it; `ends` is where each ends, the separator included."""
    out: dict[str, list[tuple[T, int, int]]] = {}
    base = limit = 0
    mine: list[tuple[T, int, int]] = []
    for literal, start, end in hits:
        if start >= limit:
            place = bisect.bisect(ends, start)
            limit = ends[place]
            base = limit - len(texts[place]) - len(SEPARATOR)
            mine = out[texts[place]] = []
        mine.append((literal, start - base, end - base))
    return out


def is_dense(text: str, triggers: Sequence[object]) -> bool:
    """Whether a text has so many triggers that asking every rule at each would be slow."""
    return len(triggers) > LEAST and len(triggers) * DENSE > len(text)


def _nothing(_haystack: bytes, *, overlapping: bool = True) -> list[Hit]:  # noqa: ARG001 - as a finder's method
    return []


def _by_end(hit: Hit) -> tuple[int, int]:
    return hit[2], hit[1]


def _end(hit: Hit) -> int:
    return hit[2]
