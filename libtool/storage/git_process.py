"""A git process that runs while we go on: started without Python's subprocess module, which costs a git hook 14 ms.

Source: POSIX posix_spawn; the signals that Python ignores are git's own to handle again.
"""

from __future__ import annotations

import contextlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_GIVEN = 4096
"""Bytes that a pipe takes at once on any system, so that giving them never waits for the process."""
_PIECE = 1 << 20
_RESTORED = (13, 25)
"""SIGPIPE and SIGXFSZ, on Linux and macOS alike: importing signal for their names takes longer than starting git."""


class Process:
    """A command and pipes to and from it. What it is given at once is at most MOST_GIVEN bytes. Raises OSError."""

    def __init__(self, command: list[str], environ: Mapping[str, str], given: bytes = b"") -> None:
        ends = [*os.pipe(), *os.pipe(), *os.pipe()]
        theirs, mine = (ends[0], ends[3], ends[5]), (ends[1], ends[2], ends[4])
        try:
            os.write(mine[0], given)
            actions = [(os.POSIX_SPAWN_DUP2, end, standard) for standard, end in enumerate(theirs)]
            self._pid = os.posix_spawn(command[0], command, environ, file_actions=actions, setsigdef=_RESTORED)
        except OSError:
            for end in mine:
                os.close(end)
            raise
        finally:
            for end in theirs:
                os.close(end)
        self._in, self._out, self._err = mine

    def give(self, more: bytes) -> None:
        """Write more to its stdin; it may have ended by now."""
        with contextlib.suppress(BrokenPipeError):
            os.write(self._in, more)

    def end(self) -> tuple[int, bytes, bytes]:
        """Close its stdin and wait for its end: exit code (minus the signal that ended it), stdout, stderr."""
        import select  # noqa: PLC0415 - for what waits only

        os.close(self._in)
        said: dict[int, list[bytes]] = {self._out: [], self._err: []}
        waited = set(said)
        try:
            while waited:
                for end in select.select(waited, (), ())[0]:
                    piece = os.read(end, _PIECE)
                    said[end].append(piece)
                    if not piece:
                        waited.discard(end)
        finally:
            os.close(self._out)
            os.close(self._err)
            code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return code, b"".join(said[self._out]), b"".join(said[self._err])
