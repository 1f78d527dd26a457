"""How well a chunk answers a query: where its words stand, how near to each other, which tier.

The rules and their figures: strong is a quoted phrase, an identifier, or all words within WINDOW tokens where that is no accident; fair is
all words in the chunk; weak is some. Only strong hits count as prior work.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate, compress, pairwise

from libtool.domain.chance import spans
from libtool.domain.fts import CJK, camel_parts
from libtool.domain.lazy import lazy
from libtool.domain.porter import stem
from libtool.domain.query import MARKS, NAME, PHRASE, fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from libtool.domain.chance import Chance
    from libtool.domain.query import Term


STRONG, FAIR, WEAK = "strong", "fair", "weak"
TIERS = (STRONG, FAIR, WEAK)
WINDOW = 30
"""Tokens within which all words of a query must stand for a strong hit: what is read as one statement."""
ACCIDENT = 0.05
"""How often the words of a strong hit may be expected to meet so near by chance, in a library of this size and with words this common."""
_NEAR = 20
_PAIR_WEIGHT = 0.6
_SPLIT = re.compile(r"([^\W_]+)")
_ANY_TOKEN = lazy(f"[{CJK}]+|[^\\W_{CJK}](?:[^\\W_{CJK}]|[{MARKS}])*")
_IS_CJK = lazy(f"[{CJK}]")
_CAMEL = lazy(r"[a-z0-9][A-Z]|[A-Z][A-Z][a-z]")
_CASES = bytes(65 if 65 <= code <= 90 else 97 if 97 <= code <= 122 else 48 if 48 <= code <= 57 else 32 for code in range(256))
LABELS = {
    "H": "user",
    "K": "task",
    "Q": "user chose",
    "A": "assistant",
    "P": "plan",
    "S": "summary",
    "T": "title",
    "X": "thinking",
    "C": "call",
    "R": "output",
    "F": "failed",
    "N": "",
}
"""How a segment's code is shown before its text."""


class Occurrence:
    """A term in a chunk: index of its first token, character range in the joined text."""

    __slots__ = ("at", "end", "start", "term")

    def __init__(self, term: int, at: int, start: int, end: int) -> None:
        self.term = term
        self.at = at
        self.start = start
        self.end = end


class View:
    """A chunk laid out for showing: its segments as one labelled text, with the turn of every stretch."""

    __slots__ = ("borders", "text")

    def __init__(self, segments: Iterable[tuple[str, int, str]]) -> None:
        parts: list[str] = []
        self.borders: list[tuple[int, int]] = []
        """(character where a segment begins, its turn)."""
        size, label = 0, None
        for code, turn, text in segments:
            self.borders.append((size, turn))
            said = LABELS[code]
            head = f"{said}: " if said and said != label else ""
            label = said
            parts.append(f"{head}{text}\n")
            size += len(parts[-1])
        self.text = "".join(parts)

    def turn(self, at: int) -> int:
        """The turn at a character."""
        found = 0
        for begin, turn in self.borders:
            if begin > at:
                break
            found = turn
        return found

    def piece(self, at: int) -> str:
        """The whole segment that a character stands in, with its label."""
        starts = [begin for begin, _ in self.borders]
        number = max(0, bisect_right(starts, at) - 1)
        return self.text[starts[number] : starts[number + 1] if number + 1 < len(starts) else len(self.text)] if starts else ""


def _kept(end: str) -> int:
    """How many letters at the head of a stem every word of that stem begins with: Porter's rules change what comes behind."""
    return 3 if len(end) > 3 else max(1, len(end) - 1)


