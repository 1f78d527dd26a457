"""`lib index`: bring store and search db up to date with every transcript and note of this machine."""

from __future__ import annotations

import contextlib
import hashlib
import os
from typing import TYPE_CHECKING, NamedTuple

from libtool import __version__
from libtool.features import freshness, login_key
from libtool.features.changes import Changes
from libtool.features.githooks import stripped
from libtool.features.reading import safe_name
from libtool.storage import database, files, key, logins, tombstones, watermark
from libtool.storage.digests import Digests
from libtool.storage.library_rows import LibraryRows
from libtool.storage.lock import writer_lock
from libtool.storage.search_build import SearchBuild
from libtool.storage.store import Damaged, Store, dump_json, salvage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.features.changes import Change

LOCK_SECONDS = 600.0
DIGEST_SECONDS, DIGEST_SHARE = 1.0, 0.1
"""How long a run may take to make digests: at least so many seconds, and so much of what it took until then with all processors."""
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
    entries: int = 0
    """Entries of the library that were new, changed or gone."""


def run(
    config: Config,
    environ: Mapping[str, str],
    *,
    agents: Iterable[str] = (),
    paths: Iterable[str] = (),
    rebuild: bool = False,
    progress: Callable[[Progress], None] | None = None,
    waiting: Callable[[str], None] | None = None,
) -> IndexReport:
    """Index what is new. `agents` limits to these agents, `paths` to these files or folders; `rebuild` makes the search db anew.

    `waiting` is told whom we wait for, when another lib process holds the lock for longer than a moment.

    Raises Locked when another writer does not end in time, DataDirUnusable when the data dir cannot be written or a newer lib made the
    store. KeyboardInterrupt leaves all whole batches and passes through.
    """
    with database.failures(config.data_dir), writer_lock(config, LOCK_SECONDS, task="lib index", waiting=waiting):
        told: list[str] = []
        scratch = _scratch(config)
        limits = tuple(agents), tuple(paths)
        try:
            try:
                report = _run(config, environ, limits, rebuild, Given(scratch, told, progress))
            except Damaged as error:
                # Damage inside a database shows only when its page is read. Once it is out of the way, all is done again.
                if not database.is_damage(error):
                    raise
                _mend(config, told)
                report = _run(config, environ, limits, rebuild, Given(scratch, told, progress))
        finally:
            _clear(scratch)
        if not any(limits):
            _stamp(config)
        return report


def open_store(config: Config, told: list[str]) -> Store:
    """The store for writing; a damaged one is set aside and begun anew, which is added to `told`. What was forgotten stays so."""
    try:
        if _is_emptied(config):
            raise database.WrongSchema("it is empty")
        store = Store(config.store_db)
    except Damaged as error:
        if not database.is_damage(error):
            raise
        store = _store_anew(config, told, str(error))
    tombstones.agree(config.data_dir, store)
    return store


@contextlib.contextmanager
def writing(config: Config, seconds: float, *, task: str, told: list[str] | None = None) -> Iterator[Store]:
    """The same under the writer's lock, for which `seconds` are waited; what was not committed at the end is undone.

    Raises Locked, DataDirUnusable.
    """
    told = [] if told is None else told
    with database.failures(config.data_dir), writer_lock(config, seconds, task=task), open_store(config, told) as store:
        yield store


def _is_emptied(config: Config) -> bool:
    """Whether something made the store an empty file: the search db says that there was one."""
    store, log = config.store_db, config.store_db + "-wal"
    empty = os.path.exists(store) and not os.path.getsize(store) and not (os.path.exists(log) and os.path.getsize(log))
    return empty and os.path.exists(config.search_db)


def _store_anew(config: Config, told: list[str], reason: str) -> Store:
    forgotten, logins = salvage(config.store_db)
    # First the search db: a kill in between must not leave it beside a store that it was not made from.
    database.remove(config.search_db)
    aside = database.set_aside(config.store_db)
    told.append(f"the store was damaged ({reason}); it lies in {aside} now, and every transcript still there is read anew")
    store = Store(config.store_db)
    store.restore(forgotten, logins)
    return store


