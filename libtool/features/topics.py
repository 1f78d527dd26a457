"""`lib topics`: the lines of INDEX.md that hold some words. They are made from the entries that lie there now, so they are never stale."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import porter
from libtool.domain.fts import bigrams
from libtool.features import index_md

if TYPE_CHECKING:
    from collections.abc import Sequence

    from libtool.config import Config

_stem = lru_cache(maxsize=50_000)(porter.stem)
_WORD = re.compile(r"\w+")
_TOPIC, _EXACT, _WHOLE, _BEGINS, _PART = 8, 4, 3, 2, 1


class Topic(NamedTuple):
    """One entry: its topic, and its line in INDEX.md."""

    topic: str
    line: str


class Found(NamedTuple):
    """The topics whose lines hold all words, best first, and how many entries there are."""

    topics: list[Topic]
    entries: int


def topics(config: Config, keywords: Sequence[str]) -> Found:
    """Find them; without keywords all, by topic. Case, accents and endings make no difference. Raises LibraryNotFound."""
    lines = index_md.lines(config)
    wanted = [word for text in keywords for word in _words(text)]
    ranked = []
    for topic, line in lines.items():
        scores = _scores(wanted, topic, line)
        if all(scores):
            ranked.append((-sum(scores), topic, line))
    if keywords and not wanted:
        ranked = []
    return Found([Topic(topic, line) for _, topic, line in sorted(ranked)], len(lines))


def _scores(wanted: list[str], topic: str, line: str) -> list[int]:
    """How well each word is met, 0 for not at all: in the topic better than in the sentence, whole better than in part."""
    if not wanted:
        return []
    in_topic, in_line = _words(topic), _words(line.partition("): ")[2])
    return [max(_score(word, in_topic) * _TOPIC, _score(word, in_line)) for word in wanted]


def _score(word: str, among: list[str]) -> int:
    best = 0
    for other in among:
        if other == word:
            return _EXACT
        if _stem(other) == _stem(word):
            best = _WHOLE
        elif other.startswith(word):
            best = max(best, _BEGINS)
        elif len(word) > 2 and word in other:
            best = max(best, _PART)
    return best


def _words(text: str) -> list[str]:
    """Words without case and accents, CJK as pairs of characters."""
    plain = "".join(one for one in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(one))
    return _WORD.findall(bigrams(unicodedata.normalize("NFC", plain)))
