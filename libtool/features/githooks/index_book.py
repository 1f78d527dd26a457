"""INDEX.md of any tree of entries, by patching one that is known to be right; what is known is kept in the git folder, a cache.

A line of the file is `<version> <id of the tree of entries> <id of the blob of its INDEX.md>`, the newest last.
"""

from __future__ import annotations

import contextlib
import os

from libtool import __version__
from libtool.domain import index_md
from libtool.domain.entry import is_topic
from libtool.features.githooks.repository import FEW, FILE_MODES, INDEX, Object, changed, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from libtool.features.githooks.repository import Repository, Row
    from libtool.features.githooks.staging import Staged

    Differing = dict[str, tuple[Row | None, Row | None]]

NAME = "lib-index"
KEPT = 16
"""Pairs that are kept: some branches' worth."""
TRIED = 3
ASIDE = "lib-kept"
"""The folder in the git folder that holds a copy of the last INDEX.md that somebody had edited by hand."""
NO_TREE = "-"
"""Stands for the tree where there are no entries."""


class IndexBook:
    """What INDEX.md is right for which tree of entries."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        self._path = os.path.join(repository.common_dir, NAME)
        self._pairs = _load(self._path)

    @property
    def newest(self) -> tuple[str, str] | None:
        """(tree, blob) that was remembered last."""
        return next(reversed(self._pairs.items()), None)

    def is_known(self, tree: Object | None, blob: str) -> bool:
        """Whether this blob is known to be the INDEX.md of this tree."""
        return self._pairs.get(tree.id if tree else NO_TREE) == blob

    def set_aside(self, content: bytes) -> list[str]:
        """Keep a copy of an INDEX.md that is about to be replaced, and say where; one that is remembered for some tree nobody wrote."""
        from hashlib import sha1  # noqa: PLC0415 - rare

        if sha1(b"blob %d\0%b" % (len(content), content), usedforsecurity=False).hexdigest() in self._pairs.values():
            return []
        folder = os.path.join(self._repository.git_dir, ASIDE)
        os.makedirs(folder, exist_ok=True)
        path = os.path.join(folder, INDEX)
        with open(path, "wb") as file:
            file.write(content)
        return [f"{INDEX} is generated: your version of it was replaced, and lies in {path}"]

    def remember(self, tree: Object | None, blob: str) -> None:
        """Keep that this blob is the INDEX.md of this tree."""
        name = tree.id if tree else NO_TREE
        if self.newest == (name, blob):
            return
        self._pairs.pop(name, None)
        self._pairs[name] = blob
        kept = list(self._pairs.items())[-KEPT:]
        text = "".join(f"{__version__} {one} {its}\n" for one, its in kept)
        temporary = f"{self._path}.{os.getpid()}"
        # A cache: without it all works, slower.
        with contextlib.suppress(OSError):
            with open(temporary, "w", encoding="ascii") as file:
                file.write(text)
            os.replace(temporary, self._path)

    def correction(self, tree: Object | None, index: Object | None) -> bytes | None:
        """What INDEX.md of a tree is to be where `index` is not that; None, which is remembered, where it is."""
        if index is not None and self.is_known(tree, index.id):
            return None
        right = self.index_of(tree, seen=(index,))
        if index is None or index.data != right:
            return right
        self.remember(tree, index.id)
        return None

    def index_of(
        self,
        tree: Object | None,
        given: dict[str, bytes] | None = None,
        seen: Iterable[Object | None] = (),
        staged: Staged | None = None,
    ) -> bytes:
        """The INDEX.md of a tree of entries in which some entries (by file name) have another content, that in `given`.

        `seen` are objects at hand that need not be read again; `staged` tells what differs from HEAD, where that is known.
        """
        given = given or {}
        at_hand = {one.id: one for one in seen if one}
        base, differing = self._start(tree, at_hand, staged)
        new = {name: row for name, (_, row) in differing.items() if row and is_entry(name, row) and name not in given}
        contents = dict(zip(new, self._fetch([row.id for row in new.values()], at_hand), strict=True))
        contents.update((name, Object("", "blob", data)) for name, data in given.items())
        lines: dict[str, str | None] = {name[:-3]: None for name in differing if name.endswith(".md")}
        is_few = len(contents) < FEW
        lines.update((name[:-3], index_md.line_of(name[:-3], one.data, alone=is_few)) for name, one in contents.items() if one)
        return index_md.patched(base, lines)

    def _start(self, tree: Object | None, at_hand: dict[str, Object], staged: Staged | None) -> tuple[bytes, Differing]:
        """An INDEX.md to patch, and what differs in `tree` from what it is of."""
        candidates = list(reversed(self._pairs.items()))[:TRIED]
        if tree and tree.id in self._pairs:
            candidates.insert(0, (tree.id, self._pairs[tree.id]))
        for pair in candidates:
            base, blob = self._fetch(list(pair), at_hand)
            # The tree of a commit that was not made in the end may be missing.
            if base is not None and blob is not None:
                if staged is not None and staged.old_entries is not None and staged.old_entries.id == base.id:
                    return blob.data, staged.rows
                return blob.data, changed(base, tree)
        return index_md.build({}), {name: (None, row) for name, row in rows(tree).items()}

    def _fetch(self, ids: list[str], at_hand: dict[str, Object]) -> list[Object | None]:
        missing = [one for one in ids if one not in at_hand]
        at_hand.update({one.id: one for one in self._repository.read(missing) if one})
        return [at_hand.get(one) for one in ids]


def is_entry(name: str, row: Row) -> bool:
    """Whether a row of the tree of entries is an entry: a plain file with the name of a topic."""
    return row.mode in FILE_MODES and name.endswith(".md") and is_topic(name[:-3])


def _load(path: str) -> dict[str, str]:
    """Tree to blob, the newest last; what another version wrote is not believed."""
    try:
        with open(path, encoding="ascii") as file:
            lines = [line.split() for line in file.read(1 << 16).splitlines()]
    except (OSError, ValueError):
        return {}
    return {line[1]: line[2] for line in lines if len(line) == 3 and line[0] == __version__}