def open_search(config: Config, told: list[str]) -> SearchBuild:
    """The search db for writing; an unusable one is set aside and begun anew, which is added to `told`."""
    try:
        return SearchBuild(config.search_db)
    except Damaged as error:
        if not database.is_damage(error):
            raise
        reason = str(error)
    return _search_anew(config, told, f"could not be used ({reason})")


def _search_anew(config: Config, told: list[str], reason: str) -> SearchBuild:
    # One is enough to look into: a cache that is damaged again and again must not fill the disk.
    import glob  # noqa: PLC0415 - rare

    for old in glob.glob(glob.escape(config.search_db) + ".damaged-*"):
        os.unlink(old)
    aside = database.set_aside(config.search_db)
    told.append(f"the search db {reason}; it lies in {aside} now, a new one is built from the store")
    return SearchBuild(config.search_db)


def _mend(config: Config, told: list[str]) -> None:
    """Set the store aside when SQLite's own check finds it damaged, else the search db: a cache, and FTS5 has damage of its own."""
    if database.is_sound(config.store_db):
        _search_anew(config, told, "was damaged").close()
    else:
        _store_anew(config, told, "inside").close()


def _scratch(config: Config) -> str:
    """A private folder for database copies, in the private data dir; what a killed run left in it is removed first."""
    if os.stat(config.data_dir).st_mode & 0o077:
        os.chmod(config.data_dir, files.FOLDER_MODE)
    scratch = os.path.join(config.data_dir, "scratch")
    _clear(scratch)
    files.ensure_folder(scratch)
    files.sweep(config.data_dir)
    return scratch


def _clear(folder: str) -> None:
    """Remove a folder with what may be in it; most often it is empty or not there."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return
    except OSError:
        import shutil  # noqa: PLC0415 - rare

        shutil.rmtree(folder, ignore_errors=True)


def _stamp(config: Config) -> None:
    path = os.path.join(config.data_dir, STAMP)
    if not os.path.exists(path):
        files.write(path, b"")
    os.utime(path)


class Given(NamedTuple):
    """What a run is given beside its task."""

    scratch: str
    told: list[str]
    progress: Callable[[Progress], None] | None


def _run(
    config: Config, environ: Mapping[str, str], limits: tuple[tuple[str, ...], tuple[str, ...]], rebuild: bool, given: Given
) -> IndexReport:
    """One run under the lock."""
    with contextlib.ExitStack() as stack:
        store = open_store(config, given.told)
        stack.callback(store.close)
        stack.callback(store.rollback)
        given.told.extend(login_key.follow(config, store))
        stripped.take_over(config, store, key.load(config))
        search = open_search(config, given.told)
        if not search.follows(store):
            search.close()
            search = _search_anew(config, given.told, "was made from another store or by another lib")
        stack.callback(search.close)
        return _Job(config, store, search, given).run(environ, *limits, rebuild=rebuild)


def _used() -> float:
    """Seconds of processor time that this process and the workers it has waited for took."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


