"""Finds transcripts: the agents' own places, and files inside projects below the configured roots.

The places are small and listed anew each time. Projects may be anywhere, so that walk is bounded in depth, folders and time, and
remembers each folder by its mtime: a second walk of an unchanged tree costs one stat a folder.
"""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from libtool.adapters.patterns import PatternSet, States, name_matcher

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from libtool.adapters.base import Adapter

DEEPEST = 12
"""How far `**` goes down inside a place."""

SKIPPED = frozenset(
    "node_modules bower_components venv env virtualenv target vendor dist build out __pycache__ site-packages Library Applications Pods"
    " DerivedData coverage third_party".split()
)
"""Folders of other people's or generated files: no projects are looked for in them."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file that may be a transcript; only its content decides."""

    path: str
    size: int
    mtime_ns: int
    inode: int
    root: str
    """The `Place.root`, or the configured root, that it was found under."""
    agent: str | None
    """The agent whose pattern matched, to be asked first."""
    own: bool = False
    """Whether it lies in a place of that agent, not in a project; or was itself pointed at. Then it is told when nobody knows it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of the walk through projects."""

    depth: int = 4
    """Folders below a root that may hold projects; what a pattern names inside one does not count."""
    seconds: float = 5.0
    folders: int = 50_000
    clock: Callable[[], float] = time.monotonic


@dataclass(slots=True)
class Findings:
    """What there is to say about a search. `cache` may be kept as JSON and given to the next."""

    cache: dict[str, Any] = field(default_factory=dict)
    problems: list[tuple[str, str]] = field(default_factory=list)
    """(path, what is wrong with it)."""
    cut_short: str = ""
    """`time` or `folders` when the walk through projects ended at that limit, else empty."""
    folders: int = 0
    """Project folders looked at."""
    scanned: int = 0
    """Project folders that had to be listed anew."""

    def failed(self, path: str, error: OSError) -> None:
        """Note, once, what cannot be looked at. What is not there (any more) is no problem."""
        if is_absence(error):
            return
        problem = path, _why(error)
        if problem not in self.problems:
            self.problems.append(problem)


def find(
    adapters: Iterable[Adapter],
    home: str,
    env: Mapping[str, str],
    roots: Iterable[str],
    *,
    findings: Findings | None = None,
    limits: Limits | None = None,
    patterns: Mapping[str, tuple[str, ...]] | None = None,
) -> Iterator[Candidate]:
    """Yield each candidate file once: those of the agents' places first, then those in projects below `roots`.

    `patterns` replaces the project patterns of the agents that it names. Nothing is raised for what cannot be listed: see `findings`.
    """
    findings = findings if findings is not None else Findings()
    adapters = list(adapters)
    once = _Once(findings)
    folders: dict[str, list[os.DirEntry[str]]] = {}
    for adapter in adapters:
        for place in adapter.places(home, env):
            if _is_folder(place.root, findings):
                for pattern in place.patterns:
                    for path in _expand(place.root, tuple(pattern.split("/")), folders, findings):
                        yield from once.candidate(path, place.root, adapter.agent, own=True)
    wanted = {adapter.agent: (patterns or {}).get(adapter.agent, adapter.project_patterns) for adapter in adapters}
    walk = _Walk(PatternSet(wanted), findings, limits or Limits())
    for path, root, agent in walk.files(roots):
        yield from once.candidate(path, root, agent)


def below(path: str, findings: Findings | None = None, *, own: bool = True) -> Iterator[Candidate]:
    """The file at `path`, or every file below that folder, hidden and skipped folders left out; nothing when it is not there.

    `own` of the file itself; those below a folder are not pointed at.
    """
    findings = findings if findings is not None else Findings()
    try:
        facts = os.stat(path)
    except OSError as error:
        findings.failed(path, error)
        return
    if stat.S_ISDIR(facts.st_mode):
        for folder, folders, names in os.walk(path, onerror=lambda error: findings.failed(error.filename, error)):
            folders[:] = sorted(name for name in folders if _ordinary(name))
            for name in sorted(names):
                yield from below(os.path.join(folder, name), findings, own=False)
    elif stat.S_ISREG(facts.st_mode):
        yield Candidate(path, facts.st_size, facts.st_mtime_ns, facts.st_ino, os.path.dirname(path), None, own=own)


