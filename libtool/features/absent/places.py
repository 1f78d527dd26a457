"""The places where a name stands: read from what `git grep` prints, told apart from parts of longer words, the most telling first."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import variants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

DEFINED, ASSIGNED, USED, FILE_NAME, BINARY = "defined", "assigned", "used", "file name", "binary file"
KINDS = (DEFINED, FILE_NAME, ASSIGNED, USED, BINARY)
"""The most telling first."""
_BEFORE = re.compile(
    r"\b(?:def|class|fun|func|function|fn|sub|proc|struct|enum|union|interface|trait|impl|type|typedef|module|package|namespace|protocol"
    r"|macro|macro_rules!|define|table|view|index|trigger|procedure|message|service|resource|data)\s+(?:\([^()]*\)\s*)?[\w.:\"`'$*&-]*$",
    re.IGNORECASE,
)
_ASSIGNS = re.compile(r"[\w\"'\]`]*\s*(?::=|[=:](?![=:]))")
_ASIDE = re.compile(
    r"(?:^|/)(?:tests?|spec|docs?|examples?|vendor|third_party|node_modules|dist|build|fixtures|migrations)(?:/|$)"
    r"|\.(?:md|rst|txt|lock|min\.js)$"
)
_IS_CLAIM = re.compile(rb'absent \S+@[0-9a-f]{6,64} "')
"""In a library that lies inside of the code, the claim that something is absent is no place where it is."""
_LINE = 400
"""Bytes of a line around a match that are kept: a line of minified code has megabytes."""
GREP = ("grep", "-n", "-z", "-i", "--full-name", "--no-color", "--no-column", "--no-textconv")
"""The words of git whose output `read` understands."""
LFS_POINTER = b"version https://git-lfs.github.com/spec/"


class Place(NamedTuple):
    """Where a name stands. `line` 0: in the path, or in a binary file. `at_head`, `staged`: there only, not in the work tree."""

    path: str
    line: int
    text: str
    kind: str
    at_head: bool = False
    staged: bool = False


class Found(NamedTuple):
    """What a search of texts gave."""

    places: list[Place]
    inside: list[Place]
    """Places where a form stands inside of longer words only."""
    pointers: set[str]
    """Files that are pointers of git LFS: their content is not here."""


def read(out: bytes, *expressions: re.Pattern[str], prefix: bytes = b"") -> Found:
    """Understand what `git` GREP prints; `prefix` is that of its paths: `HEAD:`, or `:` for what is staged, which git does not write.

    A last line that was cut off counts too.
    Where all expressions match whole words is a place.
    """
    found = Found([], [], set())
    only = len(prefix) > 1, prefix == b":"
    for path, number, data in _rows(out):
        name = (path.removeprefix(prefix) if only[0] else path).decode("utf-8", "surrogateescape")
        if number == 0:
            found.places.append(Place(name, 0, "", BINARY, *only))
            continue
        if data.startswith(LFS_POINTER):
            found.pointers.add(name)
        elif not _IS_CLAIM.search(data):
            _weigh(found, Place(name, number, "", USED, *only), data.decode("utf-8", "replace"), expressions)
    return found


def _weigh(found: Found, place: Place, text: str, expressions: Sequence[re.Pattern[str]]) -> None:
    """Add the place of a line to those where every expression matches a whole word, or else to those inside of longer words."""
    spans = [variants.find(text, expression) for expression in expressions]
    if (span := spans[0]) is not None and all(spans):
        found.places.append(place._replace(text=_around(text, span[0]), kind=_kind(text, *span)))
    elif (match := expressions[0].search(text)) is not None:
        found.inside.append(place._replace(text=_around(text, match.start())))


def _rows(out: bytes) -> Iterator[tuple[bytes, int, bytes]]:
    """(path, line, text) of each line found; line 0 for a binary file."""
    at = 0
    while at < len(out):
        name = out.find(b"\0", at)
        while out.startswith(b"Binary file ", at) and (end := out.find(b" matches\n", at, name if name >= 0 else None)) >= 0:
            yield out[at + 12 : end], 0, b""
            at = end + 9
        if name < 0:
            return
        number = name + 1
        while out[number : number + 1].isdigit():
            number += 1
        end = out.find(b"\n", number)
        end = len(out) if end < 0 else end
        if number > name + 1:
            yield out[at:name], int(out[name + 1 : number]), out[number + 1 : end].rstrip(b"\r")
        at = end + 1


def _around(text: str, at: int) -> str:
    """The part of a line around a match."""
    start = max(0, at - _LINE // 2) if len(text) > _LINE else 0
    return text[start : start + _LINE].strip()


def _kind(text: str, start: int, end: int) -> str:
    if _BEFORE.search(text[max(0, start - _LINE) : start]):
        return DEFINED
    return ASSIGNED if _ASSIGNS.match(text, end) else USED


def in_names(paths: Iterable[str], expression: re.Pattern[str]) -> tuple[list[Place], list[Place]]:
    """The paths in which a name stands as a whole, and those in which it is a part of longer words only."""
    whole: list[Place] = []
    inside: list[Place] = []
    for path in paths:
        if expression.search(path):
            (whole if variants.find(path, expression) else inside).append(Place(path, 0, "", FILE_NAME))
    return whole, inside


def ordered(places: Iterable[Place]) -> list[Place]:
    """Definitions first, tests, documents and what others wrote last; each once."""
    return sorted(dict.fromkeys(places), key=lambda one: (_ASIDE.search(one.path) is not None, KINDS.index(one.kind), one.path, one.line))
