"""A piece of work in a process of its own: no parent, no terminal, none of our caller's pipes, no zombie."""

from __future__ import annotations

import os
import signal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

MOST_FILES = 256
NICENESS = 5
"""The person's own programs go first."""


def start(work: Callable[[], object]) -> None:
    """Have `work` done by a grandchild, and return as soon as it is on its own. Raises OSError when no process can be made.

    The child in between ends at once, so that the grandchild belongs to init; a session of its own keeps it from what ends our caller's
    process group; without its pipes our caller does not wait for their end.
    """
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        return
    try:
        os.setsid()
        if not os.fork():
            _let_go()
            work()
    finally:
        # Nothing of what our caller registered may run twice.
        os._exit(0)


def _let_go() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    os.closerange(3, MOST_FILES)
    os.nice(NICENESS)
    os.umask(0o077)
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE):
        signal.signal(one, signal.SIG_IGN if one == signal.SIGHUP else signal.SIG_DFL)
