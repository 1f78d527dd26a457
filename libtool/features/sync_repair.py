"""What a killed sync may leave in the work tree, told from what a person wrote."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING

from libtool.storage import files
from libtool.storage.work_tree import changed_paths

if TYPE_CHECKING:
    from libtool.storage.repo_merge import Blobs
    from libtool.storage.work_tree import Version


def drop_half_written(top: str, blobs: Blobs, old: Version, new: Version) -> list[bytes]:
    """Remove files that hold the beginning of their new version or the whole of it, and dead processes' temporary files; the paths removed.

    Nothing is lost: the new version holds them, and is written next. A file that holds anything else is a person's, and stays.
    """
    removed = []
    folder = os.fsencode(top)
    for path in changed_paths(old.files, new.files):
        file = new.files.get(path)
        target = os.path.join(folder, path)
        files.sweep(os.fsdecode(os.path.dirname(target)))
        if file is None or not stat.S_ISREG(file[0]):
            continue
        content = _content(target)
        if content is not None and blobs.read(file[1]).startswith(content) and not _is(content, old, path, blobs):
            with contextlib.suppress(OSError):
                os.unlink(target)
                removed.append(path)
    return removed


def _content(path: bytes) -> bytes | None:
    """What a regular file holds, or None."""
    with contextlib.suppress(OSError):
        if stat.S_ISREG(os.lstat(path).st_mode):
            with open(path, "rb") as file:
                return file.read()
    return None


def _is(content: bytes, version: Version, path: bytes, blobs: Blobs) -> bool:
    """Whether that is what the version has at the path: the file was not touched yet."""
    file = version.files.get(path)
    return file is not None and stat.S_ISREG(file[0]) and blobs.read(file[1]) == content
