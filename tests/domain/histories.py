"""Machines that edit one entry and merge each other's versions, as git would: commits with parents, merge bases, criss-cross."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.fold import fold
from libtool.domain.merge import merge, topic_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def resolve(base: bytes | None, ours: bytes | None, theirs: bytes | None, *, topic: str = "") -> bytes | None:
    """An entry as git merges it by our driver, None where there is none: an edit survives a deletion; what nobody edited stays deleted.

    What is the same bytes on both sides, or changed on one side only, comes as it is, malformed or not: git asks no merge driver then.
    """
    if theirs in (ours, base):
        return ours
    if ours == base or ours is None:
        return theirs
    return ours if theirs is None else merge(base, ours, theirs, topic=topic)


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


class Commit(NamedTuple):
    number: int
    content: bytes | None
    ancestors: int
    """A bit for each commit that led here, itself included."""
    edits: frozenset[int]
    """The numbers of those that are no merges."""


class History:
    """Commits by id. An id says nothing of the order in which commits came."""

    def __init__(self, content: bytes | None) -> None:
        self.commits: dict[bytes, Commit] = {}
        self._ids: list[bytes] = []
        self.root = self._add(content, (), is_edit=True)

    def edit(self, parent: bytes, content: bytes | None) -> bytes:
        """The id of a commit upon another one."""
        return self._add(content, (parent,), is_edit=True)

    def merge(self, ours: bytes, theirs: bytes) -> bytes:
        """What `git merge theirs` leaves: ours when it holds theirs, theirs when that holds ours, else a merge commit."""
        one, two = self.commits[ours], self.commits[theirs]
        if one.ancestors >> two.number & 1:
            return ours
        if two.ancestors >> one.number & 1:
            return theirs
        base = fold(self.merge_bases(ours, [theirs]), self.content, self.merge_bases, resolve, None)
        return self._add(resolve(base, one.content, two.content), (ours, theirs), is_edit=False)

    def content(self, commit: bytes) -> bytes | None:
        return self.commits[commit].content

    def edits(self, commit: bytes) -> frozenset[int]:
        """The numbers of the edits that led to a commit."""
        return self.commits[commit].edits

    def merge_bases(self, commit: bytes, others: Sequence[bytes]) -> list[bytes]:
        """The best common ancestors of a commit and of a merge of the others, newest first."""
        led = 0
        for other in others:
            led |= self.commits[other].ancestors
        common, best = self.commits[commit].ancestors & led, []
        while common:
            best.append(self._ids[common.bit_length() - 1])
            common &= ~self.commits[best[-1]].ancestors
        return best

    def _add(self, content: bytes | None, parents: tuple[bytes, ...], *, is_edit: bool) -> bytes:
        number = len(self._ids)
        identity = hashlib.sha256(b"%d" % number).digest()
        ancestors, edits = 1 << number, frozenset({number} if is_edit else ())
        for parent in parents:
            ancestors |= self.commits[parent].ancestors
            edits |= self.commits[parent].edits
        self.commits[identity] = Commit(number, content, ancestors, edits)
        self._ids.append(identity)
        return identity
