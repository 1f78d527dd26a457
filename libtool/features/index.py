"""`lib index`: bring store and search db up to date with every transcript and note of this machine."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.adapters import discover
from libtool.adapters.registry import ADAPTERS
from libtool.domain.redact import Redactor
from libtool.features import ingest, projects, workers
from libtool.features.reading import Task
from libtool.storage import database, files, key
from libtool.storage.lock import writer_lock
from libtool.storage.search_build import SearchBuild
from libtool.storage.store import Damaged, FileRow, Store, dump_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from libtool.adapters.discover import Candidate
    from libtool.config import Config

STORE_BATCH = 32 << 20
"""Bytes of transcripts a transaction: what a kill can cost."""
SEARCH_BATCH = 256 << 20
"""Bytes of transcripts after which the search db follows."""
LOCK_SECONDS = 600.0
NOTE, TERMINAL = "note", "terminal"
STAMP = "indexed"
"""A file in the data dir whose time of change says when everything was last looked at; a run with nothing new writes no row."""


class Progress(NamedTuple):
    """What a progress bar shows: bytes done of all, and what is being done."""

    done: int
    total: int
    what: str


class IndexReport(NamedTuple):
    """What a run did."""

    files: int
    """Transcripts and notes found."""
    read: int
    """Files that were new or changed."""
    bytes: int
    records: int
    rows: int
    """Rows written to the search db."""
    missing: int
    """Files known before that are gone now; their sessions stay."""
    unreadable: tuple[tuple[str, str], ...]
    """(path, reason) of what could not be read."""
    told: tuple[str, ...]
    """Other things the owner should know: a database set aside, a walk cut short."""


def run(
    config: Config,
    environ: Mapping[str, str],
    *,
    agents: Iterable[str] = (),
    paths: Iterable[str] = (),
    rebuild: bool = False,
    progress: Callable[[Progress], None] | None = None,
) -> IndexReport:
    """Index what is new. `agents` limits to these agents, `paths` to these files or folders; `rebuild` makes the search db anew.

    Raises Locked when another writer does not end in time. KeyboardInterrupt leaves all whole batches and passes through.
    """
    with writer_lock(config, LOCK_SECONDS, task="lib index"):
        told: list[str] = []
        store = open_store(config, told)
        scratch = _scratch(config)
        try:
            if rebuild and os.path.exists(config.search_db):
                _remove_search(config)
            job = _Job(config, store, scratch, told, progress)
            report = job.run(environ, tuple(agents), tuple(paths))
        finally:
            store.rollback()
            store.close()
            shutil.rmtree(scratch, ignore_errors=True)
        _stamp(config)
        return report


def changed_files(config: Config, environ: Mapping[str, str]) -> int:
    """How many transcripts and notes are new or changed since the last run. Writes nothing; needs no lock."""
    store = Store(config.store_db)
    try:
        return len(_Job(config, store, "", [], None).changed(environ, (), (), remember=False)[1])
    finally:
        store.close()


def open_store(config: Config, told: list[str]) -> Store:
    """The store for writing; a damaged one is set aside and begun anew, which is added to `told`."""
    files.ensure_folder(config.data_dir)
    os.chmod(config.data_dir, files.FOLDER_MODE)
    try:
        return Store(config.store_db)
    except Damaged as error:
        aside = database.set_aside(config.store_db)
        told.append(f"the store was damaged ({error}); it lies in {aside} now, and every transcript still there is read anew")
        _remove_search(config)
        return Store(config.store_db)


def open_search(config: Config, told: list[str]) -> SearchBuild:
    """The search db for writing; an unusable one is set aside and begun anew, which is added to `told`."""
    try:
        return SearchBuild(config.search_db)
    except Damaged as error:
        aside = database.set_aside(config.search_db)
        told.append(f"the search db could not be used ({error}); it lies in {aside} now, a new one is built from the store")
        return SearchBuild(config.search_db)


def _remove_search(config: Config) -> None:
    """The search db is a cache: nothing is lost with it."""
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(config.search_db + suffix):
            os.unlink(config.search_db + suffix)


def _scratch(config: Config) -> str:
    """A private folder for database copies; what a killed run left in it is removed first."""
    scratch = os.path.join(config.data_dir, "scratch")
    shutil.rmtree(scratch, ignore_errors=True)
    files.ensure_folder(scratch)
    files.sweep(config.data_dir)
    return scratch


def _stamp(config: Config) -> None:
    path = os.path.join(config.data_dir, STAMP)
    if not os.path.exists(path):
        files.write(path, b"")
    os.utime(path)


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


def _task(candidate: Candidate, known: FileRow | None) -> Task:
    if known is None:
        return Task(candidate.path, candidate.root, candidate.agent or "")
    return Task(candidate.path, candidate.root, known.agent or candidate.agent or "", known.offset, known.edge, known.state)


class _Job:
    """One run under the lock."""

    def __init__(self, config: Config, store: Store, scratch: str, told: list[str], progress: Callable[[Progress], None] | None) -> None:
        self._config = config
        self._store = store
        self._told = told
        self._progress = progress
        self._known = store.files()
        self._redactor: Redactor | None = None
        self._search: SearchBuild | None = None
        self._scratch = scratch
        self._rows = self._records = self._bytes = 0
        self._unreadable: list[tuple[str, str]] = []

    def run(self, environ: Mapping[str, str], agents: tuple[str, ...], paths: tuple[str, ...]) -> IndexReport:
        """Find, read what changed, follow in the search db."""
        candidates, changed = self.changed(environ, agents, paths)
        missing = 0
        try:
            self._read_all(changed)
            if not agents and not paths:
                missing = self._mark_missing(candidates)
            self._follow(last=True)
        finally:
            if self._search is not None:
                self._search.close()
        return IndexReport(
            len(candidates), len(changed), self._bytes, self._records, self._rows, missing, tuple(self._unreadable), tuple(self._told)
        )

    def changed(
        self, environ: Mapping[str, str], agents: tuple[str, ...], paths: tuple[str, ...], *, remember: bool = True
    ) -> tuple[list[Candidate], list[tuple[Candidate, str, FileRow | None]]]:
        """All candidates; and those that are new or changed, oldest first, so that a fork comes after what it was forked from."""
        candidates = self._find(environ, agents, paths, remember=remember)
        changed = [found for found in ((one, *self._look_up(one)) for one in candidates) if self._is_new(*found)]
        changed.sort(key=lambda found: (found[0].mtime_ns, found[0].path))
        return candidates, changed

    def _find(self, environ: Mapping[str, str], agents: tuple[str, ...], paths: tuple[str, ...], *, remember: bool) -> list[Candidate]:
        """Every transcript and note there is, or those among and below `paths`."""
        if paths:
            candidates = [one for path in paths for one in discover.below(os.path.abspath(path))]
        else:
            candidates = self._find_all(environ, remember=remember)
        return [one for one in candidates if not agents or one.agent in agents or one.agent is None]

    def _find_all(self, environ: Mapping[str, str], *, remember: bool) -> list[Candidate]:
        config = self._config
        before = self._store.fact("walk")
        found = discover.Findings(cache=json.loads(before) if before else {})
        limits = discover.Limits(config.walk_depth, config.walk_seconds)
        globs = {agent: chosen for agent, chosen in ((NOTE, config.notes_globs), (TERMINAL, config.terminal_globs)) if chosen}
        candidates = list(
            discover.find(ADAPTERS.values(), config.home, environ, config.roots, findings=found, limits=limits, patterns=globs)
        )
        there = {one.path for one in candidates}
        # What was once pointed at by hand, or lies behind the limit of the walk, is still followed.
        candidates += [one for row in self._known.values() if row.path not in there and not row.missing for one in discover.below(row.path)]
        self._unreadable += found.problems
        if found.cut_short:
            self._told.append(
                f"the walk through your projects was cut short by its limit of {found.cut_short}: see `walk` in docs/config.md"
            )
        if remember:
            self._remember(found.cache, before)
        return candidates

    def _remember(self, cache: dict[str, Any], before: str) -> None:
        """Keep the walk's cache; a folder whose name holds a login is not written down and is listed anew each time."""
        text = dump_json(cache)
        if text != before and (text := self.redactor.redact(text)) != before:
            self._store.begin()
            self._store.save_fact("walk", text)
            self._store.commit()

    def _look_up(self, candidate: Candidate) -> tuple[str, FileRow | None]:
        """(state of the side files, what the store knows) of a candidate."""
        known = self._known.get(candidate.path)
        if known is None:
            known = self._known.get(ingest.stored_path(candidate.path, self.redactor))
        return side_state(known.agent if known else candidate.agent or "", candidate.path), known

    @staticmethod
    def _is_new(candidate: Candidate, side: str, known: FileRow | None) -> bool:
        return known is None or (known.size, known.mtime_ns, known.inode, known.side, known.missing) != (
            candidate.size,
            candidate.mtime_ns,
            candidate.inode,
            side,
            0,
        )

    @property
    def redactor(self) -> Redactor:
        """Made when first needed: a run with nothing new does without it."""
        if self._redactor is None:
            self._redactor = Redactor(key.load(self._config), known=self._store.logins())
        return self._redactor

    def _read_all(self, changed: list[tuple[Candidate, str, FileRow | None]]) -> None:
        if not changed:
            return
        config, store = self._config, self._store
        ports = ingest.Ports(store, self.redactor, projects.ProjectNames(), config.machine, config.classes)
        total = sum(candidate.size for candidate, _, _ in changed)
        settings = workers.Settings(key.load(config), self._scratch, config.thinking)
        readings = workers.read_all([_task(candidate, known) for candidate, _, known in changed], total, settings)
        done = in_store = in_search = 0
        store.begin()
        for (candidate, side, known), reading in zip(changed, readings, strict=True):
            ingest.ingest(ports, candidate, side, known, reading)
            self._records += reading.records
            self._bytes += reading.size
            if reading.error:
                self._unreadable.append((candidate.path, reading.error))
            done += candidate.size
            in_store += reading.size
            in_search += reading.size
            if in_store >= STORE_BATCH:
                store.commit()
                in_store = 0
                if in_search >= SEARCH_BATCH:
                    self._follow(last=False)
                    in_search = 0
                store.begin()
            if self._progress is not None:
                self._progress(Progress(done, total, "reading"))
        store.commit()

    def _mark_missing(self, candidates: list[Candidate]) -> int:
        there = {one.path for one in candidates}
        gone = [row.id for row in self._known.values() if not row.missing and row.path not in there and not os.path.exists(row.path)]
        if gone:
            self._store.begin()
            self._store.mark_missing(gone)
            self._store.commit()
        return len(gone)

    def _follow(self, *, last: bool) -> None:
        """Let the search db catch up with the store."""
        if self._search is None:
            self._search = open_search(self._config, self._told)
        self._rows += self._search.catch_up(self._store)
        if last:
            self._search.tidy(self._rows)
            self._search.respell()
