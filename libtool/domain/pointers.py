"""What a pointer of an entry points to: a place in code, a claim of absence, another entry, a session. Tolerant: anything else is None.

Source of the format: docs/entry-format.md; what is wrong with a pointer says `domain.item_rules`.
"""

from __future__ import annotations

import re

from libtool.domain.cited import AGENT
from libtool.domain.entry import identity
from libtool.domain.named import NamedTuple

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}: ")
_SOURCE = re.compile(rf" \({AGENT}:(?!//)[^\s()]+\)$")
_AT = r"([^\s\"]+)@([0-9a-f]{6,64})"
_CLAIM = re.compile(rf'absent {_AT} "([^"]+)"')
_PLACE = re.compile(rf"{_AT} (\S.*?)(?:#L([0-9]{{1,9}})(?:-L?([0-9]{{1,9}}))?)?")
_SESSION = re.compile(rf"({AGENT}):(?!//)([^\s()#]{{6,}})(?:#[0-9]+)?")
_LINK = re.compile(r"\[\[([^\[\]\n]*)\]\]")


class Claim(NamedTuple):
    """Something is not in a project at a commit."""

    project: str
    commit: str
    keywords: str


class CodePlace(NamedTuple):
    """A file of a project at a commit, or some of its lines (from 1, inclusive; 0 and 0 for the whole)."""

    project: str
    commit: str
    path: str
    first: int
    last: int


class Link(NamedTuple):
    """Another entry."""

    topic: str


class SessionPointer(NamedTuple):
    """A session; the machine it lives on where that is said."""

    agent: str
    sid: str
    machine: str = ""


Pointer = Claim | CodePlace | Link | SessionPointer


def pointer(item: str) -> Pointer | None:
    """What an item of Pointers points to; None for a URL, and for what is no pointer."""
    text = _SOURCE.sub("", _DATE.sub("", identity(item), count=1))
    if found := _CLAIM.fullmatch(text):
        return Claim(found[1], found[2], found[3].strip())
    if found := _PLACE.fullmatch(text):
        first = int(found[4] or 0)
        return CodePlace(found[1], found[2], found[3], first, max(first, int(found[5] or first)))
    if found := _LINK.fullmatch(text):
        return Link(found[1].strip())
    found = _SESSION.fullmatch(text)
    return SessionPointer(found[1], found[2]) if found else None