class _Stems(dict[str, str]):
    """Stems by folded word, of those words alone that some term may mean; and parts of camelCase words."""

    def __init__(self, wanted: frozenset[str], prefixes: tuple[str, ...]) -> None:
        super().__init__()
        self._wanted = wanted
        self._prefixes = prefixes
        heads = {word[: _kept(word)] for word in wanted} | {prefix[:1] for prefix in prefixes}
        self._heads = {size: frozenset(head for head in heads if len(head) == size) for size in sorted(set(map(len, heads)))}
        self._camels: dict[str, tuple[str, ...]] = {}

    def teach(self, words: set[str]) -> None:
        """Learn folded words. Most can be in no term by their first letters alone."""
        for size, heads in self._heads.items():
            for word in [word for word in words if word[:size] in heads]:
                if word not in self:
                    self[word] = self._stem(word)

    def parts(self, word: str) -> tuple[str, ...]:
        """The stems of a camelCase word's parts that are in a term."""
        found = self._camels.get(word)
        if found is None:
            parts = [part.lower() for part in camel_parts(word)]
            self.teach(set(parts))
            found = self._camels[word] = tuple(filter(None, map(self.get, parts)))
        return found

    def _stem(self, folded: str) -> str:
        end = stem(folded)
        return end if end in self._wanted or folded.startswith(self._prefixes) else ""


class _Spots:
    """The places of tokens in a text that was split around them, worked out for those that are asked for."""

    __slots__ = ("ends",)

    def __init__(self, ends: list[int]) -> None:
        self.ends = ends
        """Where each piece ends: what stands before the first token, the first token, what stands between ..."""

    def __getitem__(self, token: int) -> tuple[int, int]:
        return self.ends[2 * token], self.ends[2 * token + 1]


class Matcher:
    """Finds the terms of one query in texts, with the index's own idea of a word."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self.terms = terms
        self._first: dict[str | None, list[tuple[int, tuple[str, ...]]]] = {}
        """Stems of a spelling by the first of them."""
        self._prefixes: list[tuple[int, tuple[str, ...]]] = []
        """Stems, but the last token as it was typed."""
        wanted: set[str] = set()
        for number, term in enumerate(terms):
            for tokens in term.spellings[:1] if term.prefix else term.spellings:
                stems = tuple(stem(token) for token in tokens)
                if term.prefix:
                    self._prefixes.append((number, (*stems[:-1], tokens[-1])))
                    wanted.update(stems[:-1])
                else:
                    self._first.setdefault(stems[0], []).append((number, stems))
                    wanted.update(stems)
        self._stems = _Stems(frozenset(wanted), tuple(tokens[-1] for _, tokens in self._prefixes))

    def find(self, text: str) -> list[Occurrence]:
        """Every occurrence of every term, in order of place."""
        low = text.lower()
        is_simple = len(low) == len(text) and (text.isascii() or _is_latin(text))
        words, spots, extra = self._latin_words(text, low) if is_simple else self._words(text)
        found: list[Occurrence] = []
        first, prefixes = self._first, self._prefixes
        for at in compress(range(len(words)), words):
            for number, tokens in first.get(words[at], ()):
                size = len(tokens)
                if size == 1:
                    start, end = spots[at]
                    found.append(Occurrence(number, at, start, end))
                elif tuple(words[at : at + size]) == tokens:
                    found.append(Occurrence(number, at, spots[at][0], spots[at + size - 1][1]))
            if prefixes:
                found += self._begun(at, words, spots, text)
        for at, part in extra:
            for number, tokens in self._first.get(part, ()):
                if len(tokens) == 1:
                    found.append(Occurrence(number, at, *spots[at]))
        found.sort(key=_place)
        return found

    def _latin_words(self, text: str, low: str) -> tuple[list[str | None], _Spots, list[tuple[int, str]]]:
        """What `_words` gives, for text of one alphabet and the same in small letters: at the speed of split and map."""
        pieces = _SPLIT.split(low)
        tokens = pieces[1::2]
        if not low.isascii():
            tokens = [word if word.isascii() else fold(word) for word in tokens]
        self._stems.teach(set(tokens))
        spots = _Spots(list(accumulate(map(len, pieces))))
        cases = text.encode("latin-1", "replace").translate(_CASES)
        camels: set[int] = set()
        for hump in (b"aA", b"0A", b"AAa"):
            at = cases.find(hump)
            while at >= 0:
                token = bisect_right(spots.ends, at) // 2
                camels.add(token)
                at = cases.find(hump, spots.ends[2 * token + 1])
        extra = [(token, part) for token in camels for part in self._stems.parts(text[slice(*spots[token])])]
        return list(map(self._stems.get, tokens)), spots, extra

    def _begun(self, at: int, words: list[str | None], spots: list[tuple[int, int]] | _Spots, text: str) -> list[Occurrence]:
        """The prefix terms at a token: the text's own last word must begin as typed, since its stem may be shorter."""
        found = []
        for number, tokens in self._prefixes:
            last = at + len(tokens) - 1
            if last < len(words) and tuple(words[at:last]) == tokens[:-1]:
                start, end = spots[last]
                if fold(text[start:end]).startswith(tokens[-1]):
                    found.append(Occurrence(number, at, spots[at][0], end))
        return found

    def _words(self, text: str) -> tuple[list[str | None], list[tuple[int, int]], list[tuple[int, str]]]:
        """Stems of the tokens that may matter ('' for the others), their places, and parts of camelCase tokens by token index."""
        words: list[str | None] = []
        spots: list[tuple[int, int]] = []
        extra: list[tuple[int, str]] = []
        for match in _ANY_TOKEN.finditer(text):
            token = match.group()
            start, end = match.span()
            if not token.isascii() and _IS_CJK.match(token):
                pairs = [token] if len(token) == 1 else [token[at : at + 2] for at in range(len(token) - 1)]
                for offset, pair in enumerate(pairs):
                    words.append(pair)
                    spots.append((start + offset, start + offset + len(pair)))
                continue
            folded = fold(token)
            self._stems.teach({folded})
            words.append(self._stems.get(folded))
            if folded != token and _CAMEL.search(token):
                extra += [(len(words) - 1, part) for part in self._stems.parts(token)]
            spots.append((start, end))
        return words, spots, extra


