"""Condensed segments to chunks: the unit that is stored, indexed and ranked.

A chunk is at most CHUNK_LIMIT characters of text. A new one begins at a prompt once the last holds PROMPT_BREAK characters, and
wherever the limit would be passed. The cut depends on what came before only, so reading a growing file in steps gives the same chunks
as one pass, and a fork that copied its history gives the same chunks as the original: stored once.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

from libtool.domain.condense import HUMAN, TASK

CHUNK_LIMIT = 1500
PROMPT_BREAK = 800
_SHARED_FROM = 200
"""Chunks shorter than this are never shared between sessions: "go on" in two sessions is two facts."""


class Segment(NamedTuple):
    """A piece of one record: its code (condense.CODES), its turn (from 1; 0 before the first prompt), its text."""

    code: str
    turn: int
    text: str


class Chunk(NamedTuple):
    """Segments in order, the time of the first (RFC 3339 UTC, or empty)."""

    segments: tuple[Segment, ...]
    time: str


class Chunker:
    """Groups segments into chunks. Begin with an empty one, or with the last, open chunk of an earlier pass."""

    def __init__(self, opened: Chunk | None = None) -> None:
        self._segments: list[Segment] = list(opened.segments) if opened else []
        self._time = opened.time if opened else ""
        self._size = sum(len(segment.text) for segment in self._segments)

    def add(self, segment: Segment, time: str) -> list[Chunk]:
        """Take one segment of any length; return the chunks that it closed. A blank one changes nothing."""
        closed: list[Chunk] = []
        if not segment.text or segment.text.isspace():
            return closed
        if self._size >= PROMPT_BREAK and segment.code in (HUMAN, TASK):
            closed += self.close()
        for piece in pieces(segment.text, CHUNK_LIMIT - self._size if self._size < PROMPT_BREAK else CHUNK_LIMIT):
            if self._size and self._size + len(piece) > CHUNK_LIMIT:
                closed += self.close()
            if not self._segments:
                self._time = time
            self._segments.append(Segment(segment.code, segment.turn, piece))
            self._size += len(piece)
        return closed

    def close(self) -> list[Chunk]:
        """The open chunk, as a list of one or none; the chunker is empty afterwards."""
        if not self._segments:
            return []
        chunk = Chunk(tuple(self._segments), self._time)
        self._segments, self._time, self._size = [], "", 0
        return [chunk]


def pieces(text: str, first: int) -> list[str]:
    """Cut a text into pieces of at most CHUNK_LIMIT characters (the first at most `first`), at paragraph, line, sentence or word ends.

    Only white space is lost. A word is cut in two only when it is longer than half a piece.
    """
    if len(text) <= first:
        return [text]
    found: list[str] = []
    at, limit = 0, first
    while len(text) - at > limit:
        low, high = at + limit // 2, at + limit
        for mark in ("\n\n", "\n", ". ", " ", "\t"):
            cut = text.rfind(mark, low, high)
            if cut > 0:
                cut += len(mark)
                break
        else:
            cut = high
        found.append(text[at:cut].rstrip())
        at, limit = cut, CHUNK_LIMIT
    found.append(text[at:].strip("\n"))
    return [piece for piece in found if piece.strip()]


def identity(body: str, session: str) -> bytes:
    """16 bytes that two copies of one chunk share; short chunks belong to their session (`agent:id`) alone."""
    digest = hashlib.blake2b(body.encode("utf-8"), digest_size=16)
    if len(body) < _SHARED_FROM:
        digest.update(session.encode("utf-8", "replace"))
    return digest.digest()
