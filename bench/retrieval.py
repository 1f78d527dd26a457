"""Known-item search on your own index: what was said is found, what was never said is denied.

usage: retrieval.py [--questions 200] [--seed 1]      (LIB_DATA_DIR or HOME says which index)
Present: three words of one sentence of a random message; right when its session is among the hits and the verdict is "hits".
Absent: a word each of three random sentences; right when no hit is strong. Prints shares and the mean reciprocal rank.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import sqlite3
import statistics
import zlib

from libtool import config
from libtool.domain.body import decode
from libtool.domain.query import STOPWORDS
from libtool.features import search
from libtool.storage.search_db import Filter

_WORD = re.compile(r"[A-Za-z]{4,14}")
_SENTENCE = re.compile(r"[^.!?\n]{40,200}")


def sentences(path: str, rng: random.Random, count: int) -> list[tuple[str, list[str]]]:
    """(session id, its content words) of random sentences that a person or a model wrote."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    rows = database.execute(
        "SELECT chunk.id, sid FROM chunk JOIN source ON source.chunk = chunk.id JOIN part ON part.id = source.part"
        " JOIN session ON session.id = part.session WHERE class IN ('work', 'sub-agent') AND agent <> 'note'"
    ).fetchall()
    found: list[tuple[str, list[str]]] = []
    for chunk, sid in rng.sample(rows, min(len(rows), count * 4)):
        body = database.execute("SELECT body FROM chunk WHERE id = ?", (chunk,)).fetchone()[0]
        texts = [text for code, _, text in decode(zlib.decompress(body).decode()) if code in "HAQ"]
        said = [part for text in texts for part in _SENTENCE.findall(text)]
        if said:
            words = [word.lower() for word in _WORD.findall(rng.choice(said)) if word.lower() not in STOPWORDS]
            if len(set(words)) >= 3:
                found.append((sid, list(dict.fromkeys(words))))
        if len(found) == count:
            break
    return found


def ask(settings: config.Config, text: str) -> search.Result:
    """What a search of the shown classes finds."""
    return search.search(settings, text, Filter(classes=("trivial", "automated", "security-review")), limit=8)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    settings = config.load(os.environ, os.path.expanduser("~"))  # noqa: TID251
    said = sentences(settings.store_db, rng, args.questions)
    ranks, strong = [], 0
    for sid, words in said:
        result = ask(settings, " ".join(rng.sample(words, 3)))
        sessions = [hit.session for hit in result.hits]
        ranks.append(1 / (sessions.index(sid) + 1) if sid in sessions else 0.0)
        strong += any(hit.tier == search.STRONG and hit.session == sid for hit in result.hits)
    denied = asked = 0
    while asked < len(said):
        text = " ".join(rng.choice(words) for _, words in rng.sample(said, 3))
        asked += 1
        denied += not ask(settings, text).has_strong
    count = len(said)
    found, first = sum(rank > 0 for rank in ranks) / count, sum(rank == 1 for rank in ranks) / count
    print(f"present {count}: found {found:.3f}, first {first:.3f}, by a strong hit {strong / count:.3f}")
    print(f"  mean reciprocal rank of the session {statistics.mean(ranks):.3f}")
    print(f"absent {asked}: denied {denied / asked:.3f} (what three random words share by chance included)")


if __name__ == "__main__":
    main()