class _Job:
    """One run with both databases open."""

    def __init__(self, config: Config, store: Store, search: SearchBuild, given: Given) -> None:
        self._config = config
        self._store = store
        self._search = search
        self._given = given
        self._redactor: Redactor | None = None
        self._rows = self._records = self._bytes = self._entries = 0
        self._unreadable: list[tuple[str, str]] = []

    def run(self, environ: Mapping[str, str], agents: tuple[str, ...], paths: tuple[str, ...], *, rebuild: bool) -> IndexReport:
        """Find, read what changed, follow in the search db."""
        store = self._store
        judged = self._judges()
        changes = Changes(self._config, store, self.redactor, anew=store.fact("judges") != judged)
        changed = changes.find(environ, agents, paths)
        self._unreadable += changes.problems
        if changed:
            self._take_in(changed, feed=not rebuild)
        missing = changes.missing() if not agents and not paths else []
        if missing or store.fact("walk") != changes.walk or store.fact("judges") != judged:
            store.begin()
            store.mark_missing(missing)
            store.save_fact("walk", changes.walk)
            if not agents and not paths:
                self._judge_anew(judged)
            store.commit()
        self._sweep()
        self._finish(rebuild=rebuild)
        told = (*self._given.told, *changes.told, *map(login_key.seen_again, logins.again(store.rows)))
        # A path may hold a login as any text may.
        unreadable = tuple((safe_name(path, self.redactor()), reason) for path, reason in self._unreadable)
        counts = changes.files, len(changed), self._bytes, self._records, self._rows, len(missing)
        return IndexReport(*counts, unreadable, told, self._entries)

    def _finish(self, *, rebuild: bool) -> None:
        """Make digests, let the search db follow, and put it in order."""
        wipe = bool(self._store.fact("traces"))
        if not (rebuild or wipe or self._search.is_unsettled()):
            self._digest()
            self._follow(rebuild=False)
            if self._rows:
                self._search.settle()
            return
        self._follow(rebuild=rebuild)
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - only when much is new

        with ThreadPoolExecutor(1) as beside:
            # SQLite's work, which leaves this thread free for Python's.
            settled = beside.submit(self._search.settle, wipe=wipe)
            self._digest()
            wiped = settled.result()
        self._rows += self._search.catch_up(self._store)
        self._search.settle()
        if wipe:
            from libtool.features import sweep  # noqa: PLC0415 - rare

            sweep.wipe_store(self._store, wiped=wiped)

    def _follow(self, *, rebuild: bool) -> None:
        """Let the search db follow the store and the library."""
        if rebuild:
            self._rows += self._search.rebuild(self._store, self._take_library)
            return
        self._rows += self._search.catch_up(self._store)
        if self._store.fact("library"):
            from libtool.features import sweep  # noqa: PLC0415 - only when a login became known

            sweep.follow_library(self._config, self._store, self._search)
        rows = LibraryRows(self._search)
        known = rows.known()
        lag = freshness.look(self._config.library, known, rows.watermark)
        if lag or (known and rows.watermark() != watermark.of(self._config.library)):
            from libtool.features import library_index  # noqa: PLC0415 - with the redactor's weight

            done = library_index.catch_up(self._config, self._search, self.redactor)
            self._entries, self._rows = done.entries, self._rows + done.rows

    def _take_library(self) -> int:
        from libtool.features import library_index  # noqa: PLC0415 - as above

        done = library_index.take_in(self._config, self._search, self.redactor)
        self._entries = done.entries
        return done.rows

    def redactor(self) -> Redactor:
        """Made when first needed: a run with nothing new does without it."""
        if self._redactor is None:
            from libtool.domain.redact import Redactor  # noqa: PLC0415 - 8 ms

            self._redactor = Redactor(key.load(self._config), known=self._store.logins(), allow=self._config.logins_allow)
        return self._redactor

    def _take_in(self, changed: list[Change], *, feed: bool) -> None:
        """Read what changed into the store."""
        from libtool.features import intake  # noqa: PLC0415 - with adapters' and redactor's weight, which a run with nothing new need not bear

        taken = intake.take_in(self._config, self._store, self.redactor(), changed, self._given, self._search if feed else None)
        self._records, self._bytes, self._rows = taken.records, taken.bytes, taken.rows
        self._unreadable += taken.unreadable

    def _sweep(self) -> None:
        """Take out of what is stored already the logins that are known only now."""
        if logins.unswept(self._store):
            from libtool.features import sweep  # noqa: PLC0415 - only when one became known

            sweep.sweep(self._config, self._store, self.redactor())

    def _digest(self) -> None:
        """Make the digests that are due, for a share of what the run took."""
        if not Digests(self._store.db).are_current():
            from libtool.features import digest  # noqa: PLC0415 - only when something was said

            share = DIGEST_SHARE * _used()
            if share > DIGEST_SECONDS:
                from libtool.features import workers  # noqa: PLC0415 - what took so long has imported it

                share /= workers.available()
            digest.catch_up(self._store, seconds=max(DIGEST_SECONDS, share))

    def _judges(self) -> str:
        """What the classes of sessions follow from, beside the sessions: the user's overrides and our rules, which come with a version."""
        return hashlib.sha256(dump_json([__version__, self._config.classes]).encode()).hexdigest()[:16]

    def _judge_anew(self, judged: str) -> None:
        """Class all sessions anew when the overrides or the rules have changed."""
        if self._store.fact("judges") != judged:
            from libtool.features import ingest  # noqa: PLC0415 - rare

            for session in self._store.session_rows():
                ingest.reclass(self._store, session, self._config.classes)
            self._store.save_fact("judges", judged)
