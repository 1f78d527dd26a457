"""Reads of a library's work tree, which is what an agent reads: no git, no link followed, nothing of any size.

On the path of every search, so it imports almost nothing.
"""

from __future__ import annotations

import os
import stat
import time

from libtool.config import SLUG
from libtool.domain.schema import READ_LIMIT
from libtool.errors import LibError, LibraryNotFound

ENTRIES, MACHINES = "entries", "machines"
_RECORD = 16 * 1024
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")
_LONGEST_TOPIC = 80
_LOOK_AT_CLOCK = 256
"""Files between two looks at the clock."""


def is_library(path: str) -> bool:
    """Whether a folder holds a folder of entries."""
    return _is_folder(os.path.join(path, ENTRIES))


def required(path: str) -> str:
    """`path` when it is a library; raises LibraryNotFound."""
    if not is_library(path):
        raise LibraryNotFound(f"there is no library in {path}", hint="`lib init` makes one; LIB_LIBRARY names another folder")
    return path


def topics(library: str) -> list[str]:
    """The topics that have an entry, sorted. Raises LibraryNotFound."""
    names, _ = listing(required(library))
    return sorted(topic_of(name) for name in names if name.startswith(ENTRIES))


def topic_of(name: str) -> str:
    """The topic of `entries/<topic>.md`, the machine of `machines/<name>.json`."""
    return name[name.index("/") + 1 : name.rindex(".")]


def is_topic(text: str) -> bool:
    """Whether a text can name an entry. The rule of domain.entry, for those who must not load it."""
    return 0 < len(text) <= _LONGEST_TOPIC and _LETTERS.issuperset(text) and "-" not in (text[0], text[-1]) and "--" not in text


def _is_machine(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_TOPIC and SLUG.issuperset(text) and text[0] != "."


def read(library: str, topic: str) -> bytes:
    """The bytes of an entry, at most READ_LIMIT of them. Raises LibraryNotFound, LibError where there is no such entry."""
    required(library)
    data = content(library, f"{ENTRIES}/{topic}.md") if is_topic(topic) else None
    if data is None:
        raise LibError(f"no such entry: {topic[:80]}", hint="`lib topics` lists them")
    return data


def content(library: str, name: str) -> bytes | None:
    """The bytes of a file that `listing` names, at most so many as are ever looked at; None when it is gone or no plain file."""
    try:
        descriptor = os.open(os.path.join(library, name), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                return file.read(READ_LIMIT if name.startswith(ENTRIES) else _RECORD)
        finally:
            os.close(descriptor)
    except OSError:
        return None


def listing(library: str, seconds: float = 60.0) -> tuple[dict[str, tuple[str, int]], bool]:
    """({name: (stamp, when it last changed in ns)}, whether all were looked at within `seconds`) of entries and machine records.

    A name is `entries/<topic>.md` or `machines/<name>.json`; links, folders and names that no entry may have are left out. A stamp
    changes when the file does, unless that happens within the file system's grain of time.
    """
    found: dict[str, tuple[str, int]] = {}
    until = time.monotonic() + seconds
    for folder, ending, may_be in ((ENTRIES, ".md", is_topic), (MACHINES, ".json", _is_machine)):
        place = os.path.join(library, folder)
        if not _is_folder(place):
            continue
        try:
            with os.scandir(place) as rows:
                for number, row in enumerate(rows):
                    if number % _LOOK_AT_CLOCK == _LOOK_AT_CLOCK - 1 and time.monotonic() > until:
                        return found, False
                    if row.name.endswith(ending) and may_be(row.name[: -len(ending)]) and (known := _known(row)):
                        found[f"{folder}/{row.name}"] = known
        except OSError:
            # What cannot be listed is as if it were not there: an agent cannot read it either.
            continue
    return found, True


def _known(row: os.DirEntry[str]) -> tuple[str, int] | None:
    """(stamp, when it last changed in ns) of a plain file; None for anything else."""
    try:
        status = row.stat(follow_symlinks=False)
    except OSError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    stamp = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
    return stamp, max(status.st_mtime_ns, status.st_ctime_ns)


def _is_folder(path: str) -> bool:
    """Whether a path is a folder itself, not a link to one."""
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
