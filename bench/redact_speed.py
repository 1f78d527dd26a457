"""How fast the redactor is: MB/s over the texts below a folder, one core.

`python bench/redact_speed.py FOLDER [--megabytes N] [--known N]`

Files are read as transcripts are: a line that is JSON is parsed and its strings are redacted decoded, all else is redacted as text.
Printed: triggers alone; rules without what is known from earlier runs; the same with that; the same with parsing and JSON context; rules
without the fallback on lines that speak of a login.
"""

from __future__ import annotations

import argparse
import io
import os
import secrets
import time
from typing import TYPE_CHECKING

import orjson

from libtool.domain.redact import Redactor
from libtool.domain.redact.table import table
from libtool.features.redact import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from libtool.domain.redact.places import Found

KEY = bytes(32)
BATCH = 256


class Core(Redactor):
    """The rules alone, without the fallback."""

    def _fallback(self, *_: object) -> list[Found]:
        return []


def lines_of(folder: str, limit: int) -> list[bytes]:
    """Lines (JSONL) and whole texts (all else) of the files below a folder, repeated until there are `limit` bytes."""
    pieces: list[bytes] = []
    for path, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            with open(os.path.join(path, name), "rb") as file:
                content = file.read()
            pieces += content.splitlines() if name.endswith(".jsonl") else [content]
    size = sum(map(len, pieces))
    if not size:
        raise SystemExit(f"nothing to read below {folder}")
    return (pieces * (limit // size + 1))[: max(1, len(pieces) * limit // size)]


def strings_of(value: object) -> Iterator[str]:
    """Every string of a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings_of(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings_of(item)


def parsed(piece: bytes) -> object:
    try:
        return orjson.loads(piece)
    except orjson.JSONDecodeError:
        return piece.decode("utf-8", "replace")


def report(name: str, size: int, work: Callable[[], object]) -> None:
    start = time.process_time()
    work()
    spent = time.process_time() - start
    print(f"{name:32s} {size / 1e6 / spent:7.1f} MB/s")


def main() -> None:
    parser = argparse.ArgumentParser(description="Speed of the redactor.")
    parser.add_argument("folder")
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--known", type=int, default=500, help="fingerprints from earlier runs")
    args = parser.parse_args()
    pieces = lines_of(args.folder, args.megabytes * 1_000_000)
    texts = [text for piece in pieces for text in strings_of(parsed(piece))]
    size, total = sum(map(len, pieces)), sum(map(len, texts))
    print(f"{size / 1e6:.1f} MB in files, {total / 1e6:.1f} MB in {len(texts)} strings")
    known = [secrets.token_hex(6) for _ in range(args.known)]
    triggers = table()[0]
    report("triggers", total, lambda: [triggers.hits(text) for text in texts])
    whole = "\n".join(texts).encode("ascii", "replace").lower()
    report("Aho-Corasick alone, one text", total, lambda: triggers.plain(whole, overlapping=True))
    batches = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
    for name, redactor in (("rules and fallback", Redactor(KEY)), ("and known logins", Redactor(KEY, known))):
        report(f"{name}, one by one", total, lambda redactor=redactor: [redactor.redact(text) for text in texts])  # type: ignore[misc]
    for name, redactor in (("rules", Core(KEY)), ("rules and fallback", Redactor(KEY)), ("and known logins", Redactor(KEY, known))):
        report(f"{name}, {BATCH} at once", total, lambda redactor=redactor: [redactor.redact_all(batch) for batch in batches])  # type: ignore[misc]
    redactor = Redactor(KEY, known)
    report("and JSON (bytes of the files)", size, lambda: [redactor.redact_json(parsed(piece)) for piece in pieces])
    source = io.BytesIO(b"\n".join(pieces))
    report("`lib redact` (bytes of the files)", size, lambda: stream(Redactor(KEY, known), source, lambda _content: None))


if __name__ == "__main__":
    main()
