"""Which entry a text is about: the same words, or so nearly the same that it can be no other.

When unsure, none: an entry too many is mended more easily than two that were run together.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import porter
from libtool.domain.entry import is_topic, slug_of
from libtool.domain.fts import bigrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

NEAR, SUGGESTED = 0.72, 0.34
"""How alike titles must be (Dice's coefficient, weighted by rarity) to be of one topic, or to be worth a suggestion."""
_BODY = 0.12
"""How alike the rest must be (cosine) when one title says more than the other."""
_FEWEST = 2
"""Words that two titles must share unless they are the same."""
_WORD = re.compile(r"\w+")
_SLUG_WORDS, _SLUG_LENGTH = 8, 60
_STOP = frozenset(
    "the a an and or of to in on for with is are was were be it its this that these those as by at from how what why when which we "
    "our use using used do does don doesn did done can should must will not der die das und oder ist ein eine mit von zu auf für im den "
    "dem wie el la los las un una y o es de que en con por para le les une et ou est dans pour sur avec du il os um uma e do da em fix "
    "fixed fixing fixes add added adding update updated change changed some all entry topic decision decide decided".split()
)


class Known(NamedTuple):
    """What is known of an entry: its title, and its words beside (the Answer's, say)."""

    title: str
    body: str


class Match(NamedTuple):
    """The topic that a text is of ('' for none that is sure), and the nearest one when that is worth a word."""

    topic: str
    suggestion: str


def match(hint: str, title: str, body: str, known: Mapping[str, Known]) -> Match:
    """Find the entry for a text: by its exact topic or title, else by its words.

    `hint` is what the writer called the topic, `title` its heading; either may be ''. `known` are the entries by topic.
    """
    for text in (hint, title):
        slug = slug_of(text)
        if slug in known:
            return Match(slug, "")
    named = [words for text in (hint, title) if (words := _words(text))]
    if not named or not known:
        return Match("", "")
    index = {topic: _names(topic, one.title) for topic, one in known.items()}
    rarity = _rarity(words for names in index.values() for words in names)
    scored = sorted(
        ((max(_dice(mine, theirs, rarity) for mine in named for theirs in names), topic) for topic, names in index.items() if names),
        reverse=True,
    )[:3]
    if not scored or scored[0][0] < SUGGESTED:
        return Match("", "")
    best, topic = scored[0]
    second = scored[1][0] if len(scored) > 1 else 0.0
    sure = best >= NEAR and best - second > 0.1 and _is_one(named, index[topic], body, known[topic].body)
    return Match(topic, "") if sure else Match("", topic)


def slug(hint: str, title: str, body: str, fallback: str) -> str:
    """A topic for a new entry: what the writer called it, else its title, else the first words of its Answer, else `fallback`."""
    if is_topic(hint):
        return hint
    for text in (hint, title, " ".join(_sentence(body).split()[:_SLUG_WORDS])):
        made = _short(slug_of(text))
        if len(made) > 2 and _mostly_told(text, made):
            return made
    return _short(slug_of(fallback)) or "untitled"


def _mostly_told(text: str, made: str) -> bool:
    """Whether a slug holds most letters of a text: of `数据库 API` it would be `api`, which is another topic."""
    letters = sum(map(str.isalnum, text[:_SLUG_LENGTH]))
    return letters < 2 * sum(map(str.isalnum, made))


def _short(made: str) -> str:
    """A slug of at most _SLUG_LENGTH characters, cut between words."""
    return made if len(made) <= _SLUG_LENGTH else made[: _SLUG_LENGTH + 1].rpartition("-")[0] or made[:_SLUG_LENGTH]


def _sentence(text: str) -> str:
    return re.split(r"(?<=[.!?;:])\s|\n", text.strip(), maxsplit=1)[0]


def _is_one(named: list[frozenset[str]], names: list[frozenset[str]], body: str, other: str) -> bool:
    """Whether two titles name one thing: the same words, or those of one among those of the other and the rest alike too."""
    for mine in named:
        for theirs in names:
            if mine == theirs:
                return True
            rest = mine ^ theirs
            nested = mine < theirs or theirs < mine
            telling = any(any(map(str.isdigit, word)) for word in rest)
            if nested and not telling and len(mine & theirs) >= _FEWEST and _cosine(body, other) >= _BODY:
                return True
    return False


def _names(topic: str, title: str) -> list[frozenset[str]]:
    return [words for text in (topic, title) if (words := _words(text))]


def _rarity(texts: Iterable[frozenset[str]]) -> dict[str, float]:
    """The weight of each word: a word of every title tells nothing."""
    counts = Counter(word for words in texts for word in words)
    total = max(counts.values(), default=1)
    return {word: 1.0 + math.log(total / count) for word, count in counts.items()}


def _dice(mine: frozenset[str], theirs: frozenset[str], rarity: Mapping[str, float]) -> float:
    def weight(words: frozenset[str]) -> float:
        return sum(rarity.get(word, 1.5) for word in words)

    return 2 * weight(mine & theirs) / (weight(mine) + weight(theirs))


def _cosine(one: str, other: str) -> float:
    mine, theirs = Counter(_tokens(one)), Counter(_tokens(other))
    length = math.sqrt(sum(n * n for n in mine.values())) * math.sqrt(sum(n * n for n in theirs.values()))
    return sum(count * theirs[word] for word, count in mine.items()) / length if length else 0.0


def _words(text: str) -> frozenset[str]:
    return frozenset(_tokens(text))


@lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[str, ...]:
    """The stems of a text's telling words, CJK as pairs of characters."""
    plain = "".join(one for one in unicodedata.normalize("NFKD", text[:4000].casefold()) if not unicodedata.combining(one))
    words = _WORD.findall(bigrams(unicodedata.normalize("NFC", plain)).replace("_", " "))
    return tuple(porter.stem(word) for word in words if word not in _STOP)
