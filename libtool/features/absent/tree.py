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
    from collections.abc import Callable, Sequence

    from libtool.features.absent.places import Place
    from libtool.storage.git_read import Reader

MOST_OUTPUT = (4 << 20, 64 << 20)
"""Bytes of lines found that are looked at: by then the name is anything but absent. When only longer words hold it, more is looked at."""
SECONDS = 120.0
_MOST_NAMED = 500
"""Changed or untracked files that are named to git; with more all of HEAD, or of the work tree, is searched a second time."""
_MOST_LISTED = 1 << 30
_SUBMODULES, _SPARSE, _LINKS = "submodules", "files outside the sparse checkout", "targets of symbolic links"
_UNREADABLE = "files that cannot be read"
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
    size: int
    unsearched: dict[str, int]
    """How many there are of what is not searched."""


def search(reader: Reader, forms: Sequence[str]) -> Tree:
    """Look for the forms everywhere in the repository. Raises LibError when git cannot do it, or when there is too much to tell."""
    for most in MOST_OUTPUT:
        found = (_bare if reader.place.bare else _checked_out)(reader, forms, most)
        if found.places or not found.full:
            return found
    raise LibError("longer words hold this name too often to tell whether it is there by itself", hint="name more of it")


def _checked_out(reader: Reader, forms: Sequence[str], most: int) -> Tree:
    files, (out, full) = _both(lambda: _survey(reader), lambda: _grep(reader, forms, most))
    expression = variants.pattern(forms)
    found = [places.read(out, expression)]
    changed = _changed(reader)
    # With --untracked alone git would pass over tracked files that are ignored. Untracked links are followed by nobody.
    for there, options, prefix in ((files.untracked, ("--untracked",), b""), (changed, ("HEAD",), b"HEAD:")):
        if there:
            out, more = _grep(reader, forms, most, *options, "--", *(there if len(there) <= _MOST_NAMED else ()))
            found.append(places.read(out, expression, prefix=prefix))
            full = full or more
    named, partly = places.in_names(dict.fromkeys([*files.tracked, *files.untracked, *changed]), expression)
    pointers = set().union(*(one.pointers for one in found))
    return Tree(
        places.ordered(_without_doubles([*named, *(place for one in found for place in one.places)])),
        places.ordered([*partly, *(place for one in found for place in one.inside)]),
        len(files.tracked) + len(files.untracked),
        files.size,
        len(changed),
        len(files.untracked),
        full,
        _unsearched(files, len(pointers)),
    )


def _both(one: Callable[[], _Files], other: Callable[[], tuple[bytes, bool]]) -> tuple[_Files, tuple[bytes, bool]]:
    """What two calls return that mostly wait for git, made at the same time. Raises what either raises."""
    done: list[_Files | Exception] = []

    def work() -> None:
        try:
            done.append(one())
        except Exception as error:  # noqa: BLE001 - raised again in the thread that waits
            done.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    try:
        result = other()
    finally:
        thread.join()
    if isinstance(done[0], Exception):
        raise done[0]
    return done[0], result


def _without_doubles(found: Sequence[Place]) -> list[Place]:
    """HEAD's version of a line that is in the work tree too is told once."""
    here = {(place.path, place.text) for place in found if not place.at_head}
    return [place for place in found if not (place.at_head and (place.path, place.text) in here)]


def _unsearched(files: _Files, pointers: int) -> tuple[str, ...]:
    told = {**files.unsearched, "files in git LFS that are not here": pointers}
    return (*(f"{count} {what}" for what, count in told.items() if count), "ignored files", "inside archives, images and UTF-16 text")


def _grep(reader: Reader, forms: Sequence[str], most: int, *where: str) -> tuple[bytes, bool]:
    """(what was found, whether there is more). A form may not hold a line end."""
    wanted = [word for form in variants.searched(forms) for word in ("-e", form)]
    said = reader.run(*places.GREP, "-e", places.LFS_POINTER.decode(), *wanted, *where, seconds=SECONDS, most=most)
    if said.late:
        raise LibError(f"the search was not done after {SECONDS:.0f} seconds", hint="--repo names a smaller repository")
    if said.code not in (0, 1) and not said.full:
        raise LibError(f"git grep failed with exit code {said.code}", hint="`git fsck` tells whether the repository is whole")
    return said.out, said.full


def _listed(reader: Reader, *args: str) -> list[bytes]:
    """The NUL-ended rows of a git command, all of them or LibError: what is not listed would not be searched."""
    said = reader.run(*args, seconds=SECONDS, most=_MOST_LISTED)
    if said.code or said.late or said.full:
        raise LibError(f"git {args[0]} failed with exit code {said.code}", hint="`git fsck` tells whether the repository is whole")
    return said.out.split(b"\0")[:-1]


def _survey(reader: Reader) -> _Files:
    """All files that the search covers, and their bytes."""
    tracked: dict[str, None] = {}
    counts = dict.fromkeys((_SUBMODULES, _SPARSE, _LINKS, _UNREADABLE), 0)
    for row in _listed(reader, "ls-files", "-s", "-t", "-z"):
        head, _, path = row.partition(b"\t")
        tag, mode, _, _ = head.split(b" ")
        if mode == _SUBMODULE:
            counts[_SUBMODULES] += 1
        elif tag == b"S":
            counts[_SPARSE] += 1
        elif mode == _LINK:
            counts[_LINKS] += 1
        else:
            # A conflict has a row for each side.
            tracked[os.fsdecode(path)] = None
    others = [os.fsdecode(path) for path in _listed(reader, "ls-files", "-o", "--exclude-standard", "-z")]
    # Another repository inside of this one is listed as a folder.
    counts[_SUBMODULES] += sum(path.endswith("/") for path in others)
    untracked = [path for path in others if not path.endswith("/")]
    size, top, user = 0, reader.place.top, os.geteuid()
    for file in (*tracked, *untracked):
        try:
            status = os.lstat(f"{top}/{file}")
        except OSError:
            continue
        if not stat.S_ISREG(status.st_mode):
            continue
        if (status.st_uid != user or not status.st_mode & stat.S_IRUSR) and not os.access(f"{top}/{file}", os.R_OK):
            counts[_UNREADABLE] += 1
        size += status.st_size
    return _Files(list(tracked), untracked, size, counts)


def _changed(reader: Reader) -> list[str]:
    """Tracked files whose version at HEAD is not the one in the work tree."""
    if not reader.place.commit:
        return []
    options = ("--no-renames", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "--diff-filter=DMTU")
    return list(dict.fromkeys(os.fsdecode(path) for path in _listed(reader, "diff", "--name-only", "-z", *options, "HEAD")))


def _bare(reader: Reader, forms: Sequence[str], most: int) -> Tree:
    """A repository without a work tree: HEAD alone."""
    if not reader.place.commit:
        return Tree([], [], 0, 0, 0, 0, full=False, unsearched=())
    expression = variants.pattern(forms)
    out, full = _grep(reader, forms, most, "HEAD")
    found = places.read(out, expression, prefix=b"HEAD:")
    tracked: list[str] = []
    size, counts = 0, {_SUBMODULES: 0, _LINKS: 0}
    for row in _listed(reader, "ls-tree", "-r", "-l", "-z", "HEAD"):
        facts, _, name = row.partition(b"\t")
        mode, _, _, length = facts.split()
        if mode in (_SUBMODULE, _LINK):
            counts[_SUBMODULES if mode == _SUBMODULE else _LINKS] += 1
        else:
            tracked.append(os.fsdecode(name))
            size += int(length)
    named, partly = places.in_names(tracked, expression)
    files = _Files(tracked, [], size, counts)
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
