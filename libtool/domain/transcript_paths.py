"""Which paths, as they stand in commands and tool calls, are those of transcripts: of this machine's home or of any other."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_WILD = "*?["
_ANY_DEPTH = "**"
_LONGEST, _DEEPEST = 4096, 40
"""Characters and parts of a path that is looked at."""
OWN_RECORDS = frozenset(("memory", "tool-results", "tool-outputs", "tool_output"))
"""Folders among transcripts that hold no conversation: memory files, and output that an agent put aside for itself."""
_HOME = re.compile(
    r"(?:~\w*|\$HOME|\$\{HOME\}|\$\{?USERPROFILE\}?|%USERPROFILE%|%HOMEDRIVE%%HOMEPATH%"
    r"|/home/[^/]+|/Users/[^/]+|/root|(?:/mnt|/cygdrive)?/?[A-Za-z]:?/Users/[^/]+)(?=/|$)"
)
_ENDING = re.compile(r"[^.]\.[A-Za-z]\w{0,4}$")
"""Of a file: what has one is no folder on the way."""
_UNKNOWN = re.compile(r"\{[^{}/]*\}|\$\{[^{}/]*\}|\$\w+")


class Pattern(NamedTuple):
    """Paths of transcripts, in parts: `~`, `.claude`, `projects`, `*`, `*.jsonl`."""

    parts: tuple[str, ...]
    root: int = 0
    """Parts of the folder that is the agent's own; 0 for what lies in projects, in any folder."""

    @property
    def lead(self) -> int:
        """Parts before the first wildcard."""
        return next((at for at, part in enumerate(self.parts) if any(sign in part for sign in _WILD)), len(self.parts))


@dataclass(frozen=True)
class Marks:
    """What counts: transcripts, and the library's INDEX.md and entries."""

    transcripts: tuple[Pattern, ...]
    library: tuple[str, ...] = ()
    """Parts of its path."""
    home: str = ""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Of the environment, as far as they name places: `CODEX_HOME` ..."""

    @cached_property
    def needles(self) -> frozenset[str]:
        """Texts of which one stands in every call that counts, in its folder, or in a script that it runs."""
        folders = (one.parts[max(one.root - 1, 0)] for one in self.transcripts)
        return frozenset((*folders, *self.library[-1:], *self.variables))


def parts_of(path: str, home: str = "", cwd: str = "") -> tuple[str, ...]:
    """A path in parts, beginning with `~` for below a home, `` for another absolute one, else wherever it lies; () for none."""
    path = path[:_LONGEST].removeprefix("file://")
    if not path:
        return ()
    if home and (path == home or path.startswith(home + "/")):
        path = "~" + path[len(home) :]
    elif (match := _HOME.match(path)) is not None:
        path = "~" + path[match.end() :]
    elif cwd and not path.startswith("/"):
        return parts_of(f"{cwd}/{path}", home)
    path = _UNKNOWN.sub("*", path)
    parts = posixpath.normpath(path).split("/")
    # Any depth twice says no more than once.
    return tuple(part for part, before in zip(parts, ["", *parts], strict=False) if part != _ANY_DEPTH or before != part)[:_DEEPEST]


def is_transcript(path: Sequence[str], marks: Marks, *, deep: bool = False, whole: bool = False) -> bool:
    """Whether parts are those of a transcript, or of a folder of transcripts.

    With `deep` also of the agent's own folder that has them below; with `whole` not a project's bare folder of transcripts.
    """
    if not path or not OWN_RECORDS.isdisjoint(path):
        return False
    for pattern in marks.transcripts:
        lead = pattern.lead
        if pattern.root:
            # To go through a whole home is no look into transcripts.
            if len(path) >= (pattern.root if deep else lead) and _ANY_DEPTH not in path[: pattern.root] and _reaches(path, pattern.parts):
                return True
            continue
        for at, part in enumerate(path):
            length = len(path) - at
            is_file = lead == len(pattern.parts)
            enough = length >= lead and (not whole or is_file or at > 0 or length > lead)
            if part == pattern.parts[0] and enough and _reaches(path[at:], pattern.parts):
                return True
    return False


def is_library(path: Sequence[str], marks: Marks, *, deep: bool = False) -> bool:
    """Whether parts are those of INDEX.md or of entries; with `deep` also of the library itself."""
    size = len(marks.library)
    if not size or tuple(path[:size]) != marks.library:
        return False
    below = path[size : size + 1]
    return below[0] == "entries" or _alike(below[0], "INDEX.md") if below else deep


def _reaches(path: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether a path names what a pattern matches, or a folder on the way to it."""
    if not path:
        return True
    if pattern[0] == _ANY_DEPTH:
        return any(_reaches(path[at:], pattern[1:]) for at in range(len(path) + (_ENDING.search(path[-1]) is None)))
    if path[0] == _ANY_DEPTH:
        rest = path[1:]
        return any(_reaches(rest, pattern[at:]) for at in range(len(pattern))) if rest else True
    if len(pattern) == 1:
        return len(path) == 1 and _same_sort(path[0], pattern[0])
    if len(path) == 1 and _ENDING.search(path[0]):
        return False
    return _alike(path[0], pattern[0]) and _reaches(path[1:], pattern[1:])


def _same_sort(name: str, pattern: str) -> bool:
    """Whether a file's name has the ending of a pattern: also a copy, or a compressed one."""
    ending = "." + pattern.rpartition(".")[2]
    return _alike(name, f"*{ending}") or (not any(sign in name for sign in _WILD) and ending in name)


def _alike(name: str, pattern: str) -> bool:
    """Whether a name, which may hold wildcards itself, can be what a part of a pattern matches."""
    if not any(sign in name for sign in _WILD):
        return fnmatchcase(name, pattern)
    if not any(sign in pattern for sign in _WILD):
        return fnmatchcase(pattern, name)
    (head, tail), (first, last) = _ends(name), _ends(pattern)
    return (head.startswith(first) or first.startswith(head)) and (tail.endswith(last) or last.endswith(tail))


def _ends(text: str) -> tuple[str, str]:
    """What stands before the first wildcard and behind the last."""
    places = [at for at, sign in enumerate(text) if sign in "*?[]"]
    return text[: places[0]], text[places[-1] + 1 :]
