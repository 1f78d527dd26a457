"""A digest as the store keeps it and the search db indexes it: segments, as of a chunk."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from libtool.domain import condense
from libtool.domain.digest.compose import ANSWER, POINTERS, Digest, Item

if TYPE_CHECKING:
    from collections.abc import Iterable

    Segments = list[tuple[str, int, str]]

_DATED = re.compile(r" \((\d{4}-\d\d-\d\d)\)$")


def segments(digest: Digest) -> Segments:
    """(code, turn, text) of the title and of each item, which begins with the name of its section."""
    found = [(condense.TITLE, 0, digest.title), (condense.NOTE, digest.answer.turn, f"{ANSWER}: {_dated(digest.answer)}")]
    for name, items in (*digest.sections.items(), (POINTERS, digest.pointers)):
        found += [(condense.NOTE, item.turn, f"{name}: {item.text}") for item in items]
    return found


def read(found: Iterable[tuple[str, int, str]]) -> Digest:
    """The inverse of `segments`, but for the days of the items."""
    (_, _, title), (_, turn, answer), *rest = found
    text = answer.removeprefix(f"{ANSWER}: ")
    match = _DATED.search(text)
    first = Item(text[: match.start()], turn, match[1]) if match else Item(text, turn, "")
    sections: dict[str, tuple[Item, ...]] = {}
    for _, number, line in rest:
        name, _, said = line.partition(": ")
        sections[name] = (*sections.get(name, ()), Item(said, number, ""))
    return Digest(title, first, sections, sections.pop(POINTERS, ()))


def _dated(item: Item) -> str:
    return f"{item.text} ({item.date})" if item.date else item.text
