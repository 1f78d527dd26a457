"""Lines and JSON rows of append-only files, tolerant of everything that real files hold.

Handled here, once for all agents: BOM, CRLF, NUL, invalid UTF-8, lone surrogates, several objects glued on one line (also behind one
that was cut), a cut last line, lines of any length (bounded memory), a file that shrinks while it is read.
"""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import orjson

from libtool.adapters.documents import without_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from libtool.adapters.base import Source

MAX_LINE = 96 << 20
"""Longest line that is parsed, in bytes; a longer one is skipped and counted."""

_DECODER = json.JSONDecoder(strict=False)
_BLANK = re.compile(r"\s*")
_BEGIN = re.compile(r'\{\s*"')
_MOST_BEGINS = 1000
"""How many places of a damaged line are tried for an object that was glued to it."""
_MOST_WORK, _LEAST_WORK = 4, 1 << 20
"""How much of a damaged line the parser may look at in all these trials: its length so many times, and some characters more."""


def json_rows(
    source: Source, skip: Callable[[bytes], bool] | None = None, load: Callable[[bytes], object] = orjson.loads
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (byte offset of the line, object) for each JSON object, from `source.start` on.

    `skip` looks at a raw line and returns True for one that needs no parsing; `load` may parse a part of it
    (raising orjson.JSONDecodeError). `source.offset` ends behind the last whole line: a cut
    last line is left for the next run unless it parses as it stands. A line that does not parse is counted in `source.tally.damaged`.
    """
    for offset, line in raw_lines(source):
        whole = line.endswith(b"\n")
        if skip is not None and whole and skip(line):
            continue
        try:
            row = load(line)
        except orjson.JSONDecodeError:
            rows, clean = salvage(line)
            if not whole and not clean:
                source.offset = offset
                return
            source.tally.damaged += not clean
            for each in rows:
                yield offset, each
            continue
        if isinstance(row, dict):
            yield offset, row
        elif not whole:
            # A bare number or string at the end of the file may be the head of something longer.
            source.offset = offset
            return


def raw_lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield (byte offset, line with its newline) and keep `source.offset` behind the line given out.

    Blank lines are left out. A line over MAX_LINE is skipped in bounded memory and counted.
    """
    readline = source.file.readline
    offset = source.start
    while line := readline(MAX_LINE):
        size = len(line)
        if size == MAX_LINE and not line.endswith(b"\n"):
            size += _drop_rest(source)
            source.tally.oversize += 1
            line = b""
        source.offset = offset + size
        if line.strip():
            yield offset, line
        offset += size


def _drop_rest(source: Source) -> int:
    """Read to the end of an oversize line; return the bytes dropped."""
    dropped = 0
    while piece := source.file.readline(1 << 20):
        dropped += len(piece)
        if piece.endswith(b"\n"):
            break
    return dropped


def salvage(line: bytes) -> tuple[list[dict[str, Any]], bool]:
    """Parse what a strict parser refused: objects found, and whether the whole line was understood.

    Behind an object that was cut, only what reaches to the end of the line is taken: an object inside the cut one never does.
    """
    text = line.decode("utf-8", "replace").replace("\x00", "").strip().lstrip("\ufeff").strip()
    rows, at, _ = _objects(text, 0)
    if at == len(text):
        return rows, True
    work = len(text) * _MOST_WORK + _LEAST_WORK
    for begin in islice(_BEGIN.finditer(text, at + 1), _MOST_BEGINS):
        more, end, failed = _objects(text, begin.start())
        if end == len(text):
            return rows + more, False
        work -= failed - begin.start()
        if work < 0:
            break
    return rows, False


def _objects(text: str, at: int) -> tuple[list[dict[str, Any]], int, int]:
    """Objects from `at` on, one after the other; where the last value that parses ends; how far the parser looked."""
    rows: list[dict[str, Any]] = []
    while at < len(text):
        try:
            row, end = _DECODER.raw_decode(text, at)
            row = without_surrogates(row)
        except json.JSONDecodeError as error:
            return rows, at, max(error.pos, at)
        except (ValueError, RecursionError):
            return rows, at, at
        if isinstance(row, dict):
            rows.append(row)
        at = _BLANK.match(text, end).end()  # type: ignore[union-attr]  # matches the empty string too
    return rows, at, at
