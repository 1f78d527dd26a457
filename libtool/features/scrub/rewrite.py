"""Put new content in the place of a foreign file: as a whole, with its mode and times, and never over something that changed meanwhile."""

from __future__ import annotations

import contextlib
import os
import stat
from typing import TYPE_CHECKING, NamedTuple

from libtool.storage import files

if TYPE_CHECKING:
    from collections.abc import Callable


class LeftAlone(Exception):  # noqa: N818 - what was decided, not a failure
    """A file stays as it is; says why."""


CHANGED = "it changed while lib was at work"


class Original(NamedTuple):
    """A file as it was read."""

    path: str
    """With links resolved."""
    data: bytes
    status: os.stat_result


def refusal(path: str) -> str:
    """Why a file is never rewritten, whatever it holds; '' for an ordinary file of this user. `path` has its links resolved."""
    try:
        return _refusal(os.lstat(path))
    except OSError as error:
        return told(error)


def read(path: str) -> Original:
    """The file's content; raises LeftAlone for what may not be rewritten."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            data = b"" if _refusal(status) else file.read()
    except OSError as error:
        raise LeftAlone(told(error)) from error
    if reason := _refusal(status):
        raise LeftAlone(reason)
    if len(data) != status.st_size:
        raise LeftAlone(CHANGED)
    return Original(path, data, status)


def content(path: str) -> bytes:
    """What a file holds, also of one that may not be rewritten; raises LeftAlone when it cannot be read."""
    try:
        with open(path, "rb", opener=_without_links) as file:
            return file.read()
    except OSError as error:
        raise LeftAlone(told(error)) from error


def is_same(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether two looks at a file saw the same, as far as that can be told without reading it."""
    return (one.st_dev, one.st_ino, one.st_size, one.st_mtime_ns) == (other.st_dev, other.st_ino, other.st_size, other.st_mtime_ns)


def replace(original: Original, new: bytes, may_go: Callable[[], None]) -> None:
    """Put `new` in its place. `may_go` is called when all is written, and raises LeftAlone to stop; so does a change of the file.

    Raises OSError when the disk fails; in every case of failure the file is as it was.
    """
    path, status = original.path, original.status
    with open(path, "rb", opener=_without_links) as old:
        with files.replacing(path, mode=stat.S_IMODE(status.st_mode)) as out:
            out.write(new)
            out.flush()
            os.fsync(out.fileno())
            with contextlib.suppress(OSError):
                os.fchown(out.fileno(), status.st_uid, status.st_gid)
                # A change of the owner may take bits of the mode away.
                os.fchmod(out.fileno(), stat.S_IMODE(status.st_mode))
            os.utime(out.fileno(), ns=(status.st_atime_ns, status.st_mtime_ns))
            may_go()
            if not is_same(os.lstat(path), status):
                raise LeftAlone(CHANGED)
        # What an agent that woke up wrote in the last moment went to the old file.
        old.seek(status.st_size)
        if late := old.read():
            with open(path, "ab") as file:
                file.write(late)


def _without_links(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)


def _refusal(status: os.stat_result) -> str:
    if not stat.S_ISREG(status.st_mode):
        return "no regular file"
    if status.st_nlink > 1:
        return "it has several names (hard links): the others would keep the logins"
    if status.st_uid != os.geteuid():
        return "it belongs to another user"
    if not status.st_mode & stat.S_IWUSR:
        return "it is read-only"
    return ""


def told(error: Exception) -> str:
    """Why a file cannot be read, in the system's words or those of who tried."""
    return (error.strerror or "cannot be read").lower() if isinstance(error, OSError) else str(error)
