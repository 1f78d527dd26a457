"""Whether the search db holds the library as it lies there now. On the path of every search: a stat of each entry, no git, no import."""

from __future__ import annotations

import time
import zlib

from libtool.storage import library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

GRAIN_NS = 2_000_000_000
"""The coarsest grain of a file system's times: a file that changed less than this before it was read may change again unseen."""
LOOK_SECONDS = 0.1
"""What looking through the library may take: twenty thousand entries on a local disk."""


class Lag:
    """How the library differs from what was taken in of it."""

    __slots__ = ("changed", "found", "gone", "settled", "sure", "whole")

    def __init__(self, found: Mapping[str, tuple[str, int]], *, whole: bool) -> None:
        self.found = found
        """What `storage.library.listing` told."""
        self.whole = whole
        """Whether all of the library was looked at."""
        self.sure = whole
        """Whether that is all that differs: all was looked at, or the library's git stands where it stood."""
        self.changed: list[str] = []
        """Names of new and changed files, the youngest first."""
        self.gone: list[str] = []
        self.settled: list[str] = []
        """Files that are the same, and that their stamp can vouch for from now on."""

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone or self.settled)

    def entries(self) -> int:
        """How many entries an answer may be wrong about; -1 when that is not known."""
        return sum(name.startswith(library.ENTRIES) for name in (*self.changed, *self.gone)) if self.sure else -1


def look(path: str, taken: Mapping[str, tuple[str, bool, int]], mark: Callable[[], str], *, seconds: float = LOOK_SECONDS) -> Lag:
    """Compare the library at `path` with what was `taken` in: (stamp, whether that vouches for it, checksum) by name.

    An edit in place moves neither HEAD nor the staging area, so each entry is asked for its stamp. Where that takes too long the
    watermark of git (what `mark` gives, from when all was taken in) decides.
    """
    found, whole = library.listing(path, seconds)
    lag = Lag(found, whole=whole)
    if not found and not taken:
        return lag
    now = time.time_ns()
    changed: list[tuple[int, str]] = []
    for name, (stamp, time_ns) in found.items():
        known = taken.get(name)
        if known is None or known[0] != stamp:
            changed.append((time_ns, name))
        elif not known[1]:
            data = library.content(path, name)
            if data is None or zlib.crc32(data) != known[2]:
                changed.append((time_ns, name))
            elif now - time_ns > GRAIN_NS:
                lag.settled.append(name)
    lag.changed = [name for _, name in sorted(changed, reverse=True)]
    if whole:
        lag.gone = [name for name in taken if name not in found]
    else:
        from libtool.storage import watermark  # noqa: PLC0415 - rare

        lag.sure = mark() == watermark.of(path)
    return lag
