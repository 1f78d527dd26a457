"""Whether lines that an entry points to are as they were at its commit: the same, moved, changed or gone. At HEAD, never the work tree."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.storage.git_read import Reader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from libtool.domain.pointers import CodePlace
    from libtool.storage.git_read import Checkout

SAME, MOVED, CHANGED, GONE, UNKNOWN = "same", "moved", "changed", "gone", "unknown"
_MOST = 64 << 20
"""Bytes of a file beyond which its lines are not compared."""
_MOST_NAMESAKES = 20
_RENAME_SECONDS = 10.0


class Outcome(NamedTuple):
    """What became of a place, and where it is now or why that is not known."""

    state: str
    detail: str = ""


class CodePlaces:
    """The places of one repository; git is asked once for all of them, and again only for files that differ."""

    def __init__(self, place: Checkout, environ: Mapping[str, str]) -> None:
        self._reader = Reader(place, environ)
        self._head: dict[str, str] | None = None
        self._renames: dict[str, dict[str, str]] = {}

    def look(self, wanted: Sequence[CodePlace]) -> list[Outcome]:
        """The outcome of each."""
        names = [name for one in wanted for name in (f"{one.commit}^{{commit}}", f"{one.commit}:{_named(one)}", f"HEAD:{_named(one)}")]
        asked = "".join(f"{name}\n" for name in names).encode("utf-8", "surrogateescape")
        said = self._reader.run("cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=asked).out.split(b"\n")
        known = [line.decode("ascii").split(" ") if _is_there(line) else ["", ""] for line in said]
        known += [["", ""]] * (len(names) - len(known))
        return [self._outcome(one, *known[3 * at : 3 * at + 3]) for at, one in enumerate(wanted)]

    def _outcome(self, one: CodePlace, commit: list[str], old: list[str], new: list[str]) -> Outcome:
        if not old[0]:
            why = "there was no such path at that commit" if commit[0] else f"commit {one.commit[:12]} is not in this clone"
            return Outcome(UNKNOWN, why)
        if old[1] == "blob" and one.first:
            return self._lines_of(one, old[0], new)
        if old == new:
            return Outcome(SAME)
        if new[0] or old[1] != "blob":
            return Outcome(CHANGED if new[0] else GONE)
        path = next((name for name, other in self._paths().items() if other == old[0]), "")
        return Outcome(MOVED, f"now {path}") if path else self._renamed(one)

    def _lines_of(self, one: CodePlace, old: str, new: list[str]) -> Outcome:
        lines = self._lines(old)
        block = lines[one.first - 1 : one.last]
        if one.last > len(lines) or not block:
            return Outcome(UNKNOWN, "the file had no such lines at that commit")
        if new[0] == old:
            return Outcome(SAME)
        if new[1] == "blob":
            found = _found(block, self._lines(new[0]), one.first) or Outcome(CHANGED)
            return Outcome(SAME) if found.state == SAME else found
        return self._elsewhere(one, block)

    def _elsewhere(self, one: CodePlace, block: list[bytes]) -> Outcome:
        """Lines whose file is gone: in what it became, or in a file of the same name, if anywhere."""
        name = os.path.basename(one.path)
        renamed = self._renamed(one)
        namesakes = [path for path in self._paths() if os.path.basename(path) == name]
        for path in [*filter(None, [renamed.detail[4:]]), *namesakes[:_MOST_NAMESAKES]]:
            if (found := _found(block, self._lines(self._paths()[path]), one.first)) is not None:
                return Outcome(MOVED, f"now {path}{found.detail[4:]}")
        return renamed

    def _renamed(self, one: CodePlace) -> Outcome:
        """Of a file that is gone: changed, when another is so much like it that git calls it its new name."""
        if one.commit not in self._renames:
            options = ("-r", "-z", "-M", "--no-ext-diff", "--no-textconv", "--diff-filter=R", "--name-status")
            fields = self._reader.run("diff-tree", *options, one.commit, "HEAD", seconds=_RENAME_SECONDS).out.split(b"\0")[:-1]
            # A score, the old path, the new one; nothing where there was no time.
            named = [os.fsdecode(field) for field in fields]
            self._renames[one.commit] = dict(zip(named[1::3], named[2::3], strict=False))
        path = self._renames[one.commit].get(one.path)
        return Outcome(CHANGED, f"now {path}") if path in self._paths() else Outcome(GONE)

    def _lines(self, blob: str) -> list[bytes]:
        """The lines of a blob without their ends, of whatever kind these are."""
        data = self._reader.run("cat-file", "blob", blob, most=_MOST).out
        return [line.rstrip(b"\r") for line in data.removesuffix(b"\n").split(b"\n")] if data else []

    def _paths(self) -> dict[str, str]:
        """The blob at each path of HEAD."""
        if self._head is None:
            self._head = dict(_blobs(self._reader.run("ls-tree", "-r", "-z", "HEAD").out))
        return self._head


def _named(one: CodePlace) -> str:
    """The path as git takes it: `./x` and `../x` would be relative, and outside of the repository the end of all answers."""
    return f"/{one.path}" if one.path.startswith(("./", "../")) else one.path


def _is_there(line: bytes) -> bool:
    """Whether `cat-file` found an object: its id and type, where else it repeats the name and says what is wrong with it."""
    name, _, kind = line.partition(b" ")
    return kind in (b"commit", b"tree", b"blob", b"tag") and len(name) >= 40


def _blobs(out: bytes) -> Iterator[tuple[str, str]]:
    for row in out.split(b"\0")[:-1]:
        facts, _, path = row.partition(b"\t")
        yield path.decode("utf-8", "surrogateescape"), facts.split()[2].decode()


def _found(block: Sequence[bytes], lines: Sequence[bytes], first: int) -> Outcome | None:
    """Where the block is in `lines`: nearest to where it was; None when nowhere."""
    size = len(block)
    starts = [at for at, line in enumerate(lines, 1) if line == block[0] and list(lines[at - 1 : at - 1 + size]) == list(block)]
    if not starts:
        return None
    at = min(starts, key=lambda start: abs(start - first))
    return Outcome(SAME if at == first else MOVED, f"now #L{at}" + (f"-L{at + size - 1}" if size > 1 else ""))