def _is_latin(text: str) -> bool:
    """Whether all letters are Latin ones without combining marks; punctuation and symbols may be any of the common ones."""
    others = [letter for letter in set(text) if letter > "\u02ff"]
    return not others or (min(others) >= "\u2000" and max(others) <= "\u2bff")


def _place(occurrence: Occurrence) -> tuple[int, int]:
    return occurrence.at, occurrence.term


def tier(
    terms: Sequence[Term], found: Sequence[Occurrence], chance: Chance, missing: int = 0, granted: frozenset[int] = frozenset()
) -> str:
    """The tier of a chunk by what was found in it.

    `missing` counts query words that the index does not know at all; `granted` are terms that the document as a whole answers for: who asks
    for `auth-go token refresh` need not find `auth-go` beside the other words. Where it does stand beside them, that counts for more.
    """
    present = {occurrence.term for occurrence in found}
    if any(terms[number].kind in (PHRASE, NAME) for number in present):
        return STRONG
    every = frozenset(range(len(terms)))
    if missing or not every - granted <= present:
        return WEAK
    if len(every) == 1:
        return STRONG
    for subject in {frozenset(), granted}:
        needed = every - subject
        for length, ordered in zip(spans(found, needed), (False, True), strict=True):
            if length <= WINDOW and chance.expected(needed, length, ordered=ordered, subject=subject) <= ACCIDENT:
                return STRONG
    return FAIR


def nearness(terms: Sequence[Term], found: Sequence[Occurrence]) -> float:
    """1 to 1.6: grows with the share of neighbouring query words that stand within 20 tokens of each other."""
    if len(terms) < 2:
        return 1.0
    places: list[list[int]] = [[] for _ in terms]
    for occurrence in found:
        places[occurrence.term].append(occurrence.at)
    near = sum(_close(first, second) for first, second in pairwise(places))
    return 1 + _PAIR_WEIGHT * near / (len(terms) - 1)


def _close(first: list[int], second: list[int]) -> bool:
    """Whether a place of one ordered list is within _NEAR of a place of the other."""
    left = right = 0
    while left < len(first) and right < len(second):
        gap = first[left] - second[right]
        if abs(gap) <= _NEAR:
            return True
        if gap < 0:
            left += 1
        else:
            right += 1
    return False


def fused(first: Sequence[int], second: Sequence[int]) -> list[int]:
    """Two rankings as one, by the sum of reciprocal ranks with the usual constant of 60 (Cormack, Clarke and Buettcher, 2009)."""
    scores: dict[int, float] = {}
    for ranking in (first, second):
        for at, one in enumerate(ranking, 1):
            scores[one] = scores.get(one, 0.0) + 1 / (60 + at)
    return sorted(scores, key=lambda one: -scores[one])
