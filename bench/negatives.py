"""Honest answers as a library grows: topics that were never talked about are denied, topics that were are found.

usage: negatives.py [--samples DIR] [--work DIR] [--sizes 0,20M,100M] [--topics 200] [--common 0.05] [--seed 1]
DIR holds bench/build_pool.py, bench/gen_sessions.py and cases/eval (default: `shared` beside the repository).

A topic is a handful of telling words, each in at most a share `--common` of all chunks, and is asked for by three queries of three of them,
drawn by chance. Present: words of one sentence that a person or a model said; right when a query has a strong hit. Absent: a word each of
five sentences from anywhere, so that the library knows every word and never put them together but by chance; right when no query has
one. `--common 1` takes any content word, such as `file` or `return`: then three words do stand together by chance, the more the larger.

A hit is strong where its words are expected to meet so near by chance less than so often (`ACCIDENT` in libtool/domain/rank.py); printed is
what share would be right for several such limits. `any` is nearness alone.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import re
import subprocess
import sys
import tempfile
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from libtool import config
from libtool.domain import rank
from libtool.domain.body import decode
from libtool.domain.chance import Chance
from libtool.domain.query import STOPWORDS, parse
from libtool.features import index, search
from libtool.storage.search_db import Filter, SearchDb

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

_WORD = re.compile(r"[A-Za-z]{4,14}")
_SENTENCE = re.compile(r"[^.!?\n]{40,200}")
_WITHHELD = ("trivial", "automated", "security-review")
_WORDS, _QUERIES, _OF = 3, 3, 5


LIMITS = (math.inf, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001)


class Curve(NamedTuple):
    """One library size; for each topic of both sorts, how often the words of its best hit are expected to meet so near by chance."""

    chunks: int
    sessions: int
    present: list[float]
    absent: list[float]

    def shares(self, limit: float) -> tuple[float, float]:
        """The shares of both sorts that are right when a strong hit must stay below a limit."""
        found = sum(chance <= limit and chance < NEVER for chance in self.present)
        denied = sum(chance > limit or chance == NEVER for chance in self.absent)
        return found / len(self.present), denied / len(self.absent)


NEVER = 1e300
"""Stands for the chance of a topic whose words no hit has near each other."""


class Watched(Chance):
    """Remembers the least that was expected of words that stand near each other."""

    least = NEVER

    def expected(self, needed: AbstractSet[int], length: int, *, ordered: bool = False, subject: Iterable[int] = ()) -> float:
        """As Chance has it."""
        expected = super().expected(needed, length, ordered=ordered, subject=subject)
        Watched.least = min(Watched.least, expected)
        return expected


def content_words(sentence: str) -> list[str]:
    """The telling words of a sentence, each once."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(sentence) if word.lower() not in STOPWORDS))


def queries(words: list[str], rng: random.Random) -> list[str]:
    return [" ".join(rng.sample(words, _WORDS)) for _ in range(_QUERIES)]


def said(database: SearchDb, rng: random.Random) -> Iterator[list[str]]:
    """The content words of a sentence each that people and models said in the library's shown sessions, by chance."""
    rows = [row[0] for row in database.rows("SELECT id FROM store.chunk")]
    for chunk in rng.sample(rows, len(rows)):
        if database.owners([chunk], Filter(classes=_WITHHELD)):
            texts = [text for code, _, text in decode(database.bodies([chunk])[chunk]) if code in "HAQ"]
            sentences = [part for text in texts for part in _SENTENCE.findall(text)]
            if sentences:
                yield content_words(rng.choice(sentences))


