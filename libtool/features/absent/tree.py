"""The tree part: tracked files as they lie in the work tree, untracked ones, those at HEAD that differ, and the names of all of them."""

from __future__ import annotations

import os
import stat
import threading
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import variants
from libtool.errors import LibError
from libtool.features.absent import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from libtool.features.absent.places import Place
    from libtool.storage.git_read import Reader

MOST_OUTPUT = 4 << 20
"""Bytes of lines found that are looked at: by then the name is anything but absent."""
SECONDS = 120.0
_MOST_CHANGED = 500
"""Changed files up to which HEAD's versions are looked for one by one; beyond it all of HEAD is searched."""
_LINK, _SUBMODULE = b"120000", b"160000"


class Tree(NamedTuple):
    """What was searched, and what was found."""

    places: list[Place]
    inside: list[Place]
    files: int
    size: int
    """Bytes of these files."""
    changed: int
    """Tracked files that differ from HEAD, whose version there was searched too."""
    untracked: int
    full: bool
    """Whether the places are more than were looked at."""
    unsearched: tuple[str, ...]


class _Files(NamedTuple):
    """The files of a repository."""

    tracked: list[str]
    untracked: list[str]
    sizes: int
    submodules: int
    links: int
    sparse: int


def search(reader: Reader, forms: Sequence[str]) -> Tree:
    """Look for the forms everywhere in the repository. Raises LibError when git cannot do it."""
    if reader.place.bare:
        return _bare(reader, forms)
    listed: list[_Files] = []
    failed: list[BaseException] = []

    def survey() -> None:
        try:
            listed.append(_survey(reader))
        except BaseException as error:  # noqa: BLE001 - raised again below, in the thread that waits
            failed.append(error)

    other = threading.Thread(target=survey)
    other.start()
    try:
        out, full = _grep(reader, forms, "--untracked")
    finally:
        other.join()
    if failed:
        raise failed[0]
    files = listed[0]
    found = [places.read(out, forms)]
    changed = _changed(reader)
    if changed:
        before, more = _grep(reader, forms, "HEAD", "--", *(changed if len(changed) <= _MOST_CHANGED else ()))
        found.append(places.read(before, forms, prefix=b"HEAD:"))
        full = full or more
    named, partly = places.in_names(dict.fromkeys([*files.tracked, *files.untracked, *changed]), forms)
    pointers = set().union(*(one.pointers for one in found))
    return Tree(
        places.ordered(_without_doubles([*named, *(place for one in found for place in one.places)])),
        places.ordered([*partly, *(place for one in found for place in one.inside)]),
        len(files.tracked) + len(files.untracked),
        files.sizes,
        len(changed),
        len(files.untracked),
        full,
        _unsearched(files, len(pointers)),
    )


def _without_doubles(found: Sequence[Place]) -> list[Place]:
    """HEAD's version of a line that is in the work tree too is told once."""
    here = {(place.path, place.text) for place in found if not place.at_head}
    return [place for place in found if not (place.at_head and (place.path, place.text) in here)]


def _unsearched(files: _Files, pointers: int) -> tuple[str, ...]:
    told = [
        (files.submodules, "submodules"),
        (pointers, "files in git LFS that are not here"),
        (files.sparse, "files outside the sparse checkout"),
        (files.links, "targets of symbolic links"),
    ]
    return (*(f"{count} {what}" for count, what in told if count), "ignored files", "inside archives and images")


def _grep(reader: Reader, forms: Sequence[str], *where: str) -> tuple[bytes, bool]:
    """(what was found, whether there is more). A form may not hold a line end."""
    wanted = [word for form in variants.cased(forms) for word in ("-e", form)]
    options = ["grep", "-n", "-z", "-i", "-F", "--full-name", "--no-color", "--no-column", "--no-textconv"]
    options += ["-e", places.LFS_POINTER.decode(), *wanted]
    said = reader.run(*options, *where, seconds=SECONDS, most=MOST_OUTPUT)
    if said.late:
        raise LibError(f"the search was not done after {SECONDS:.0f} seconds", hint="--repo names a smaller repository")
    if said.code not in (0, 1) and not said.full:
        raise LibError(f"git grep failed with exit code {said.code}", hint="`git fsck` tells whether the repository is whole")
    return said.out, said.full


def _survey(reader: Reader) -> _Files:
    """All files that the search covers, and their bytes."""
    tracked: list[str] = []
    submodules = links = sparse = 0
    for row in reader.run("ls-files", "-s", "-t", "-z").out.split(b"\0")[:-1]:
        head, _, path = row.partition(b"\t")
        tag, mode, _, stage = head.split(b" ")
        if mode == _SUBMODULE:
            submodules += 1
        elif tag == b"S":
            sparse += 1
        elif mode == _LINK:
            links += 1
        elif stage in (b"0", b"2"):
            tracked.append(os.fsdecode(path))
    untracked = [os.fsdecode(path) for path in reader.run("ls-files", "-o", "--exclude-standard", "-z").out.split(b"\0")[:-1]]
    # Another repository inside of this one is listed as a folder.
    submodules += sum(path.endswith("/") for path in untracked)
    untracked = [path for path in untracked if not path.endswith("/")]
    size, top = 0, reader.place.top
    for file in (*tracked, *untracked):
        try:
            status = os.lstat(f"{top}/{file}")
        except OSError:
            continue
        size += status.st_size if stat.S_ISREG(status.st_mode) else 0
    return _Files(tracked, untracked, size, submodules, links, sparse)


def _changed(reader: Reader) -> list[str]:
    """Tracked files whose version at HEAD is not the one in the work tree."""
    if not reader.place.commit:
        return []
    said = reader.run(
        "diff",
        "--name-only",
        "-z",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--ignore-submodules=all",
        "--diff-filter=DMT",
        "HEAD",
    )
    return [os.fsdecode(path) for path in said.out.split(b"\0")[:-1]]


def _bare(reader: Reader, forms: Sequence[str]) -> Tree:
    """A repository without a work tree: HEAD alone."""
    if not reader.place.commit:
        return Tree([], [], 0, 0, 0, 0, full=False, unsearched=())
    out, full = _grep(reader, forms, "HEAD")
    found = places.read(out, forms, prefix=b"HEAD:")
    tracked: list[str] = []
    submodules = links = size = 0
    for row in reader.run("ls-tree", "-r", "-l", "-z", "HEAD").out.split(b"\0")[:-1]:
        facts, _, name = row.partition(b"\t")
        mode, _, _, length = facts.split()
        submodules += mode == _SUBMODULE
        links += mode == _LINK
        if mode not in (_SUBMODULE, _LINK):
            tracked.append(os.fsdecode(name))
            size += int(length)
    named, partly = places.in_names(tracked, forms)
    files = _Files(tracked, [], size, submodules, links, 0)
    return Tree(
        places.ordered([*named, *found.places]),
        places.ordered([*partly, *found.inside]),
        len(tracked),
        size,
        0,
        0,
        full,
        _unsearched(files, len(found.pointers)),
    )
