"""The same checks for people who run the pre-commit framework themselves, in CI too.

pre-commit may have set unstaged work aside, so nothing is staged here: a file is changed only when it is as staged, and then the check
fails, as pre-commit's checks do; where there is unstaged work, it is only said what to do.
"""

from __future__ import annotations

import os

from libtool.features.githooks import worktree
from libtool.features.githooks.cleaning import Outcome, TopicsOf, shown
from libtool.features.githooks.index_book import IndexBook
from libtool.features.githooks.repository import ENTRIES, INDEX, tree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from libtool.features.githooks.cleaning import Cleaner
    from libtool.features.githooks.repository import Object, Repository


def entries(repository: Repository, cleaner: Cleaner, paths: Sequence[str]) -> Outcome:
    """Strip, mend and validate the staged entries among `paths` (relative to the top). Raises GitFailed."""
    own = [path for path in paths if os.path.dirname(path) == ENTRIES and path.endswith(".md")]
    tree = repository.git.run("write-tree").decode().strip()
    folder, *found = repository.read([f"{tree}:{ENTRIES}", *(f":{path}" for path in own), *(f"HEAD:{path}" for path in own)])
    folder = tree_of(folder)
    topics = TopicsOf(folder.data if folder else b"")
    refused: list[str] = []
    for path, staged, before in zip(own, found, found[len(own) :], strict=False):
        if staged is not None and staged.kind == "blob":
            refused += _entry(repository, cleaner, path, (staged, before), topics)
    return Outcome(tuple(refused))


def _entry(repository: Repository, cleaner: Cleaner, path: str, pair: tuple[Object, Object | None], topics: TopicsOf) -> list[str]:
    staged, before = pair
    topic = os.path.basename(path)[:-3]
    cleaned = cleaner.clean(topic, staged.data, before.data if before and before.kind == "blob" else None)
    lines = cleaner.problems(topic, cleaned.whole, topics)
    if cleaned.whole == staged.data:
        return lines
    target = os.path.join(repository.top, path)
    why = f"{cleaned.logins} login(s) replaced" if cleaned.logins else "brought into the form of an entry"
    if worktree.read(target) == staged.data and worktree.replace(target, staged.data, cleaned.whole):
        return [f"{shown(path)}: {why}; look at it, then: git add {shown(path)}", *lines]
    return [
        f"{shown(path)}: must be {why}, but holds unstaged work: run lib check --fix {shown(path)}, then: git add {shown(path)}",
        *lines,
    ]


def index(repository: Repository) -> Outcome:
    """Whether the staged INDEX.md is that of the staged entries; the work tree's is put right. Raises GitFailed."""
    tree = repository.git.run("write-tree").decode().strip()
    folder, staged = repository.read([f"{tree}:{ENTRIES}", f"{tree}:{INDEX}"])
    folder = tree_of(folder)
    if folder is None and staged is None:
        return Outcome()
    right = IndexBook(repository).correction(folder, staged)
    if right is None:
        return Outcome()
    path = os.path.join(repository.top, INDEX)
    old = worktree.read(path)
    if old != right and not worktree.replace(path, old, right):
        return Outcome((f"{INDEX} is not that of the staged entries, and cannot be written",))
    return Outcome((f"{INDEX} was not that of the staged entries; it is now: git add {INDEX}",))
