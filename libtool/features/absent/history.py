"""The history part: the last commit behind HEAD that took a name away, looked for newest first until a bound of time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import variants
from libtool.features.absent import places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from libtool.features.absent.places import Found
    from libtool.storage.git_read import Reader

_MOST_COMMITS = 500_000
_MOST_OUTPUT = 256 << 20
_PIECES = 1 << 18


class Trace(NamedTuple):
    """Where a name was last seen."""

    commit: str
    """The newest commit that changed how often the name is there: it took the last one away, unless a merge did so later."""
    date: str
    """Of that commit, YYYY-MM-DD."""
    subject: str
    path: str
    last: str
    """The newest commit known to have it: the one before, or this very one where a merge took it away; '' for none."""
    inside: bool
    """Whether only longer words that hold the name were there."""
    still: bool = False
    """Whether HEAD has the file as it was then: it is one of those that were not searched."""


class History(NamedTuple):
    """What was looked at, and what was found."""

    trace: Trace | None
    searched: int
    commits: int
    """All behind HEAD that are in this repository, merges left out; 0 when there was no time to list them."""
    back_to: str
    """The date of the oldest commit searched, YYYY-MM-DD; '' for none."""
    seconds: float

    @property
    def complete(self) -> bool:
        """Whether every commit was searched, or the name found."""
        return self.trace is not None or 0 < self.searched == self.commits < _MOST_COMMITS


def search(reader: Reader, names: Sequence[str], seconds: float) -> History:
    """Look through the commits behind HEAD for at most `seconds`."""
    started = time.monotonic()
    if not reader.place.commit or seconds <= 0:
        return History(None, 0, 0, "", 0.0)
    # What diff-tree makes of a merge depends on settings, and is nothing by default.
    listed = reader.run("rev-list", "--no-merges", f"--max-count={_MOST_COMMITS}", "HEAD", seconds=seconds)
    commits = [] if listed.code else listed.out.split(b"\n")[:-1]
    # Each commit is printed as it is done, so that it is known how far the search came.
    said = reader.run(
        *("diff-tree", "--stdin", "--always", "--root", "-r", "--no-renames", "--no-ext-diff", "--no-textconv", "--name-only", "-z"),
        *("-i", "--pickaxe-regex", f"-S{variants.expression(names)}", "--format=%H %cI %s"),
        seconds=max(seconds - (time.monotonic() - started), 0.0),
        most=_MOST_OUTPUT,
        stdin=listed.out,
        enough=_has_files,
    )
    searched, back_to, trace = 0, "", None
    for searched, (header, path) in enumerate(_done(said.out, commits), 1):  # noqa: B007 - counted
        commit, date, subject = header.split(b" ", 2)
        back_to = date[:10].decode()
        if path is not None:
            trace = _trace(reader, names, commit.decode(), path)._replace(date=back_to, subject=subject.decode("utf-8", "replace"))
            break
    return History(trace, searched, len(commits), back_to, time.monotonic() - started)


def _trace(reader: Reader, names: Sequence[str], commit: str, path: bytes) -> Trace:
    """The trace without date and subject."""
    name = path.decode("utf-8", "surrogateescape")
    found = _lines(reader, names, commit, name)
    last = commit if found.places else reader.run("rev-parse", "--verify", "--quiet", f"{commit}^").out.decode().strip()
    if last and last != commit:
        found = _lines(reader, names, last, name)
    here, there = (reader.run("rev-parse", "--verify", "--quiet", f"{one}:{name}").out for one in ("HEAD", commit))
    return Trace(commit, "", "", name, last, inside=not found.places, still=bool(here) and here == there)


def _lines(reader: Reader, names: Sequence[str], commit: str, path: str) -> Found:
    said = reader.run(*places.GREP, "-E", "-e", variants.expression(names), commit, "--", path, most=_PIECES)
    return places.read(said.out, variants.pattern(names), prefix=f"{commit}:".encode())


def _has_files(out: bytearray) -> bool:
    """Whether files follow a commit in what was printed last: its line ends in NUL, and a line end opens the list of names."""
    at = out.find(b"\0\n", max(0, len(out) - _PIECES))
    return at >= 0 and out.find(b"\0", at + 2) >= 0


def _done(out: bytes, commits: Iterable[bytes]) -> Iterator[tuple[bytes, bytes | None]]:
    """(line of the commit, the first of its files or None) of each commit that is done. Names of files may look like anything."""
    fields = iter(out.split(b"\0")[:-1])
    field = next(fields, b"")
    for commit in commits:
        if not field.startswith(commit + b" "):
            return
        header, field = field, next(fields, b"")
        yield header, field[1:] if field.startswith(b"\n") else None
