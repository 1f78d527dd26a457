"""INDEX.md of the tree that a sync makes: patched from one that is known to be right, as the git hooks do it, and with their notes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import SyncRefused
from libtool.features.githooks import worktree
from libtool.features.githooks.index_book import IndexBook
from libtool.features.githooks.repository import Object
from libtool.features.githooks.repository import Repository as Objects
from libtool.storage import repo_merge
from libtool.storage.git import Git

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from libtool.storage.repo import Repository
    from libtool.storage.repo_merge import File, Tree
    from libtool.storage.repo_place import Place
    from libtool.storage.work_tree import InTheWayError, WorkTree


def with_index(repository: Repository, place: Place, files: Tree) -> dict[bytes, File]:
    """The same files with INDEX.md made from the entries among them."""
    entries = {path[len(repo_merge.ENTRIES) :]: file for path, file in files.items() if path.startswith(repo_merge.ENTRIES)}
    tree = repository.write_tree(entries) if entries else ""
    objects = _Objects(repository, place)
    book = IndexBook(objects)
    found = objects.read([tree])[0] if tree else None
    there = files.get(repo_merge.INDEX)
    if there and there[0] == repo_merge.PLAIN and book.is_known(found, there[1]):
        return dict(files)
    blob = repository.write(book.index_of(found))
    book.remember(found, blob)
    return {**files, repo_merge.INDEX: (repo_merge.PLAIN, blob)}


class Here(NamedTuple):
    """Where work may be in the way."""

    tree: WorkTree
    repository: Repository
    place: Place


def past_index(refused: InTheWayError, here: Here, files: Tree, again: Callable[[], None]) -> list[str]:
    """Do `again` what was refused, where only INDEX.md was in the way: it is nobody's work, and is first put back as `files` has it.

    Lines for a person. Raises `refused` where something else is in the way too, or a new SyncRefused that tells of the INDEX.md.
    """
    path = os.path.join(here.place.top, os.fsdecode(repo_merge.INDEX))
    if refused.paths != (repo_merge.INDEX,) or repo_merge.INDEX not in files or os.path.islink(path) or os.path.isdir(path):
        raise refused
    notes = _put_back(*here, files)
    try:
        again()
    except SyncRefused as other:
        message = other.message.replace("nothing was changed", "only INDEX.md was put back")
        raise SyncRefused(message, hint="; ".join((other.hint, *notes))) from None
    return notes


def _put_back(tree: WorkTree, repository: Repository, place: Place, files: Tree) -> list[str]:
    """Let index and work tree have the INDEX.md of `files`; a version that somebody edited is kept aside, as a line says then."""
    content = worktree.read(os.path.join(place.top, os.fsdecode(repo_merge.INDEX)))
    notes = [] if content is None else IndexBook(_Objects(repository, place)).set_aside(content)
    tree.put_back(repo_merge.INDEX, files[repo_merge.INDEX])
    return notes


class _Objects(Objects):
    """The objects of the repository by dulwich: also where there is no git."""

    def __init__(self, repository: Repository, place: Place) -> None:
        super().__init__(Git(place.top, {}), place.top, place.git_dir, place.common_dir)
        self._repository = repository

    def read(self, names: Sequence[str]) -> list[Object | None]:
        """See Repository; names are ids."""
        return [Object(name, *found) if (found := self._repository.raw(name)) else None for name in names]