def topics(database: SearchDb, count: int, common: float, rng: random.Random) -> tuple[list[list[str]], list[list[str]]]:
    """The queries of `count` present topics and of `count` absent ones."""
    most = common * database.rows("SELECT count(*) FROM store.chunk")[0][0]

    @cache
    def is_telling(word: str) -> bool:
        terms = parse(word).terms
        return bool(terms) and 1 <= database.count(terms[0].match(), int(most) + 1) <= most

    pools: list[list[str]] = []
    present: list[list[str]] = []
    for words in said(database, rng):
        telling = list(filter(is_telling, words))
        if telling:
            pools.append(telling)
        if len(telling) > _WORDS:
            present.append(queries(telling, rng))
        if len(present) == count:
            break
    mixed = ({rng.choice(pool) for pool in rng.sample(pools, _OF)} for _ in range(count))
    return present, [queries(sorted(words), rng) for words in mixed if len(words) >= _WORDS]


def least_chance(settings: config.Config, asked: list[str]) -> float:
    """The least that was expected of the hits of some queries; 0 for a strong hit that needs no nearness, NEVER for none at all."""
    Watched.least = NEVER
    strong = [search.search(settings, text, Filter(classes=_WITHHELD), limit=8).has_strong for text in asked]
    return 0.0 if any(strong) else Watched.least


def measure(home: str, count: int, common: float, rng: random.Random) -> Curve:
    settings = config.load({}, home)
    index.run(settings, {})
    database = SearchDb(settings.search_db, settings.store_db)
    present, absent = topics(database, count, common, rng)
    chunks, sessions = database.rows("SELECT (SELECT count(*) FROM store.chunk), (SELECT count(*) FROM store.session)")[0]
    database.close()
    # So that no hit ends the look at the others.
    vars(search)["Chance"], vars(rank)["ACCIDENT"] = Watched, -1.0
    return Curve(chunks, sessions, *([least_chance(settings, asked) for asked in sort] for sort in (present, absent)))


def lay_out(samples: str, home: str, size: str, pool: str) -> None:
    """The public transcripts, and generated ones of `size`."""
    evaluation = os.path.join(samples, "cases", "eval")
    dev = os.path.join(evaluation, "dev")
    program = [sys.executable, "-B", os.path.join(evaluation, "layout_home.py")]
    subprocess.run([*program, dev, os.path.join(dev, "MANIFEST.tsv"), home], check=True, capture_output=True)
    if size != "0":
        generator = os.path.join(samples, "bench", "gen_sessions.py")
        out = os.path.join(home, ".claude", "projects")
        subprocess.run(
            [sys.executable, "-B", generator, "--size", size, "--out", out],
            check=True,
            capture_output=True,
            env={**os.environ, "POOL": pool},  # noqa: TID251
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", default=os.path.join(os.path.dirname(__file__), "..", "..", "shared"))
    parser.add_argument("--work", default="")
    parser.add_argument("--sizes", default="0,20M,100M")
    parser.add_argument("--topics", type=int, default=200)
    parser.add_argument("--common", type=float, default=0.05)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    work = args.work or tempfile.mkdtemp(prefix="negatives-")
    os.makedirs(work, exist_ok=True)
    pool = os.path.join(work, "pool.pkl")
    if not os.path.exists(pool):
        subprocess.run([sys.executable, "-B", os.path.join(args.samples, "bench", "build_pool.py"), pool], check=True)
    heads = ("any" if limit == math.inf else f"{limit:g}" for limit in LIMITS)
    print(f"{'generated':>9}  {'sessions':>8}  {'chunks':>8}  " + "  ".join(f"{head:>13}" for head in heads))
    for size in args.sizes.split(","):
        home = os.path.join(work, f"home-{size}")
        if not os.path.isdir(home):
            os.makedirs(home)
            lay_out(args.samples, home, size, pool)
        curve = measure(home, args.topics, args.common, random.Random(args.seed))
        shares = "  ".join(f"{found:6.1%} {denied:6.1%}" for found, denied in map(curve.shares, LIMITS))
        print(f"{size:>9}  {curve.sessions:8}  {curve.chunks:8}  {shares}", flush=True)


if __name__ == "__main__":
    main()
