"""The tree part: tracked files as they lie in the work tree, untracked ones, those at HEAD that differ, and the names of all of them."""

from __future__ import annotations

import os
import stat
import threading
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import variants
from libtool.errors import Unproved
from libtool.features.absent import places

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from libtool.features.absent.places import Place
    from libtool.storage.git_read import Reader

ENGINES = ("-P", "-E")
"""Perl's expressions are found five times as fast as extended ones, but not every git knows them."""
MOST_OUTPUT = (4 << 20, 64 << 20)
"""Bytes of lines found that are looked at: by then the name is anything but absent. When only longer words hold it, more is looked at."""
SECONDS = 120.0
_OUTSIDE_SECONDS = 20.0
_MOST_NAMED = 500
"""Changed or untracked files that are named to git; with more all of HEAD, or of the work tree, is searched a second time."""
_MOST_LISTED = 1 << 30
_SUBMODULES, _SPARSE, _LINKS = "submodules", "files outside the sparse checkout", "targets of symbolic links"
_UNREADABLE = "files that cannot be read"
_HIDDEN = "files that git is told to take for unchanged"
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
    hidden: list[str]
    """Those of `tracked` that lie in the work tree, while git takes their content from the index."""
    named: list[str]
    """What else has a name: links, submodules, other repositories, files that are not checked out."""
    size: int
    unsearched: dict[str, int]
    """How many there are of what is not searched."""


class _Differing(NamedTuple):
    """Tracked files that are not everywhere the same."""

    changed: list[str]
    """Those whose version at HEAD is not the one in the work tree."""
    staged: list[str]
    """Those that are staged in a version that is neither."""


def search(reader: Reader, names: Sequence[str]) -> Tree:
    """Look for the names everywhere in the repository. Raises Unproved when git cannot do it, or when there is too much to tell."""
    for most in MOST_OUTPUT:
        found = (_bare if reader.place.bare else _checked_out)(reader, names, most)
        if found.places or not found.full:
            return found
    raise Unproved("longer words hold this name too often to tell whether it is there by itself", hint="name more of it")


def _checked_out(reader: Reader, names: Sequence[str], most: int) -> Tree:
    files, (out, full) = _both(lambda: _survey(reader), lambda: _grep(reader, names, most))
    pattern = variants.pattern(names)
    found = [places.read(out, pattern)]
    changed, staged = _differing(reader)
    # With --untracked alone git would pass over tracked files that are ignored. Untracked links are followed by nobody.
    for there, options, prefix in (
        (files.untracked, ("--untracked",), b""),
        (files.hidden, ("--untracked", "--no-exclude-standard"), b""),
        (staged, ("--cached",), b":"),
        (changed, ("HEAD",), b"HEAD:"),
    ):
        if there:
            out, more = _grep(reader, names, most, *options, "--", *(there if len(there) <= _MOST_NAMED else ()))
            found.append(places.read(out, pattern, prefix=prefix))
            full = full or more
    if files.unsearched[_SPARSE] and (outside := _outside(reader, names, most)) is not None:
        found.append(places.read(outside, pattern, prefix=b"HEAD:"))
        files.unsearched[_SPARSE] = 0
    named, partly = places.in_names(dict.fromkeys([*files.tracked, *files.untracked, *files.named, *changed]), pattern)
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


def _outside(reader: Reader, names: Sequence[str], most: int) -> bytes | None:
    """What HEAD has of the names, for files that are not checked out; None where their content is not here, or there is too much of it."""
    try:
        out, full = _grep(reader, names, most, "HEAD", seconds=_OUTSIDE_SECONDS)
    except Unproved:
        return None
    return None if full else out


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
    """HEAD's or the staged version of a line that is in the work tree too is told once."""
    here = {(place.path, place.text) for place in found if not (place.at_head or place.staged)}
    return [place for place in found if not ((place.at_head or place.staged) and (place.path, place.text) in here)]


def _unsearched(files: _Files, pointers: int) -> tuple[str, ...]:
    told = {**files.unsearched, "files in git LFS that are not here": pointers}
    return (*(f"{count} {what}" for what, count in told.items() if count), "ignored files", "inside archives, images and UTF-16 text")


def _grep(reader: Reader, names: Sequence[str], most: int, *where: str, seconds: float = SECONDS) -> tuple[bytes, bool]:
    """(what was found, whether there is more)."""
    wanted = ("-e", places.LFS_POINTER.decode().replace(".", r"\."), "-e", variants.expression(names))
    for engine in ENGINES:
        said = reader.run(*places.GREP, engine, *wanted, *where, seconds=seconds, most=most)
        if said.late:
            raise Unproved(f"the search was not done after {seconds:.0f} seconds", hint="--repo names a smaller repository")
        if said.code in (0, 1) or said.full:
            return said.out, said.full
    raise Unproved(f"git grep failed with exit code {said.code}", hint="`git fsck` tells whether the repository is whole")