class _Once:
    """Makes candidates of paths; a real file that has several names is given out once."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.seen: set[tuple[int, int]] = set()

    def candidate(self, path: str, root: str, agent: str, *, own: bool = False) -> Iterator[Candidate]:
        try:
            facts = os.stat(path)
        except OSError as error:
            if os.path.islink(path):
                self.findings.problems.append((path, _why(error)))
            else:
                self.findings.failed(path, error)
            return
        key = facts.st_dev, facts.st_ino
        if not stat.S_ISREG(facts.st_mode):
            self.findings.problems.append(
                (path, "a folder where a file should be" if stat.S_ISDIR(facts.st_mode) else "not a regular file")
            )
        elif key not in self.seen:
            self.seen.add(key)
            yield Candidate(path, facts.st_size, facts.st_mtime_ns, facts.st_ino, root, agent, own)


def is_absence(error: OSError) -> bool:
    """Whether an error says that a file is not there. That it may not be looked at says nothing of the kind."""
    return isinstance(error, FileNotFoundError | NotADirectoryError)


def _is_folder(path: str, findings: Findings) -> bool:
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except OSError as error:
        findings.failed(os.path.dirname(path), error)
        return False


def _why(error: OSError) -> str:
    return (error.strerror or "cannot be read").lower()


def _expand(
    folder: str, parts: tuple[str, ...], folders: dict[str, list[os.DirEntry[str]]], findings: Findings, above: tuple[str, ...] = ()
) -> Iterator[str]:
    """Paths below `folder` that match the parts of a pattern, in order of name. Symbolic links are followed, but not in circles."""
    part, rest = parts[0], parts[1:]
    if part == "**":
        yield from _expand(folder, rest, folders, findings, above)
        real = os.path.realpath(folder)
        if real not in above and len(above) < DEEPEST:
            for entry in _listing(folder, folders, findings):
                if not entry.name.startswith(".") and _is_folder(entry.path, findings):
                    yield from _expand(entry.path, parts, folders, findings, (*above, real))
        return
    for path in _named(folder, part, folders, findings):
        if not rest:
            yield path
        elif _is_folder(path, findings):
            yield from _expand(path, rest, folders, findings, above)


def _named(folder: str, part: str, folders: dict[str, list[os.DirEntry[str]]], findings: Findings) -> list[str]:
    """Paths in a folder whose names match one part of a pattern."""
    if not any(mark in part for mark in "*?["):
        path = os.path.join(folder, part)
        try:
            os.lstat(path)
        except OSError as error:
            findings.failed(folder, error)
            return []
        return [path]
    matches = name_matcher(part)
    return [entry.path for entry in _listing(folder, folders, findings) if matches(entry.name)]


def _listing(folder: str, folders: dict[str, list[os.DirEntry[str]]], findings: Findings) -> list[os.DirEntry[str]]:
    """The entries of a folder by name, listed once a search."""
    if folder not in folders:
        try:
            with os.scandir(folder) as entries:
                folders[folder] = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            folders[folder] = []
            findings.failed(folder, error)
    return folders[folder]


class _Walk:
    """The walk through projects: level by level, so that a limit cuts off what is deepest."""

    def __init__(self, patterns: PatternSet, findings: Findings, limits: Limits) -> None:
        self.patterns = patterns
        self.findings = findings
        self.limits = limits
        sign = f"{limits.depth}:{patterns.sign}"
        known = findings.cache.get("folders") if findings.cache.get("sign") == sign else None
        self.known: dict[str, Any] = known if isinstance(known, dict) else {}
        self.visited: dict[str, Any] = {}
        findings.cache["sign"], findings.cache["folders"] = sign, self.known

    def files(self, roots: Iterable[str]) -> Iterator[tuple[str, str, str]]:
        """(path, root, agent) of each file that matches a project pattern."""
        stop = self.limits.clock() + self.limits.seconds
        queue = deque((os.path.abspath(root), root, 0, self.patterns.start) for root in roots if _is_folder(root, self.findings))
        while queue:
            folder, root, depth, states = queue.popleft()
            if folder in self.visited:
                continue
            if self.findings.folders >= self.limits.folders or self.limits.clock() > stop:
                self.findings.cut_short = "folders" if self.findings.folders >= self.limits.folders else "time"
                break
            self.findings.folders += 1
            subfolders, matched = self._contents(folder, depth, states)
            for name, agent in matched:
                yield os.path.join(folder, name), root, agent
            for name in subfolders:
                below = self.patterns.below(states, name, fresh=depth < self.limits.depth and _ordinary(name))
                queue.append((os.path.join(folder, name), root, depth + 1, below))
        # A walk that came to its end has seen all that is left: forget what is gone.
        self.findings.cache["folders"] = self.visited if not self.findings.cut_short else self.known | self.visited

    def _contents(self, folder: str, depth: int, states: States) -> tuple[list[str], list[tuple[str, str]]]:
        """Names of the subfolders to go on with, and (name, agent) of the matching files; from the cache when the mtime is the same."""
        try:
            mtime = os.stat(folder).st_mtime_ns
            known = _remembered(self.known.get(folder), mtime)
            if known is None:
                self.findings.scanned += 1
                known = self._scan(folder, depth, states)
        except OSError as error:
            self.findings.failed(folder, error)
            self.visited[folder] = None
            return [], []
        self.visited[folder] = [mtime, known[0], [list(pair) for pair in known[1]]]
        return known

    def _scan(self, folder: str, depth: int, states: States) -> tuple[list[str], list[tuple[str, str]]]:
        subfolders: list[str] = []
        matched: list[tuple[str, str]] = []
        with os.scandir(folder) as entries:
            for entry in entries:
                name = entry.name
                if agent := self.patterns.agent_of(states, name):
                    matched.append((name, agent))
                elif entry.is_dir(follow_symlinks=False):
                    fresh = depth < self.limits.depth and _ordinary(name)
                    if fresh or self.patterns.below(states, name, fresh=False):
                        subfolders.append(name)
        return sorted(subfolders), sorted(matched)


def _ordinary(name: str) -> bool:
    return not name.startswith(".") and name not in SKIPPED


def _remembered(entry: object, mtime: int) -> tuple[list[str], list[tuple[str, str]]] | None:
    """What the cache holds of a folder of this mtime; None when it holds nothing usable."""
    if not isinstance(entry, list) or len(entry) != 3 or entry[0] != mtime:
        return None
    try:
        return [str(name) for name in entry[1]], [(str(name), str(agent)) for name, agent in entry[2]]
    except (TypeError, ValueError):
        return None
