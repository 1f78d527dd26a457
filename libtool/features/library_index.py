"""Taking the library into the search db: what an agent reads in its work tree, redacted, since what was pulled is anybody's text."""

from __future__ import annotations

import time
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import passages
from libtool.domain.text import clean
from libtool.errors import LibError
from libtool.features import freshness, machines, redact
from libtool.storage import library, watermark
from libtool.storage.library_rows import LibraryRows, Taken, checksum
from libtool.storage.lock import writer_lock
from libtool.storage.search_build import SearchBuild
from libtool.storage.store import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.features.freshness import Lag

_UNHURRIED = 600.0
SEARCH_SECONDS = 0.3
"""What a search may spend on catching up, and on waiting for another one that does."""


class Outcome(NamedTuple):
    """What a catch-up did."""

    entries: int
    """Entries that were new, changed or gone."""
    rows: int
    """Rows of the index written."""
    left: int
    """Entries that there was no time for."""


def in_search(config: Config, lag: Lag, seconds: float = SEARCH_SECONDS) -> int:
    """Catch up before a search answers; how many entries it may be wrong about all the same, -1 when that is not known.

    Never fails: what another writer, a read-only disk or a damaged database keeps us from is said in the answer.
    """
    until = time.monotonic() + seconds
    try:
        with writer_lock(config, seconds, task="lib search"), SearchBuild(config.search_db) as search:
            # Somebody else's transaction: a program that knows nothing of our lock.
            search.db.execute(f"PRAGMA busy_timeout = {int(seconds * 1000)}")
            done = catch_up(config, search, until=until)
    except (LibError, OSError, Damaged):
        return lag.entries()
    return done.left


def catch_up(config: Config, search: SearchBuild, redactor: Callable[[], Redactor] | None = None, *, until: float | None = None) -> Outcome:
    """Bring the search db up to the library in one transaction, the youngest entries first, until the clock says `until`.

    The caller holds the writer lock. Writes nothing when nothing has changed.
    """
    search.db.execute("BEGIN IMMEDIATE")
    try:
        outcome = take_in(config, search, redactor, until=until)
    except BaseException:
        search.db.execute("ROLLBACK")
        raise
    search.db.execute("COMMIT")
    return outcome


def take_in(config: Config, search: SearchBuild, redactor: Callable[[], Redactor] | None = None, *, until: float | None = None) -> Outcome:
    """What `catch_up` does, inside the caller's transaction."""
    rows = LibraryRows(search)
    known = rows.known()
    mark = watermark.of(config.library)
    seconds = _UNHURRIED if until is None else until - time.monotonic()
    lag = freshness.look(config.library, known, rows.watermark, seconds=seconds)
    if not rows.may_write():
        return Outcome(0, 0, lag.entries())
    job = _Job(config, rows, redactor or partial(redact.redactor, config), known, lag)
    for name in lag.gone:
        job.drop(name)
    for done, name in enumerate((*lag.changed, *lag.settled)):
        if until is not None and done and time.monotonic() > until:
            left = sum(one.startswith(library.ENTRIES) for one in lag.changed[done:])
            return Outcome(job.entries, job.written, left if lag.sure else -1)
        job.take(name)
    if lag.whole and (known or lag.found):
        rows.save_watermark(mark)
    return Outcome(job.entries, job.written, 0 if lag.sure else -1)


class _Job:
    def __init__(self, config: Config, rows: LibraryRows, redactor: Callable[[], Redactor], known: dict[str, Taken], lag: Lag) -> None:
        self._library = config.library
        self._rows = rows
        self._redactor = cache(redactor)
        self._known = known
        self._found = lag.found
        self._now = time.time_ns()
        self.entries = self.written = 0

    def drop(self, name: str) -> None:
        """Forget a file that is gone."""
        self.written += self._rows.drop(name)
        self.entries += name.startswith(library.ENTRIES)

    def take(self, name: str) -> None:
        """Read a file and replace what was known of it, unless it holds what it held."""
        data = library.content(self._library, name)
        if data is None:
            # Gone since it was listed: the next look sees it.
            return
        stamp, time_ns = self._found[name]
        taken = Taken(stamp, self._now - time_ns > freshness.GRAIN_NS, checksum(data))
        known = self._known.get(name)
        if known is not None and known.crc == taken.crc:
            self._rows.settle(name, taken)
        elif name.startswith(library.ENTRIES):
            topic = library.topic_of(name)
            text = self._redactor().redact(clean(data.decode("utf-8", "replace")))
            self.written += self._rows.put_entry(topic, taken, passages.read(topic, text))
            self.entries += 1
        else:
            self._rows.put_machine(name, taken, machines.read(data, library.topic_of(name)))
