"""One base for a merge of a criss-cross history, which has several. Pure, whatever it is that is merged: an entry, a tree of files."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import AnyStr, TypeVar

    T = TypeVar("T")

_DEEPEST = 100
"""Criss-cross merges upon criss-cross merges that are followed; deeper down the first of the bases stands for all."""


def fold(
    bases: Iterable[AnyStr],
    read: Callable[[AnyStr], T],
    merge_bases: Callable[[AnyStr, Sequence[AnyStr]], Iterable[AnyStr]],
    merge: Callable[[T, T, T], T],
    nothing: T,
) -> T:
    """What stands for several merge bases: their merge, recursively with their own merge bases; `nothing` for none.

    `bases` are commit ids, folded in the order of the ids, so that any machine gets the same; `read(commit)` is what a commit holds;
    `merge_bases(commit, others)` are the merge bases of a commit and of the (imagined) merge of the others; `merge(base, ours, theirs)`
    is the three-way merge.
    """
    known: dict[tuple[AnyStr, ...], T] = {(): nothing}

    def folded(commits: tuple[AnyStr, ...], depth: int) -> T:
        if commits not in known:
            content = read(commits[0])
            for at in range(1, len(commits) if depth < _DEEPEST else 1):
                base = folded(tuple(sorted(set(merge_bases(commits[at], commits[:at])))), depth + 1)
                content = merge(base, content, read(commits[at]))
            known[commits] = content
        return known[commits]

    return folded(tuple(sorted(set(bases))), 0)
