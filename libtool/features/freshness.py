"""Whether the search db holds the library as it lies there now. On the path of every search: a stat of each entry, no git, no import."""

from __future__ import annotations

import time
import zlib

from libtool.storage import library, watermark

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

GRAIN_NS = 2_000_000_000
"""The coarsest grain of a file system's times: a file that changed less than this before it was read may change again unseen."""
LOOK_SECONDS = 0.1
"""What looking through the library may take: twenty thousand entries on a local disk."""


class Lag:
    """How the library differs from what was taken in of it."""

    __slots__ = ("changed", "gone", "settled", "whole")

    def __init__(self, changed: list[str], gone: list[str], settled: list[str], *, whole: bool) -> None:
        self.changed = changed
        """Names of new and changed files, the youngest first."""
        self.gone = gone
        self.settled = settled
        """Files that are the same, and that their stamp can vouch for from now on."""
        self.whole = whole
        """Whether all of the library was looked at, or its git stands where it stood."""

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone or self.settled)

    def entries(self) -> int:
        """How many entries an answer may be wrong about; -1 when that is not known."""
        return sum(name.startswith(library.ENTRIES) for name in (*self.changed, *self.gone)) if self.whole else -1


def look(path: str, taken: Mapping[str, tuple[str, bool, int]], mark: str, *, seconds: float = LOOK_SECONDS) -> Lag:
    """Compare the library at `path` with what was `taken` in: (stamp, whether that vouches for it, checksum) by name.

    An edit in place moves neither HEAD nor the staging area, so each entry is asked for its stamp. Where that takes too long the
    watermark of git (`mark`, from when all was taken in) decides.
    """
    found, whole = library.listing(path, seconds)
    if not found and not taken:
        return Lag([], [], [], whole=whole)
    now = time.time_ns()
    changed: list[tuple[int, str]] = []
    settled: list[str] = []
    for name, (stamp, time_ns) in found.items():
        known = taken.get(name)
        if known is None or known[0] != stamp:
            changed.append((time_ns, name))
        elif not known[1]:
            data = library.content(path, name)
            if data is None or zlib.crc32(data) != known[2]:
                changed.append((time_ns, name))
            elif now - time_ns > GRAIN_NS:
                settled.append(name)
    changed.sort(reverse=True)
    gone = [name for name in taken if name not in found] if whole else []
    return Lag([name for _, name in changed], gone, settled, whole=whole or mark == watermark.of(path))
