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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

_ENTRY = re.compile(r"entries/([^/]+)\.md")
_DEEPEST = 100
"""Criss-cross merges upon criss-cross merges that are followed; deeper down the first of the bases stands for all."""


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


def resolve(base: bytes | None, ours: bytes | None, theirs: bytes | None, *, topic: str = "") -> bytes | None:
    """The same where the file may be missing (None): an edit survives a deletion; what nobody edited stays deleted.

    What is the same bytes on both sides, or changed on one side only, comes as it is, malformed or not: git asks no merge driver then.
    """
    if theirs in (ours, base):
        return ours
    if ours == base or ours is None:
        return theirs
    return ours if theirs is None else merge(base, ours, theirs, topic=topic)


def topic_of(path: str) -> str:
    """The topic of a path in the library, or '' when it is not that of an entry."""
    entry = _ENTRY.fullmatch(path)
    return entry[1] if entry else ""


def resolve_tree(base: Mapping[str, bytes], ours: Mapping[str, bytes], theirs: Mapping[str, bytes]) -> dict[str, bytes]:
    """All entries of a merged tree, path to bytes: `resolve` for each path `entries/<topic>.md`.

    Other paths are left out: INDEX.md is built again from the entries, and what else there is has no sections. A rename is a deletion and
    a creation.
    """
    files = {}
    for path in sorted(base.keys() | ours.keys() | theirs.keys()):
        topic = topic_of(path)
        content = resolve(base.get(path), ours.get(path), theirs.get(path), topic=topic) if topic else None
        if content is not None:
            files[path] = content
    return files


def fold(
    bases: Iterable[bytes],
    read: Callable[[bytes], bytes | None],
    merge_bases: Callable[[bytes, Sequence[bytes]], Iterable[bytes]],
    *,
    topic: str = "",
) -> bytes | None:
    """The one base that stands for several merge bases of a criss-cross history: their merge, recursively with their own merge bases.

    `bases` are commit ids, folded in the order of the ids, so that any machine gets the same; `read(commit)` is the file's bytes in a
    commit, or None; `merge_bases(commit, others)` are the merge bases of a commit and of the (imagined) merge of the others.
    No bases, or no file in any: None.
    """
    known: dict[tuple[bytes, ...], bytes | None] = {}

    def folded(commits: tuple[bytes, ...], depth: int) -> bytes | None:
        if commits not in known:
            content = read(commits[0]) if commits else None
            for at in range(1, len(commits) if depth < _DEEPEST else 1):
                base = folded(tuple(sorted(set(merge_bases(commits[at], commits[:at])))), depth + 1)
                content = resolve(base, content, read(commits[at]), topic=topic)
            known[commits] = content
        return known[commits]

    return folded(tuple(sorted(set(bases))), 0)


def _merged(base: Entry, ours: Entry, theirs: Entry) -> Entry:
    items = {}
    for section in LISTS:
        items[section] = merge_items(section, base.items[section], ours.items[section], theirs.items[section])
    answer, lost = merge_answer(base.answer, ours.answer, theirs.answer)
    if lost:
        items[SUPERSEDED] = record(items[SUPERSEDED], superseded(lost), base.items[SUPERSEDED])
    return Entry(spelling(base.title, ours.title, theirs.title), answer, items)
