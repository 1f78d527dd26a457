"""Whole JSON documents and foreign values, for formats that are not read line by line.

Handled here: BOM, NUL padding, invalid UTF-8, lone surrogates, text behind the document, any nesting.
"""

from __future__ import annotations

import hashlib
import json
import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from libtool.adapters.base import Source, Tally

MAX_DOCUMENT = 256 << 20
"""Largest document that is parsed, in bytes; a larger one is counted as oversize."""

LAST_SECOND = 253_402_300_799
"""9999-12-31T23:59:59Z in seconds since 1970: later numbers are no times."""

_DECODER = json.JSONDecoder(strict=False)


def read_document(source: Source) -> object:
    """The JSON value of a whole file, or None when there is none (counted in the tally). Sets `source.offset`."""
    if source.size > MAX_DOCUMENT:
        source.tally.oversize += 1
        source.offset = source.size
        return None
    source.file.seek(0)
    data = source.file.read(MAX_DOCUMENT)
    source.offset = len(data)
    return parse_document(data, source.tally)


def parse_document(data: bytes, tally: Tally) -> object:
    """The JSON value at the head of `data`; None, counted as damaged, when there is none."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        text = data.decode("utf-8", "replace").replace("\x00", "").lstrip("\ufeff \t\r\n")
    try:
        return without_surrogates(_DECODER.raw_decode(text)[0])
    except (ValueError, RecursionError):
        tally.damaged += bool(text)
        return None


def without_surrogates(value: object) -> object:
    """The same JSON value with lone surrogates replaced, so that it can be stored as UTF-8."""
    return json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"), strict=False)


def text_of(value: object) -> str:
    """`value` when it is text, else the empty string."""
    return value if isinstance(value, str) else ""


def dict_of(value: object) -> dict[str, Any]:
    """`value` when it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def dicts_of(value: object) -> list[dict[str, Any]]:
    """The objects in a list; nothing when it is no list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def type_name(value: object) -> str:
    """A record type's name, fit for a tally: at most 60 printable characters."""
    return "".join(mark for mark in value[:60] if mark.isprintable()) if isinstance(value, str) else f"({type(value).__name__})"


def from_millis(value: object) -> str:
    """Milliseconds since 1970 as RFC 3339 in UTC; empty when it is no such number."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value <= LAST_SECOND * 1000:
        return ""
    whole = int(value)
    moment = datetime.fromtimestamp(whole // 1000, UTC)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{whole % 1000:03}Z"


def read_text(source: Source) -> str:
    r"""The text of a whole file: UTF-8 with anything else replaced, no BOM, no NUL, lines ended by `\n`. Sets `source.offset`."""
    if source.size > MAX_DOCUMENT:
        source.tally.oversize += 1
        source.offset = source.size
        return ""
    source.file.seek(0)
    data = source.file.read(MAX_DOCUMENT)
    source.offset = len(data)
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\x00", "")


def file_id(path: str) -> str:
    """A session id for a file that states none: from the name alone, so that it survives a move."""
    return "file-" + hashlib.sha256(os.fsencode(os.path.basename(path))).hexdigest()[:16]
