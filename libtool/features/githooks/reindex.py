"""Reindexing in the background: whoever wants it leaves a mark and starts a process; the first of them does the work for all.

Git never waits for it. The mark is taken away before the work begins, so that what changes during it leaves a new one.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time

from libtool.storage.git import unbound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MARK = "lib-reindex"
"""In the git folder: the library has changed since the search db was last told."""
LOCK = "lib-reindex.lock"
FRESH_SECONDS = 60.0
"""A mark older than this was left for a process that has died."""
SETTLE_SECONDS = 0.2
"""A rebase makes many commits in a row: once for all of them is enough."""
BOOT = "from libtool.hooks.git import program; program()"


def ask(common_dir: str, environ: Mapping[str, str]) -> bool:
    """Leave the mark, and start the background process unless one is about to begin; whether it was started."""
    import subprocess  # noqa: PLC0415 - the hooks that get here have it

    mark = os.path.join(common_dir, MARK)
    with contextlib.suppress(OSError):
        if time.time() - os.stat(mark).st_mtime < FRESH_SECONDS:
            return False
    with contextlib.suppress(OSError), open(mark, "wb"):
        pass
    subprocess.Popen(  # noqa: S603
        [sys.executable, "-P", "-c", BOOT, "reindex", common_dir],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=unbound(environ),
    )
    return True


def run(common_dir: str, work: Callable[[], object]) -> int:
    """Do `work` until no mark is left, unless another process does; how often it was done."""
    import filelock

    mark = os.path.join(common_dir, MARK)
    times = 0
    # Looked at again after the lock is free: a mark that came in between would be nobody's.
    while os.path.exists(mark):
        lock = filelock.FileLock(os.path.join(common_dir, LOCK), mode=0o600)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            return times
        try:
            while os.path.exists(mark):
                time.sleep(SETTLE_SECONDS)
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(mark)
                work()
                times += 1
        finally:
            lock.release()
    return times
