"""Clearing up after a process that was killed while it changed the library: its locks, and the move of the work tree that it was in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.features.sync_repair import drop_half_written
from libtool.storage import repo_place
from libtool.storage.work_tree import InTheWayError, Version

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.storage.repo import Repository
    from libtool.storage.repo_place import Note, Place
    from libtool.storage.work_tree import WorkTree


def recover(place: Place, note: Note, tree: WorkTree, repository: Callable[[], Repository], refs: tuple[str, ...]) -> list[str]:
    """Under the lock of syncs: finish what the note tells of; `refs` are those whose locks may have been left.

    Lines for a person. Raises SyncRefused when the work tree cannot be moved; the note stays then.
    """
    left = note.read()
    if left is None:
        return []
    notes: list[str] = []
    old, new, when = left
    note.unfinished = True
    repo_place.sweep(place, refs, when)
    if new and tree.commit_of("HEAD") == old and repository().has(new):
        was, will = (Version(commit, repository().files(commit)) for commit in (old, new))
        dropped = drop_half_written(place.top, repository(), was, will)

        def move() -> None:
            tree.move(was, will, "lib sync: finish what was interrupted")

        try:
            move()
        except InTheWayError as refused:
            from libtool.features.sync_index import Here, past_index  # noqa: PLC0415 - rare

            notes = past_index(refused, Here(tree, repository(), place), was.files, move)
        tree.restore(dropped)
    note.unfinished = False
    note.clear()
    return notes
