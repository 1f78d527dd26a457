"""Three-way merge of whole trees of a library, in memory: an answer to everything, no conflict left, nothing lost.

The same two sides in either order give the same tree, so that machines that merge the same commits reach the same bytes.
Entries are merged by section (`domain.merge`), what else a library may hold by the rules in `_both`. Renames are not looked for: a rename
is a delete and a create on both paths.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    File = tuple[int, str]
    """(mode as git has it, id of the blob)."""
    Tree = Mapping[bytes, File]
    """Every file by its path from the top, `/` between folders."""
    Sides = tuple[File | None, File, File]

PLAIN = 0o100644
INDEX = b"INDEX.md"
ENTRIES = b"entries/"
OWNED = (b"machines/", b"logins/")
"""Folders in which each machine writes one file of its own."""
TEXT_LIMIT = 1_000_000
"""Bytes of a text beyond which its lines are not compared."""


class Blobs(Protocol):
    """Contents by id."""

    def read(self, blob: str) -> bytes:
        """The content."""
        ...

    def write(self, content: bytes) -> str:
        """Keep a content; its id."""
        ...


class Merged(NamedTuple):
    """The tree, and a line for each file of which a person should know how it came to be."""

    tree: dict[bytes, File]
    notes: list[str]


def merge(base: Tree, ours: Tree, theirs: Tree, blobs: Blobs) -> Merged:
    """Merge two trees with their common ancestor, an empty one where there is none. INDEX.md is that of `ours` where both changed it."""
    tree: dict[bytes, File] = {}
    notes: list[str] = []
    for path in sorted(ours.keys() | theirs.keys()):
        before, our, their = base.get(path), ours.get(path), theirs.get(path)
        if their in (our, before):
            chosen = our
        elif our == before:
            chosen = their
        elif our is None or their is None:
            chosen = our or their
            notes.append(f"{os.fsdecode(path)}: deleted on one side, changed on the other: kept")
        else:
            chosen = _both(path, (before, our, their), blobs, tree, notes)
        if chosen:
            tree[path] = chosen
    _part_files_from_folders(tree, notes)
    return Merged(tree, notes)


def is_entry(path: bytes) -> bool:
    """Whether the path is that of an entry."""
    return path.startswith(ENTRIES) and path.endswith(b".md") and path.count(b"/") == 1


def topic_of(path: bytes) -> str:
    """The topic of an entry's path."""
    return os.fsdecode(path[len(ENTRIES) : -len(b".md")])


def _both(path: bytes, sides: Sides, blobs: Blobs, tree: dict[bytes, File], notes: list[str]) -> File:
    """What becomes of a file that both sides changed or made, differently."""
    _, our, their = sides
    if not (stat.S_ISREG(our[0]) and stat.S_ISREG(their[0])):
        return _keep_both(path, sides, tree, notes)
    mode = _mode(sides)
    if our[1] == their[1] or path == INDEX:
        return mode, our[1]
    contents = [blobs.read(file[1]) if file and stat.S_ISREG(file[0]) else None for file in sides]
    before, mine, other = contents[0], contents[1] or b"", contents[2] or b""
    if is_entry(path):
        from libtool.domain import merge as entries  # noqa: PLC0415 - not for a sync with nothing to merge

        return mode, blobs.write(entries.merge(before, mine, other, topic=topic_of(path)))
    if path.startswith(OWNED):
        # One machine writes it, and writes it anew at its next sync.
        return mode, max((mine, our[1]), (other, their[1]))[1]
    if not any(_is_binary(content) for content in (before or b"", mine, other)):
        notes.append(f"{os.fsdecode(path)}: changed on both sides: lines of both are kept, please read it over")
        return mode, blobs.write(union(before or b"", mine, other))
    return _keep_both(path, sides, tree, notes)


def _mode(sides: Sides) -> int:
    """The permission that one side changed, or, with both new, the executable one."""
    before, our, their = sides
    if before and before[0] in (our[0], their[0]):
        return their[0] if our[0] == before[0] else our[0]
    return max(our[0], their[0])


def _keep_both(path: bytes, sides: Sides, tree: dict[bytes, File], notes: list[str]) -> File:
    """The greater version stays in place, the other goes beside it under a name with its id."""
    winner, loser = max(sides[1:]), min(sides[1:])
    beside = path + b"." + loser[1][:7].encode()
    tree[beside] = loser
    notes.append(f"{os.fsdecode(path)}: changed on both sides and no text: the other version is {os.fsdecode(beside)}")
    return winner


def _part_files_from_folders(tree: dict[bytes, File], notes: list[str]) -> None:
    """Where one side has a file and the other a folder of that name, the file gives way."""
    folders = {path[:at] for path in tree for at, byte in enumerate(path) if byte == ord("/")}
    for path in sorted(folders & tree.keys()):
        file = tree.pop(path)
        beside = path + b"." + file[1][:7].encode()
        tree[beside] = file
        notes.append(f"{os.fsdecode(path)}: a file on one side, a folder on the other: the file is now {os.fsdecode(beside)}")


def _is_binary(content: bytes) -> bool:
    return b"\0" in content or len(content) > TEXT_LIMIT


def union(base: bytes, ours: bytes, theirs: bytes) -> bytes:
    """Three-way merge by lines; where both changed the same place, the lines of both, the smaller first: sides have no order."""
    lines = [content.splitlines(keepends=True) for content in (base, ours, theirs)]
    merged: list[bytes] = []
    at = (0, 0, 0)
    for start, length in _common(*lines):
        merged += _between(*(part[was:now] for part, was, now in zip(lines, at, start, strict=True)))
        merged += lines[0][start[0] : start[0] + length]
        at = (start[0] + length, start[1] + length, start[2] + length)
    # A last line without its end must not run into another one.
    whole = [line if line.endswith(b"\n") else line + b"\n" for line in merged[:-1]]
    return b"".join([*whole, *merged[-1:]])


def _between(base: Sequence[bytes], ours: Sequence[bytes], theirs: Sequence[bytes]) -> list[bytes]:
    if ours in (base, theirs):
        return list(theirs)
    if theirs == base:
        return list(ours)
    first, second = sorted((list(ours), list(theirs)))
    return [*first, *second]


def _common(base: list[bytes], ours: list[bytes], theirs: list[bytes]) -> Iterator[tuple[tuple[int, int, int], int]]:
    """(starts in the three, length) of each run of lines that all three share, in order; the last is the empty one at the ends."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - rare

    left = SequenceMatcher(None, base, ours, autojunk=False).get_matching_blocks()
    right = SequenceMatcher(None, base, theirs, autojunk=False).get_matching_blocks()
    here = there = 0
    while here < len(left) and there < len(right):
        ours_run, theirs_run = left[here], right[there]
        start = max(ours_run.a, theirs_run.a)
        end = min(ours_run.a + ours_run.size, theirs_run.a + theirs_run.size)
        if start < end:
            yield (start, ours_run.b + start - ours_run.a, theirs_run.b + start - theirs_run.a), end - start
        if ours_run.a + ours_run.size < theirs_run.a + theirs_run.size:
            here += 1
        else:
            there += 1
    yield (len(base), len(ours), len(theirs)), 0
