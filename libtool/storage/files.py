"""Atomic writes of our own files: what is read is the old content or the new, never a part, whatever kills us between.

A write goes to a temporary file in the same folder, is synced, and is renamed over the old file. Its name holds the process id, so that
`sweep` can tell the leftovers of a killed process from the work of a live one.
"""

from __future__ import annotations

import contextlib
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

FILE_MODE = 0o600
FOLDER_MODE = 0o700
SUFFIX = ".lib-tmp"


def ensure_folder(path: str) -> None:
    """Make the folder and those above it, each new one private to the user; raises OSError."""
    if path and not os.path.isdir(path):
        ensure_folder(os.path.dirname(path))
        # Another process may have been faster.
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, FOLDER_MODE)


def write(path: str, content: bytes, *, mode: int | None = None, lasting: bool = True) -> None:
    """Put `content` at `path` as a whole; see `replacing`."""
    with replacing(path, mode=mode, lasting=lasting) as file:
        file.write(content)


@contextlib.contextmanager
def replacing(path: str, *, mode: int | None = None, lasting: bool = True) -> Iterator[BinaryIO]:
    """A file to write the new content of `path` to, put there as a whole at the end; an exception, OSError too, leaves the old file.

    The mode is the given one, else the old file's, else 0600. A symbolic link stays one: its target is written. Missing folders are made.
    What need not be `lasting` is not waited for until it is on the disk: after a power failure the file may be empty.
    """
    target = os.path.realpath(path)
    folder, name = os.path.split(target)
    ensure_folder(folder)
    if mode is None:
        mode = _mode_of(target)
    temporary = os.path.join(folder, f".{name[:100]}.{os.getpid()}.{os.urandom(4).hex()}{SUFFIX}")
    # O_EXCL: never through a link that somebody planted.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(descriptor, mode)
            yield file
            file.flush()
            if lasting:
                os.fsync(descriptor)
        os.replace(temporary, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if lasting:
        _sync_folder(folder)


def sweep(folder: str) -> list[str]:
    """Remove what killed writes left in `folder` (not below it); returns the paths removed. A missing folder holds nothing."""
    removed = []
    for path, process in _leftovers(folder):
        if not is_running(process):
            with contextlib.suppress(OSError):
                _remove(path)
                removed.append(path)
    return removed


@contextlib.contextmanager
def scratch(folder: str, name: str) -> Iterator[str]:
    """A private folder in `folder`, for as long as the block runs; what killed runs left is swept first. Raises OSError."""
    import tempfile  # noqa: PLC0415 - not on the way of a search

    ensure_folder(folder)
    sweep(folder)
    path = tempfile.mkdtemp(prefix=f".{name}.{os.getpid()}.", suffix=SUFFIX, dir=folder)
    try:
        yield path
    finally:
        with contextlib.suppress(OSError):
            _remove(path)


def _remove(path: str) -> None:
    """Remove a file, or a folder with all that is in it; raises OSError."""
    if os.path.isdir(path) and not os.path.islink(path):
        import shutil  # noqa: PLC0415 - not on the way of a search

        shutil.rmtree(path)
    else:
        os.unlink(path)


def is_running(process: int) -> bool:
    """Whether a process with this id exists (another user's counts too)."""
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _leftovers(folder: str) -> Iterator[tuple[str, int]]:
    """(path, id of the process that wrote it) of each temporary file."""
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return
    for name in names:
        parts = name.removesuffix(SUFFIX).rsplit(".", 2)
        if name.startswith(".") and name.endswith(SUFFIX) and len(parts) == 3 and parts[1].isdecimal() and int(parts[1]) > 0:
            yield os.path.join(folder, name), int(parts[1])


def _mode_of(path: str) -> int:
    """The permission bits of the file, or those of a new one."""
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return FILE_MODE


def _sync_folder(folder: str) -> None:
    """Make the rename itself durable. Some file systems refuse: the content is whole all the same."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
