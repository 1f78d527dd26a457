"""The one lock that every writer of store, search db and library holds.

A flock on `Config.lock_file`: freed by the kernel when its holder dies, so nothing stale is ever left. The file itself is never removed:
unlinking a held lock file gives two holders. Who holds it is told by a note beside it.
"""

from __future__ import annotations

import contextlib
import errno
import os
import time
from typing import TYPE_CHECKING

from libtool.errors import Locked
from libtool.storage import files

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from libtool.config import Config

POLL_SECONDS = 0.02
QUIET_SECONDS = 1.0
"""A shorter wait is not worth a word."""


@contextlib.contextmanager
def writer_lock(config: Config, timeout: float, *, task: str = "lib", waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Hold the writer's lock; wait at most `timeout` seconds for it, then raise Locked, which names the holder.

    `task` is what the holder tells others about itself, such as `lib index`. `waiting` is told who holds it when the wait takes longer
    than QUIET_SECONDS. Not reentrant.
    """
    import filelock

    files.ensure_folder(config.data_dir)
    # Every call makes its own instance: a shared one would let a second caller of this process in.
    lock = filelock.FileLock(config.lock_file, mode=files.FILE_MODE, poll_interval=POLL_SECONDS)
    note = config.lock_file + ".holder"
    try:
        try:
            lock.acquire(timeout=min(timeout, QUIET_SECONDS))
        except filelock.Timeout:
            if timeout <= QUIET_SECONDS:
                raise
            if waiting is not None:
                waiting(f"waiting for {holder(note)}")
            lock.acquire(timeout=timeout - QUIET_SECONDS)
    except filelock.Timeout:
        raise Locked(f"{holder(note)} holds {config.lock_file}", hint="wait until it has ended, then run the command again") from None
    try:
        _tell(note, task)
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(note)
        lock.release()


def _tell(note: str, task: str) -> None:
    """Say beside the lock who holds it; a full disk, where this may be what makes room, goes without."""
    try:
        files.write(note, f"{os.getpid()}\n{task}\n{time.strftime('%Y-%m-%dT%H:%M:%SZ', time.gmtime())}\n".encode())
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise


def holder(note: str) -> str:
    """Who holds the lock, for a message: from the note beside the lock file, when it is there, whole and of a live process."""
    try:
        with open(note, encoding="utf-8") as file:
            process, task, since = file.read(1000).splitlines()
        running = files.is_running(int(process))
    except (OSError, ValueError):
        running = False
    return f"`{task}` (process {process}, since {since})" if running else "another lib process"
