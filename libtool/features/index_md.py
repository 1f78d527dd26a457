"""INDEX.md of a library's work tree. The git hooks make that of a commit from the staging area instead."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.index_md import build, line_of
from libtool.domain.schema import INDEX
from libtool.storage import entry_files, files

if TYPE_CHECKING:
    from libtool.config import Config

MODE = 0o644


class Written(NamedTuple):
    """What a run did: the path of INDEX.md, how many entries it lists, its bytes, whether it was written anew."""

    path: str
    entries: int
    bytes: int
    changed: bool


def lines(config: Config) -> dict[str, str]:
    """The line of each entry in the work tree, by topic. Raises LibraryNotFound."""
    return {topic: line_of(topic, data) for topic, data in entry_files.contents(config.library).items()}


def write(config: Config, *, dry: bool = False) -> Written:
    """Bring INDEX.md up to date; with `dry` only say whether it is. Raises LibraryNotFound."""
    found = lines(config)
    index = build(found)
    path = os.path.join(config.library, INDEX)
    changed = current(path) != index
    if changed and not dry:
        files.write(path, index, mode=None if os.path.exists(path) else MODE)
    return Written(path, len(found), len(index), changed)


def current(path: str) -> bytes | None:
    """The bytes of a file, None when it is not there."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
