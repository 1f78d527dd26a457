"""The three-way merge of entries: by section, no conflict markers, nothing lost. Pure: the same inputs give the same bytes anywhere.

The rules, and what holds of them, stand in docs/merging.md.
"""

from __future__ import annotations

import re

from libtool.domain.entry import Entry, render, superseded
from libtool.domain.mend import recover
from libtool.domain.merge_answer import merge_answer
from libtool.domain.merge_items import merge_items, record, spelling
from libtool.domain.schema import LISTS, SUPERSEDED

_ENTRY = re.compile(r"entries/([^/]+)\.md")


def merge(base: bytes | None, ours: bytes, theirs: bytes, *, topic: str = "") -> bytes:
    """The entry that has what both sides changed since the base. Never raises, whatever the bytes.

    `base` None: both sides created the topic. `topic` names an entry that has no heading. What comes is in canonical form.
    """
    one, two = recover(ours, topic=topic), recover(theirs, topic=topic)
    here, there = render(one), render(two)
    if here == there:
        return here
    was = Entry("", "", dict.fromkeys(LISTS, ())) if base is None else recover(base, topic=topic)
    before = render(was)
    if here == before:
        return there
    if there == before:
        return here
    return render(_merged(was, one, two))


def topic_of(path: str) -> str:
    """The topic of a path in the library, or '' when it is not that of an entry."""
    entry = _ENTRY.fullmatch(path)
    return entry[1] if entry else ""


def _merged(base: Entry, ours: Entry, theirs: Entry) -> Entry:
    items = {}
    for section in LISTS:
        items[section] = merge_items(section, base.items[section], ours.items[section], theirs.items[section])
    answer, lost = merge_answer(base.answer, ours.answer, theirs.answer)
    if lost:
        items[SUPERSEDED] = record(items[SUPERSEDED], superseded(lost), base.items[SUPERSEDED])
    return Entry(spelling(base.title, ours.title, theirs.title), answer, items)
