"""Foreign times, and the rows in a piece of a JSONL file, whatever they hold."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

from libtool.adapters.lines import salvage

if TYPE_CHECKING:
    from collections.abc import Iterator

_RFC_3339_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_LONGEST_TIME = 40
_BLANK = b"\x00 \t\r\xef\xbb\xbf"
"""What may stand around a row: NULs of a crash, a byte order mark inside a file that was appended to."""
_STRING = re.compile(
    rb'"([^"\\\n]{0,1000}+(?:\\[^\n][^"\\\n]{0,100}+){0,60}+)"'
    rb'|"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*+"'
)
"""A short string, as group 1, or a long one."""
_LONGEST_LINE = 1 << 20


def utc(value: object) -> str:
    """An ISO 8601 time as RFC 3339 in UTC; empty when it is none or names no zone."""
    if not isinstance(value, str) or len(value) > _LONGEST_TIME:
        return ""
    if _RFC_3339_UTC.fullmatch(value):
        return value
    try:
        moment = datetime.fromisoformat(value)
        return moment.astimezone(UTC).isoformat().replace("+00:00", "Z") if moment.tzinfo else ""
    except (ValueError, OverflowError):
        return ""


def head_rows(head: bytes) -> Iterator[dict[str, Any]]:
    """The JSON objects on the whole lines of a piece of a file, as tolerantly as they are read (`lines.json_rows`).

    A last line that does not parse as it stands is taken for cut. What is not JSON is left out, so the piece may be of anything.
    """
    for line in head.split(b"\n"):
        bare = line.strip(_BLANK)
        if b"{" not in bare:
            continue
        try:
            row = orjson.loads(bare)
        except orjson.JSONDecodeError:
            yield from salvage(bare)[0]
            continue
        if isinstance(row, dict):
            yield row


def outline(lines: bytes) -> bytes:
    """JSON lines with every long string emptied: what `sniff` needs of records of any size. A line that is still long is left out."""
    short = _STRING.sub(rb'"\1"', lines)
    return b"\n".join(line for line in short.split(b"\n") if len(line) <= _LONGEST_LINE)
