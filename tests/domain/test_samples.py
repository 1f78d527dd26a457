"""Real transcripts, where they are at hand: our words are FTS5's, and nothing is lost on the way into chunks."""

from __future__ import annotations

import os

import pytest

from libtool.domain.chunk import CHUNK_LIMIT, Chunker, Segment
from libtool.domain.fts import bigrams
from libtool.domain.query import tokenize
from libtool.domain.text import clean, without_blobs
from tests.domain.fts5 import Table

SAMPLES = os.path.join(os.path.dirname(__file__), "..", "..", "..", "shared", "samples")
LARGEST, READ = 4_000_000, 100_000
"""Bytes: of a file that is looked at, and of what is read of it."""


def texts() -> list[str]:
    found = []
    for root, _, names in os.walk(SAMPLES):
        for path in (os.path.join(root, name) for name in sorted(names)):
            if os.path.getsize(path) < LARGEST:
                with open(path, "rb") as file:
                    data = file.read(READ)
                if b"\0" not in data:
                    found.append(data.decode("utf-8", "replace"))
    return found


@pytest.mark.shared
@pytest.mark.skipif(not os.path.isdir(SAMPLES), reason="the sample transcripts are not part of this repository")
def test_real_texts_have_the_tokens_of_fts5() -> None:
    table = Table("unicode61")
    seen = 0
    for text in texts():
        cleaned = clean(text)
        assert clean(cleaned) == cleaned
        kept = without_blobs(cleaned)
        chunker = Chunker()
        chunks = chunker.add(Segment("A", 1, kept), "") + chunker.close()
        pieces = [segment.text for chunk in chunks for segment in chunk.segments]
        assert all(len(piece) <= CHUNK_LIMIT for piece in pieces)
        assert "".join("".join(pieces).split()) == "".join(kept.split())
        for piece, tokens in zip(pieces, table.tokens(*map(bigrams, pieces)), strict=True):
            # To FTS5 a pictograph newer than Unicode 6.1 is a token.
            assert list(tokenize(piece)) == [token for token in tokens if any(map(str.isalnum, token))]
            seen += 1
    assert seen > 1000
