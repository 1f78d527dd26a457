"""Redact files and streams of any length and any content: bytes outside of logins come out as they went in."""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import stat

from libtool.domain.redact import Redactor
from libtool.domain.redact.records import scan_text
from libtool.errors import UsageError
from libtool.storage import files, key

TYPE_CHECKING = False
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


_ENCODINGS = {codecs.BOM_UTF16_LE: ("utf-16-le", "surrogatepass"), codecs.BOM_UTF16_BE: ("utf-16-be", "surrogatepass")}
_RUN = re.compile(r"[A-Za-z0-9+/=_.~-]*")


class Met:
    """A login in a file: the line (from 1) it begins on, its short kind, fingerprint and rule."""

    def __init__(self, line: int, kind: str, fingerprint: str, rule: str) -> None:
        self.line = line
        self.kind = kind
        self.fingerprint = fingerprint
        self.rule = rule

    def to_json(self) -> dict[str, object]:
        """All of it as a JSON object."""
        return {"line": self.line, "kind": self.kind, "fingerprint": self.fingerprint, "rule": self.rule}


def secret(config: Config) -> tuple[bytes, str]:
    """The key of this machine and ''; where none can be made, one for this run alone and the reason."""
    try:
        return key.load(config), ""
    except OSError as error:
        return os.urandom(key.SIZE), f"{error.strerror}: {config.data_dir}"


def redactor(config: Config, secret: bytes | None = None) -> Redactor:
    """The redactor of this machine: its key (or `secret`), the logins that its store knows, the user's exceptions."""
    secret = key.load(config) if secret is None else secret
    if not os.path.exists(config.store_db):
        return Redactor(secret, allow=config.logins_allow)
    from libtool.storage import logins  # noqa: PLC0415 - SQLite costs 4 ms that a machine without a store need not pay

    return Redactor(secret, known=logins.known(config), allow=config.logins_allow)


def bare(config: Config, secret: bytes) -> Redactor:
    """A redactor that finds the same in a text whatever it saw before."""
    return Redactor(secret, allow=config.logins_allow, learn=False)


def stream(redactor: Redactor, source: BinaryIO, write: Callable[[bytes], object]) -> list[Met]:
    """Copy `source` to `write` without its logins, in bounded memory; returns what was found, with its line in the source.

    Text is UTF-8, or UTF-16 where a byte order mark says so; what is neither passes as it is.
    """
    piece = source.read(BLOCK)
    codec, errors = _ENCODINGS.get(piece[:2], ("utf-8", "surrogateescape"))
    decoder = codecs.getincrementaldecoder(codec)(errors)
    odd = b""
    met: list[Met] = []
    held, done, line, ended, eaten = "", 0, 1, False, False
    while not ended:
        ended = not piece
        if codec != "utf-8":
            # Half a unit at the end of a file is no text.
            piece = odd + piece
            piece, odd = piece[: len(piece) & ~1], piece[len(piece) & ~1 :]
        held += decoder.decode(piece, final=ended)
        piece = source.read(BLOCK) if not ended else b""
        if eaten:
            rest_of_login = _RUN.match(held, done).end()  # type: ignore[union-attr]  # matches the empty string too
            eaten = rest_of_login == len(held)
            held = held[:done] + held[rest_of_login:]
        if not ended and not _may_cut(held, done):
            continue
        findings = [one for one in scan_text(redactor, held, cut=not ended) if one.end > done]
        cut = len(held) if ended else _cut(held, done, findings)
        # A login that is still going on where all that may be held ends: what follows of it is dropped.
        eaten = not ended and cut == len(held)
        lines = held.count("\n", done, cut)
        head, rest = held[:cut], held[cut:]
        while inside := [one for one in findings if one.start < len(head)]:
            met += _met(head, done, line, inside)
            head = _replaced(head, done, inside)
            # What stands around the rest has changed: until nothing is found, so that a second run finds nothing.
            findings = _again(redactor, head + rest[:MARGIN], inside, done)
        write(head[done:].encode(codec, errors))
        line += lines
        context = head[-CONTEXT:]
        held, done = context + rest, len(context)
    write(odd)
    return met


def spans(redactor: Redactor, lines: BinaryIO) -> Iterator[dict[str, object]]:
    """For each record `{"id", "text"}` of a JSONL stream `{"id", "spans": [[start, end], ...]}` in code points; raises UsageError."""
    import json  # noqa: PLC0415 - 2 ms that a text without JSON need not pay

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
    """Replace the file by its redacted content, as a whole, with its mode and, where we may, its owner; a clean one is not touched.

    Raises UsageError for what is no regular file, has other names, or is read-only.
    """
    status = _status(path)
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path} is no regular file", hint="pipe it through `lib redact` instead")
    if status.st_nlink > 1:
        # A new file in its place would leave the login under its other names; writing over it could lose it half-way.
        raise UsageError(f"{path} has {status.st_nlink} names (hard links)", hint="give it a file of its own: cp FILE NEW && mv NEW FILE")
    met = copy(redactor, path, nowhere)
    if met and not (status.st_mode & stat.S_IWUSR and os.access(path, os.W_OK)):
        raise UsageError(f"{path} holds logins and is read-only", hint="make it writable first: chmod u+w FILE")
    if met:
        try:
            with opened(path) as source, files.replacing(path) as target:
                with contextlib.suppress(OSError):
                    os.fchown(target.fileno(), status.st_uid, status.st_gid)
                    # A change of the owner may take bits of the mode away.
                    os.fchmod(target.fileno(), stat.S_IMODE(status.st_mode))
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


def _status(path: str) -> os.stat_result:
    try:
        return os.stat(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", hint="name files, or pipe the text into `lib redact`") from error


def nowhere(_content: bytes) -> None:
    """Where a check writes to."""


def _again(redactor: Redactor, text: str, before: list[Finding], done: int) -> list[Finding]:
    """What is found now that those of `before` are replaced: only near them can anything be new."""
    grown = sum(len(one.placeholder) for one in before)
    low = text.rfind("\n", 0, max(0, before[0].start - MARGIN)) + 1
    high = text.find("\n", min(len(text), before[-1].end + grown + MARGIN))
    near = text[low : high if high >= 0 else len(text)]
    return [one.at(one.start + low, one.end + low) for one in scan_text(redactor, near) if one.end + low > done]


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
