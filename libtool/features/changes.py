"""Which transcripts and notes there are, and which of them are new or changed since the store last saw them. Reads no transcript."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.adapters import discover
from libtool.adapters.registry import ADAPTERS
from libtool.features.reading import NOT_RECOGNISED, OWN_FAULT, Task, names_a_login, safe_name
from libtool.storage import database, key
from libtool.storage.store import Store, dump_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from libtool.adapters.discover import Candidate
    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.storage.store import FileRow

NOTE, TERMINAL = "note", "terminal"
_INODE = (1 << 63) - 1
"""What SQLite can hold; some file systems use 64 bits."""


class Change(NamedTuple):
    """A file to read: where it lies, the state of its side files, and what the store knew of it (without the reader's state)."""

    candidate: Candidate
    side: str
    known: FileRow | None


class Survey(NamedTuple):
    """What a look at the disk told."""

    changed: int
    """Files that are new or changed."""
    told: list[str]
    """What finding them had to tell."""
    unlisted: list[tuple[str, str]]
    """(path, reason) of what could not be listed."""


def survey(config: Config, environ: Mapping[str, str]) -> Survey:
    """Compare the disk with the store as the last run left it. Writes nothing; needs no lock. Raises NotIndexed."""
    from libtool.domain.redact import Redactor  # noqa: PLC0415 - 8 ms that a run with nothing new need not pay

    with Store.for_reading(config.store_db) as store, database.damage(config.store_db):
        # Without a key nothing was ever indexed under a name that hides a login.
        redactor = Redactor(key.there(config) or bytes(key.SIZE), known=store.logins())
        changes = Changes(config, store, lambda: redactor)
        count = len(changes.find(environ))
        return Survey(count, changes.told, [(safe_name(path, redactor), reason) for path, reason in changes.problems])


class Changes:
    """One look at the disk, compared with the store. `redactor` is asked for only when something new needs a name."""

    def __init__(self, config: Config, store: Store, redactor: Callable[[], Redactor], *, anew: bool = False) -> None:
        self._config = config
        self._redactor = redactor
        self._anew = anew
        """Whether files that no adapter knew are looked at again: this lib is not the one that looked at them."""
        self._known = store.files()
        self._walked = store.fact("walk")
        self._seen: set[int] = set()
        self.files = 0
        self.problems: list[tuple[str, str]] = []
        self.told: list[str] = []
        self.walk = self._walked
        """The walk's memory, to be kept as the fact `walk`."""

    def find(self, environ: Mapping[str, str], agents: tuple[str, ...] = (), paths: tuple[str, ...] = ()) -> list[Change]:
        """What is new or changed, oldest first, so that a fork comes after what it was forked from.

        `agents` limits to these agents, `paths` to what lies at or below these.
        """
        candidates = self._below(environ, paths) if paths else self._everywhere(environ)
        changed = []
        for found in candidates:
            if agents and found.agent is not None and found.agent not in agents:
                continue
            self.files += 1
            candidate = replace(found, inode=found.inode & _INODE)
            known = self._look_up(candidate.path)
            side = side_state(known.agent if known else candidate.agent or "", candidate.path)
            if known is not None:
                self._seen.add(known.id)
            if known is None or self._is_changed(candidate, side, known):
                changed.append(Change(candidate, side, known))
        changed.sort(key=lambda change: (change.candidate.mtime_ns, change.candidate.path))
        return changed

    def missing(self) -> list[int]:
        """After `find` without limits: the rows of known files that are gone."""
        rows = self._known.values()
        return [row.id for row in rows if not row.missing and row.id not in self._seen and _is_gone(row.path)]

    def _below(self, environ: Mapping[str, str], paths: Iterable[str]) -> list[Candidate]:
        findings = discover.Findings()
        # What lies in an agent's place is taken as it would be without a path.
        places = {one.path: one for one in discover.find(ADAPTERS.values(), self._config.home, environ, ())}
        found: list[Candidate] = []
        for path in map(os.path.abspath, paths):
            if _is_gone(path):
                self.problems.append((path, "no such file or directory"))
            found += [places.get(one.path, one) for one in discover.below(path, findings)]
        self.problems += findings.problems
        return found

    def _everywhere(self, environ: Mapping[str, str]) -> list[Candidate]:
        config = self._config
        findings = discover.Findings(cache=_parsed(self._walked))
        limits = discover.Limits(config.walk_depth, config.walk_seconds)
        globs = {agent: chosen for agent, chosen in ((NOTE, config.notes_globs), (TERMINAL, config.terminal_globs)) if chosen}
        candidates = list(
            discover.find(ADAPTERS.values(), config.home, environ, config.roots, findings=findings, limits=limits, patterns=globs)
        )
        there = {one.path for one in candidates}
        # What was once pointed at by hand, or lies behind the limit of the walk, is still followed.
        for row in self._known.values():
            if row.path not in there and not row.missing:
                candidates += [replace(one, agent=row.agent or None) for one in discover.below(row.path, own=False)]
        self.problems += findings.problems
        if findings.cut_short:
            self.told.append(
                f"the walk through your projects was cut short by its limit of {findings.cut_short}: see `walk` in docs/config.md"
            )
        self.walk = self._safe_walk(findings.cache)
        return candidates

    def _safe_walk(self, cache: dict[str, Any]) -> str:
        """The walk's memory as it may be kept: without a folder that holds a login in its name or listing; it is listed anew each time."""
        text = dump_json(cache)
        if text == self._walked:
            return text
        redact = self._redactor().redact
        if names_a_login(text, redact):
            folders = {name: entry for name, entry in cache["folders"].items() if not names_a_login(dump_json({name: entry}), redact)}
            text = dump_json({**cache, "folders": folders})
        return text

    def _look_up(self, path: str) -> FileRow | None:
        return self._known.get(path) or self._known.get(safe_name(path, self._redactor()))

    def _is_changed(self, candidate: Candidate, side: str, known: FileRow) -> bool:
        unknown = known.error.startswith(NOT_RECOGNISED)
        if known.error and not unknown and not known.error.startswith(OWN_FAULT):
            return True
        if self._anew and (unknown or not known.agent):
            return True
        before = known.size, known.mtime_ns, known.inode, known.side, known.missing
        return before != (candidate.size, candidate.mtime_ns, candidate.inode, side, 0)


def task_of(change: Change) -> Task:
    """How to read a changed file: from where an earlier run ended if it can only have grown, else whole.

    The reader compares head and tail too. A file that was put in the place of another, that has a new time but no new bytes, or
    whose side files changed, was not appended to.
    """
    candidate, side, known = change
    if known is None:
        return Task(candidate.path, candidate.root, candidate.agent or "", own=_is_own(candidate))
    same = (candidate.size, candidate.mtime_ns) == (known.size, known.mtime_ns)
    grew = candidate.inode == known.inode and side == known.side and (candidate.size > known.size or same)
    agent = known.agent or candidate.agent or ""
    return Task(candidate.path, candidate.root, agent, known.offset, known.edge, known.state if grew else None, _is_own(candidate))


def _is_own(candidate: Candidate) -> bool:
    # Not every markdown file among an agent's memory files is a note; one that is not is told by nobody.
    return candidate.own and candidate.agent != NOTE


def _is_gone(path: str) -> bool:
    """Whether there is no such file; not when it may only not be looked at."""
    try:
        os.stat(path)
    except OSError as error:
        return discover.is_absence(error)
    return False


def side_state(agent: str, path: str) -> str:
    """Size and time of a transcript's side files as one text; '' when it has none."""
    adapter = ADAPTERS.get(agent)
    found = []
    for side in adapter.side_files(path) if adapter else ():
        try:
            status = os.stat(side)
        except OSError:
            continue
        found.append(f"{status.st_size}:{status.st_mtime_ns}")
    return ";".join(found)


def _parsed(walked: str) -> dict[str, Any]:
    return dict(json.loads(walked)) if walked else {}
