"""What an unexpected exception leaves: a log file that can be sent to a stranger.

It holds types, names of modules and functions, and line numbers: no message, no value, no argument, since those may quote a transcript.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING

from libtool import __version__
from libtool.errors import LibError
from libtool.storage import files

if TYPE_CHECKING:
    from collections.abc import Iterator

KEEP = 20
"""How many crash logs stay."""


class UnexpectedError(LibError):
    """An exception that nobody expected."""

    exit_code = 3
    meaning = "a bug: a log file without private text was written, its path is printed"


def record(error: BaseException, folder: str, command: str) -> str:
    """Write the log of `error` into `folder` and return its path; raises OSError. `command` is a name of our table."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    path = os.path.join(folder, f"crash-{stamp}-{os.getpid()}.log")
    lines = [f"lib {__version__}", f"python {sys.version.split()[0]} on {sys.platform}", f"command {command}", ""]
    files.write(path, "\n".join([*lines, *described(error), ""]).encode("utf-8", "backslashreplace"))
    _drop_old(folder)
    return path


def described(error: BaseException) -> Iterator[str]:
    """The lines of the log: each exception of the chain, the last one first, with its frames, the innermost last."""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        yield name_of(link)
        trace = link.__traceback__
        while trace is not None:
            # The module, not the file: the folders above a file may name the user.
            module = trace.tb_frame.f_globals.get("__name__", "?")
            yield f"  {module}:{trace.tb_lineno} in {trace.tb_frame.f_code.co_name}"
            trace = trace.tb_next
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)


def name_of(error: BaseException) -> str:
    """The type, and for an error of the system its meaning: that text is the system's own."""
    name = type(error).__name__
    return f"{name} ({os.strerror(error.errno)})" if isinstance(error, OSError) and error.errno else name


def _drop_old(folder: str) -> None:
    """Keep the newest KEEP logs: the stamps in their names sort by time."""
    logs = sorted(name for name in os.listdir(folder) if name.startswith("crash-"))
    for name in logs[:-KEEP]:
        with contextlib.suppress(OSError):
            os.unlink(os.path.join(folder, name))
