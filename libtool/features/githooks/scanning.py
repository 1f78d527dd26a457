"""Logins in what is about to be committed or pushed."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.githooks.cleaning import shown
from libtool.features.githooks.repository import ENTRIES, INDEX, changed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from libtool.features.githooks.cleaning import Cleaner
    from libtool.features.githooks.repository import Object, Repository

BATCH = 200
"""Blobs that are held in memory at once."""


def other_logins(repository: Repository, cleaner: Cleaner, old: Object | None, new: Object) -> list[str]:
    """A line for each login in a changed file that is no entry: those files are not ours to rewrite. `old`, `new`: root trees."""
    names = [name for name in changed(old, new) if name not in (ENTRIES, INDEX)]
    if not names:
        return []
    empty = repository.git.run("hash-object", "-t", "tree", "--stdin").decode().strip() if old is None else old.id
    out = repository.git.run(
        "--literal-pathspecs", "diff-tree", "-r", "-z", "--raw", "--no-renames", "--diff-filter=AMT", empty, new.id, "--", *names
    )
    words = out.split(b"\0")
    blobs = [(os.fsdecode(path), facts.decode().split()[3]) for facts, path in zip(words[::2], words[1::2], strict=False)]
    return blob_logins(repository, cleaner, blobs)


def blob_logins(repository: Repository, cleaner: Cleaner, blobs: Sequence[tuple[str, str]]) -> list[str]:
    """A line for each login in these blobs, pairs of path and id; what is no blob is passed over."""
    lines = []
    for at in range(0, len(blobs), BATCH):
        some = blobs[at : at + BATCH]
        for (path, _), found in zip(some, repository.read([one for _, one in some]), strict=True):
            if found is not None and found.kind == "blob":
                lines += said(shown(path), cleaner.logins(found.data))
    return lines


def said(path: str, logins: Iterable[tuple[int, str, str]]) -> list[str]:
    """The lines to print for logins in a file."""
    return [
        f"{path}:{line}: login of the kind {kind}: take it out; if it is none: lib logins ignore {fingerprint} --why REASON"
        for line, kind, fingerprint in logins
    ]
