"""Redact files and streams of any length and any content: bytes outside of logins come out as they went in."""

from __future__ import annotations

import codecs
import json
import re
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.redact import Redactor
from libtool.domain.redact.json_text import apart, outside, scan_lines
from libtool.errors import UsageError
from libtool.storage import files, key, logins

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from libtool.config import Config
    from libtool.domain.redact import Finding

BLOCK = 1 << 20
"""Bytes that are read at once."""
MARGIN = 64 << 10
"""Characters behind a cut that are looked at before it is made: longer than any key block."""
CONTEXT = 4 << 10
"""Characters before a cut that are looked at again after it: labels, table heads."""
LONGEST = 8 << 20
"""Characters that are held at most; a longer line is cut."""


_RUN = re.compile(r"[A-Za-z0-9+/=_.~-]*")


class Met(NamedTuple):
    """A login in a file: the line (from 1) it begins on, its short kind, fingerprint and rule."""

    line: int
    kind: str
    fingerprint: str
    rule: str


def redactor(config: Config) -> Redactor:
    """The redactor of this machine: its key, the logins that its store knows, the user's exceptions."""
    return Redactor(key.load(config), known=logins.known(config), allow=config.logins_allow)


def bare(config: Config) -> Redactor:
    """A redactor that finds the same in a text whatever it saw before."""
    return Redactor(key.load(config), allow=config.logins_allow, learn=False)


def stream(redactor: Redactor, source: BinaryIO, write: Callable[[bytes], object]) -> list[Met]:
    """Copy `source` to `write` without its logins, in bounded memory; returns what was found, with its line in the source."""
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    met: list[Met] = []
    held, done, line, ended, eaten = "", 0, 1, False, False
    while not ended:
        piece = source.read(BLOCK)
        ended = not piece
        held += decoder.decode(piece, final=ended)
        if eaten:
            rest_of_login = _RUN.match(held, done).end()  # type: ignore[union-attr]  # matches the empty string too
            eaten = rest_of_login == len(held)
            held = held[:done] + held[rest_of_login:]
        if not ended and not _may_cut(held, done):
            continue
        findings = [one for one in _scan(redactor, held) if one.end > done]
        cut = len(held) if ended else _cut(held, done, findings)
        # A login that is still going on where all that may be held ends: what follows of it is dropped.
        eaten = not ended and cut == len(held)
        lines = held.count("\n", done, cut)
        head, rest = held[:cut], held[cut:]
        while inside := [one for one in findings if one.start < len(head)]:
            met += _met(head, done, line, inside)
            head = _replaced(head, done, inside)
            # What stands around the rest has changed: until nothing is found, so that a second run finds nothing.
            findings = [one for one in _scan(redactor, head + rest[:MARGIN]) if one.end > done]
        write(head[done:].encode("utf-8", "surrogateescape"))
        line += lines
        context = head[-CONTEXT:]
        held, done = context + rest, len(context)
    return met


def spans(redactor: Redactor, lines: BinaryIO) -> Iterator[dict[str, object]]:
    """For each record `{"id", "text"}` of a JSONL stream `{"id", "spans": [[start, end], ...]}` in code points; raises UsageError."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            text, name = record["text"], record["id"]
        except (ValueError, TypeError, KeyError):
            text, name = None, None
        if not isinstance(text, str):
            raise UsageError(f"line {number} is no JSON object with id and text", hint='--spans reads JSONL: {"id": ..., "text": "..."}')
        yield {"id": name, "spans": [[one.start, one.end] for one in redactor.scan(text)]}


def in_place(redactor: Redactor, path: str) -> list[Met]:
    """Replace the file by its redacted content, as a whole, keeping its mode; one without logins is not touched."""
    met = copy(redactor, path, nowhere)
    if met:
        try:
            with opened(path) as source, files.replacing(path) as target:
                stream(redactor, source, target.write)
        except OSError as error:
            raise UsageError(f"cannot write {path}: {error.strerror}", hint="the file is as it was") from error
    return met


def copy(redactor: Redactor, path: str, write: Callable[[bytes], object]) -> list[Met]:
    """Write the redacted content of a file to `write`; raises UsageError when it cannot be read."""
    with opened(path) as source:
        return stream(redactor, source, write)


def opened(path: str) -> BinaryIO:
    """The file for reading; raises UsageError."""
    try:
        return open(path, "rb")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", hint="name files, or pipe the text into `lib redact`") from error


def nowhere(_content: bytes) -> None:
    """Where a check writes to."""


def _may_cut(held: str, done: int) -> bool:
    """Whether enough is held to write some of it: up to a line's end, the margin behind it; or too much is."""
    limit = len(held) - MARGIN
    return limit > done and (held.rfind("\n", done, limit) >= 0 or limit - done >= LONGEST)


def _cut(held: str, done: int, findings: list[Finding]) -> int:
    """Up to where what is held can be written: behind a line, and inside no login."""
    limit = len(held) - MARGIN
    cut = held.rfind("\n", done, limit) + 1 or limit
    for one in findings:
        if one.start < cut < one.end:
            # A login that fills all that may be held is replaced as far as it is known.
            cut = one.start if one.start > done else one.end
    return cut


def _met(head: str, done: int, line: int, findings: list[Finding]) -> Iterator[Met]:
    """The findings with the lines they begin on; `line` is that of `done`."""
    at = done
    for one in findings:
        if one.start > at:
            line += head.count("\n", at, one.start)
            at = one.start
        yield Met(line, one.kind, one.fingerprint, one.rule)


def _replaced(head: str, done: int, findings: list[Finding]) -> str:
    """`head` with the findings replaced, as far as they lie in it and behind `done`."""
    out, at = [head[:done]], done
    for one in findings:
        out += (head[at : max(one.start, at)], one.placeholder)
        at = one.end
    return "".join((*out, head[at:]))


def _scan(redactor: Redactor, text: str) -> list[Finding]:
    """Findings of a block of lines; a line that may be JSON is decoded too, and what must stay in it does."""
    inside, exact = scan_lines(redactor, text) if "{" in text or "[" in text else ([], [])
    return apart(inside + outside(redactor.look(text), exact))
