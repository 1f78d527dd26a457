"""Foreign times, and the first rows of a JSONL file's head, whatever they hold."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any

import orjson

_RFC_3339_UTC = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
_LONGEST_TIME = 40
_LINES = 16
"""How many lines of a head are looked at for rows."""
_DECODER = json.JSONDecoder(strict=False)


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


def head_rows(head: bytes, most: int = 4) -> list[dict[str, Any]]:
    """Up to `most` JSON objects from the lines at the head of a file; of objects glued on one line, the first.

    Tolerates a BOM, NUL bytes, and a last line that the head cuts off.
    """
    rows: list[dict[str, Any]] = []
    for line in head.removeprefix(b"\xef\xbb\xbf").replace(b"\x00", b"").split(b"\n", _LINES)[:_LINES]:
        row = _first_object(line.strip()) if line.lstrip().startswith(b"{") else None
        if isinstance(row, dict):
            rows.append(row)
            if len(rows) == most:
                break
    return rows


def _first_object(line: bytes) -> object:
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        pass
    try:
        return _DECODER.raw_decode(line.decode("utf-8", "replace"))[0]
    except (ValueError, RecursionError):
        return None
