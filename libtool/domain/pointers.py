"""The pointers of entries: to a place in code, a claim of absence, another entry, a session.

Source of the format: docs/entry-format.md; what is wrong with a pointer says `domain.item_rules`.
"""

from __future__ import annotations

from libtool.domain.cited import AGENT
from libtool.domain.entry import identity
from libtool.domain.lazy import lazy
from libtool.domain.named import NamedTuple

_DATE = lazy(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}: ")
_SOURCE = lazy(rf" \({AGENT}:(?!//)[^\s()]+\)$")
_AT = r"([^\s@\"]+(?:@[^\s@\"]+)*)@([0-9a-f]{6,64})"
_CLAIM = lazy(rf'absent {_AT} "([^"]*[^"\s][^"]*)"')
_PLACE = lazy(rf"{_AT} (\S.*?)(?:#L([0-9]{{1,9}})(?:-L?([0-9]{{1,9}}))?)?")
_SESSION = lazy(rf"({AGENT}):(?!//)([^\s()#]{{6,}})(?:#[0-9]+)?")
LINK = lazy(r"\[\[([^\[\]\n]*)\]\]")


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


def bare(item: str) -> str:
    """An item of Pointers without a date before it and a remark of its source behind it."""
    return _SOURCE.sub("", _DATE.sub("", identity(item)))


def pointer(item: str) -> Pointer | None:
    """What an item of Pointers points to; None for a URL, and for what is no pointer."""
    text = bare(item)
    if found := _CLAIM.fullmatch(text):
        return Claim(found[1], found[2], found[3].strip())
    if found := _PLACE.fullmatch(text):
        first = int(found[4] or 0)
        return CodePlace(found[1], found[2], found[3], first, max(first, int(found[5] or first)))
    if found := LINK.fullmatch(text):
        return Link(found[1].strip())
    found = _SESSION.fullmatch(text)
    return SessionPointer(found[1], found[2]) if found else None
