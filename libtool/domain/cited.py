"""The lines of an entry's Session section: what it rests on, each with the machine it lives on and its day.

Source of the format: docs/entry-format.md. As tolerant of list marks and spaces as who reads an entry that nobody checked has to be.
"""

from __future__ import annotations

import re

from libtool.domain.named import NamedTuple

AGENT = "[a-z][a-z0-9]*(?:-[a-z0-9]+)*"
"""The name of an agent, and `note`."""
_ITEM = rf"({AGENT}):([^\s#]{{6,}})[ \t]+(\S+)[ \t]+([0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}})"
_WHOLE = re.compile(_ITEM)
_LINE = re.compile(rf"^[-*+][ \t]+{_ITEM}[ \t\r]*$\n?", re.MULTILINE)


class Cited(NamedTuple):
    """A session (or a note) that an entry names: agent, full id, the machine it lives on, its day."""

    agent: str
    sid: str
    machine: str
    date: str


def of_item(text: str) -> Cited | None:
    """What an item of Session names, given as its `entry.identity`; None where it names nothing."""
    found = _WHOLE.fullmatch(text)
    return Cited(*found.groups()) if found else None


def of_text(text: str) -> list[Cited]:
    """What the lines of a section, or of a whole entry, name."""
    return [Cited(*found) for found in _LINE.findall(text)]


def of_data(data: bytes) -> list[Cited]:
    """The same of an entry's bytes."""
    return of_text(data.decode("utf-8", "replace"))


def without(text: str) -> str:
    """A section's text without these lines."""
    return _LINE.sub("", text)