def _listed(reader: Reader, *args: str) -> list[bytes]:
    """The NUL-ended rows of a git command, all of them or Unproved: what is not listed would not be searched."""
    said = reader.run(*args, seconds=SECONDS, most=_MOST_LISTED)
    if said.code or said.late or said.full:
        raise Unproved(f"git {args[0]} failed with exit code {said.code}", hint="`git fsck` tells whether the repository is whole")
    return said.out.split(b"\0")[:-1]


def _survey(reader: Reader) -> _Files:
    """All files that the search covers, and their bytes."""
    tracked: dict[str, None] = {}
    hidden: dict[str, None] = {}
    named: dict[str, None] = {}
    counts = dict.fromkeys((_SUBMODULES, _SPARSE, _LINKS, _UNREADABLE, _HIDDEN), 0)
    top = reader.place.top
    for row in _listed(reader, "ls-files", "-s", "-v", "-z"):
        head, _, name = row.partition(b"\t")
        tag, mode, _, _ = head.split(b" ")
        path = os.fsdecode(name)
        special = {_SUBMODULE: _SUBMODULES, _LINK: _LINKS}.get(mode, "")
        # A lower-case tag: told to be unchanged, S: told to be not checked out. A conflict has a row for each side.
        aside = not special and (tag.islower() or tag == b"S")
        if special or (aside and not os.path.isfile(f"{top}/{path}")):
            counts[special or _SPARSE] += 1
            named[path] = None
            continue
        tracked[path] = None
        if aside:
            hidden[path] = None
    others = [os.fsdecode(path) for path in _listed(reader, "ls-files", "-o", "--exclude-standard", "-z")]
    # Another repository inside of this one is listed as a folder.
    inner = [path for path in others if path.endswith("/")]
    counts[_SUBMODULES] += len(inner)
    untracked = [path for path in others if not path.endswith("/")]
    if len(hidden) > _MOST_NAMED:
        counts[_HIDDEN] = len(hidden)
        hidden = {}
    size, user = 0, os.geteuid()
    for file in (*tracked, *untracked):
        try:
            status = os.lstat(f"{top}/{file}")
        except PermissionError:
            counts[_UNREADABLE] += 1
            continue
        except OSError:
            continue
        counts[_LINKS] += stat.S_ISLNK(status.st_mode)
        if not stat.S_ISREG(status.st_mode):
            continue
        if (status.st_uid != user or not status.st_mode & stat.S_IRUSR) and not os.access(f"{top}/{file}", os.R_OK):
            counts[_UNREADABLE] += 1
        size += status.st_size
    return _Files(list(tracked), untracked, list(hidden), [*named, *inner], size, counts)


def _differing(reader: Reader) -> _Differing:
    options = ("--porcelain=v1", "-z", "--no-renames", "--untracked-files=no", "--ignore-submodules=all")
    changed, staged = [], []
    for row in _listed(reader, "status", *options):
        index, tree, path = row[:1], row[1:2], os.fsdecode(row[3:])
        if index != b"A" or tree in (b"A", b"U"):
            changed.append(path)
        if index not in (b" ", b"D") and tree != b" ":
            staged.append(path)
    return _Differing(changed if reader.place.commit else [], staged)


def _bare(reader: Reader, names: Sequence[str], most: int) -> Tree:
    """A repository without a work tree: HEAD alone."""
    if not reader.place.commit:
        return Tree([], [], 0, 0, 0, 0, full=False, unsearched=())
    pattern = variants.pattern(names)
    out, full = _grep(reader, names, most, "HEAD")
    found = places.read(out, pattern, prefix=b"HEAD:")
    tracked: list[str] = []
    others: list[str] = []
    size, counts = 0, {_SUBMODULES: 0, _LINKS: 0}
    for row in _listed(reader, "ls-tree", "-r", "-l", "-z", "HEAD"):
        facts, _, name = row.partition(b"\t")
        mode, _, _, length = facts.split()
        if mode in (_SUBMODULE, _LINK):
            counts[_SUBMODULES if mode == _SUBMODULE else _LINKS] += 1
            others.append(os.fsdecode(name))
        else:
            tracked.append(os.fsdecode(name))
            size += int(length)
    named, partly = places.in_names([*tracked, *others], pattern)
    files = _Files(tracked, [], [], others, size, counts)
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
