"""What a commit would change, read by two git processes that run beside each other, while we load what it takes to look at entries.

No tree is written for it: the tree of entries as it will be is put together from HEAD's and what is staged.
"""

from __future__ import annotations

import os
from bisect import bisect_left

from libtool.domain.named import NamedTuple
from libtool.features.githooks.repository import ENTRIES, INDEX, Object, Row, pieces, tree_of
from libtool.storage.loose import SHA1_DIGITS, object_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.features.githooks.repository import Repository

_EMPTY = {
    40: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
    64: "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
}
"""The id of a tree with nothing in it, which git knows in every repository, by the digits of an id."""
# `git add -N` only announces a file: it will not be in the commit.
_DIFF = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--ita-invisible-in-index")
_ALONG = 60
_FOLDER, _LINK = "40000", "160000"


class Staged(NamedTuple):
    """What is staged, and what HEAD has."""

    entries: Object | None
    """The tree of entries as it will be."""
    index_md: Object | None
    old_entries: Object | None
    rows: dict[str, tuple[Row | None, Row | None]]
    """(row in HEAD, row staged) by name of what changes among the entries; a folder stands for what changes in it."""
    others: list[tuple[str, str]]
    """Path and blob of every other file that is new or has changed, INDEX.md left out."""


class Reading:
    """The two processes; `end` waits for them."""

    def __init__(self, repository: Repository) -> None:
        self._repository = repository
        git = repository.git
        self._diff = git.start(*_DIFF, "HEAD")
        self._head = git.start("cat-file", "--batch", stdin=f"HEAD:{ENTRIES}\nHEAD:{INDEX}\n".encode())

    def end(self) -> Staged:
        """What is staged. Raises GitFailed."""
        repository = self._repository
        diff = self._diff.end()
        out = diff.out
        if diff.code:
            # Before the first commit; anything else fails again.
            is_born = repository.git.call("rev-parse", "-q", "--verify", "HEAD").code == 0
            out = repository.git.run(*_DIFF, "HEAD" if is_born else _EMPTY[repository.digits])
        rows, others, staged_index, has_folders = _sorted_out(out)
        # By the process that reads HEAD's anyhow; more than a few do not fit.
        wanted = [row.id for pair in rows.values() for row in pair if row and row.id][:_ALONG]
        self._head.give("".join(f"{one}\n" for one in wanted).encode())
        old_entries, index, *_ = repository.objects(self._head.out(), 2 + len(wanted))
        old_entries = tree_of(old_entries)
        try:
            entries = self._written() if has_folders else changed_tree(old_entries, rows, repository.digits)
        except LookupError:
            entries = self._written()
        if staged_index is not None:
            index = repository.read([staged_index])[0] if staged_index else None
        return Staged(entries, index, old_entries, rows, others)

    def _written(self) -> Object | None:
        """The tree of entries as git makes it, where folders are in it or it is not as git writes it today."""
        tree = self._repository.git.run("write-tree").decode().strip()
        return tree_of(self._repository.read([f"{tree}:{ENTRIES}"])[0])


def _sorted_out(out: bytes) -> tuple[dict[str, tuple[Row | None, Row | None]], list[tuple[str, str]], str | None, bool]:
    """Rows of entries, other blobs, the id of INDEX.md ('' when it goes, None when it stays), whether folders change among the entries.

    `out` are git's raw lines `:<mode> <mode> <id> <id> <letter>`, each followed by its path.
    """
    rows: dict[str, tuple[Row | None, Row | None]] = {}
    others: list[tuple[str, str]] = []
    index: str | None = None
    has_folders = False
    words = out.split(b"\0")
    for facts, raw_path in zip(words[::2], words[1::2], strict=False):
        was, now, old, new, letter = facts.decode()[1:].split(" ")
        path = os.fsdecode(raw_path)
        folder, _, name = path.partition("/")
        is_entry = folder == ENTRIES and path.endswith(".md")
        if path == INDEX:
            index = "" if letter == "D" else new
        elif not is_entry and letter != "D" and now != _LINK:
            others.append((path, new))
        if folder != ENTRIES:
            continue
        top, slash, _ = name.partition("/")
        if slash or not name:
            has_folders = True
            # One that only loses files may be on its way out.
            rows[top] = None, rows.get(top, (None, None))[1] if letter == "D" else Row(_FOLDER, "")
        else:
            rows[top] = Row(was, old) if was.strip("0") else None, Row(now, new) if now.strip("0") else None
    return rows, others, index, has_folders


def changed_tree(tree: Object | None, rows: Mapping[str, tuple[Row | None, Row | None]], digits: int = SHA1_DIGITS) -> Object | None:
    """A tree with some rows, by name, changed from the first to the second (None: not there); None when nothing is left in it.

    `digits` are those of an id. None of the rows is a folder. Raises LookupError when `tree` does not hold a row as it was.
    """
    if not rows:
        return tree
    data = tree.data if tree else b""
    moved = {}
    for name, (old, new) in rows.items():
        if old and _piece(name, old) not in data:
            raise LookupError(name)
        if old and new:
            data = data.replace(_piece(name, old), _piece(name, new), 1)
        else:
            moved[name] = old, new
    if moved:
        there = pieces(data, digits)
        for name, (_, new) in moved.items():
            at = bisect_left(there, os.fsencode(name), key=_place)
            there[at : at + (new is None)] = (_piece(name, new),) if new else ()
        data = b"".join(there)
    return Object(object_id("tree", data, digits), "tree", data) if data else None


def _place(piece: bytes) -> bytes:
    """What git sorts the rows of a tree by: the name, that of a folder as if a slash followed it."""
    mode, _, rest = piece.partition(b" ")
    name = rest.partition(b"\0")[0]
    return name + b"/" if mode == _FOLDER.encode() else name


def _piece(name: str, row: Row) -> bytes:
    return os.fsencode(f"{row.mode} {name}\0") + bytes.fromhex(row.id)
