"""The files of a folder of entries as they lie in the work tree, the odd ones too."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from libtool.domain.entry import is_topic
from libtool.domain.schema import ENTRIES, LIBRARY_MARK, READ_LIMIT
from libtool.errors import LibraryNotFound
from libtool.storage.files import SUFFIX

UNSAID = frozenset({".gitkeep", ".gitignore", ".gitattributes"})
"""What git itself wants in a folder."""


class EntryFile(NamedTuple):
    """One file: its path, its bytes (b'' when it was not read), and the code of `codes.CODES` of why it was not read."""

    path: str
    data: bytes
    code: str = ""
    about: str = ""

    @property
    def name(self) -> str:
        """The file name without `.md`."""
        return os.path.basename(self.path).removesuffix(".md")


def required(library: str) -> str:
    """`library` when it is one, with entries or still without; raises LibraryNotFound."""
    if not (os.path.isdir(os.path.join(library, ENTRIES)) or os.path.exists(os.path.join(library, LIBRARY_MARK))):
        raise LibraryNotFound(f"there is no library in {library}", hint="`lib init` makes one; LIB_LIBRARY names another folder")
    return library


def all_in(folder: str) -> list[str]:
    """The paths in a folder of entries, sorted, whatever they are; none when it is not there. Raises OSError when it cannot be listed."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    return [os.path.join(folder, name) for name in sorted(names) if not is_unsaid(name)]


def is_unsaid(name: str) -> bool:
    """Whether a plain file of this name among the entries is none, and nothing is said of it: git's own, or left by a killed process."""
    return name in UNSAID or name.endswith(SUFFIX)


def read(path: str) -> EntryFile:
    """The file, or why it cannot be an entry. Never follows a link, never waits for a pipe, never raises OSError."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        if os.path.islink(path):
            return EntryFile(path, b"", "E102", "a symbolic link")
        return EntryFile(path, b"", "E105", error.strerror or "")
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        return EntryFile(path, b"", "E102", "a folder" if stat.S_ISDIR(status.st_mode) else "")
    with os.fdopen(descriptor, "rb") as file:
        if not path.endswith(".md"):
            return EntryFile(path, b"", "E101", "not `.md`")
        if status.st_size > READ_LIMIT:
            return EntryFile(path, b"", "E104", f"{status.st_size:,} bytes")
        return EntryFile(path, file.read(READ_LIMIT))


def contents(library: str) -> dict[str, bytes]:
    """The bytes of each entry by topic; what cannot be one is left out. Raises LibraryNotFound."""
    found = {}
    for path in all_in(os.path.join(required(library), ENTRIES)):
        topic = os.path.basename(path)[:-3]
        if path.endswith(".md") and is_topic(topic) and not (one := read(path)).code:
            found[topic] = one.data
    return found


def topics_in(folder: str) -> frozenset[str]:
    """The topics that a folder of entries has."""
    return frozenset(topic for path in all_in(folder) if path.endswith(".md") and is_topic(topic := os.path.basename(path)[:-3]))
