"""Reads changed transcripts, in several processes, and puts them into the store in batches; the search db is fed on the way."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from libtool.features import ingest, projects, workers
from libtool.features.changes import side_state, task_of
from libtool.features.index import Progress
from libtool.features.reading import NOT_RECOGNISED, VANISHED
from libtool.storage import key

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.features.changes import Change
    from libtool.features.index import Given
    from libtool.features.reading import Reading
    from libtool.storage.search_build import SearchBuild
    from libtool.storage.store import Store

STORE_BATCH = 16 << 20
"""Bytes of transcripts a transaction: what a kill can cost."""
STORE_SECONDS = 2.0
"""And how long one may take: many small files are few bytes."""


class Taken(NamedTuple):
    """What was read: records and bytes of transcripts, rows written to the search db, (path, reason) of what could not be read."""

    records: int
    bytes: int
    rows: int
    unreadable: list[tuple[str, str]]


def take_in(
    config: Config,
    store: Store,
    redactor: Redactor,
    changed: list[Change],
    given: Given,
    search: SearchBuild | None,
    clock: Callable[[], float] = time.monotonic,
) -> Taken:
    """Read and store in order, a transaction a batch; feed `search` after each. A run that ends before its time leaves no worker behind."""
    # Only now: the readers' states of all files together may be large.
    changed = [
        change._replace(known=change.known._replace(state=store.state(change.known.id))) if change.known else change for change in changed
    ]
    ports = ingest.Ports(store, redactor, projects.ProjectNames(), config.machine, config.classes)
    sizes = [change.candidate.size for change in changed]
    total = sum(sizes)
    providers = os.path.join(config.data_dir, "providers")
    settings = workers.Settings(key.load(config), given.scratch, config.thinking, config.logins_allow, providers)
    done = in_store = records = size = rows = 0
    since = clock()
    unreadable: list[tuple[str, str]] = []
    with contextlib.closing(workers.read_all([task_of(change) for change in changed], sizes, settings)) as readings:
        store.begin()
        for change, reading in zip(changed, readings, strict=True):
            if reading.error != VANISHED:
                _take(ports, change, reading)
            records += reading.records
            size += reading.size
            if _is_news(change, reading.error):
                unreadable.append((change.candidate.path, reading.error))
            done += change.candidate.size
            in_store += reading.size
            if in_store >= STORE_BATCH or clock() - since >= STORE_SECONDS:
                store.commit()
                in_store, since = 0, clock()
                if search is not None:
                    # In small steps, so that the workers need not wait for long.
                    rows += search.feed(store)
                store.begin()
            if given.progress is not None:
                given.progress(Progress(done, total, "reading"))
        store.commit()
        if search is not None:
            rows += search.feed(store)
    return Taken(records, size, rows, unreadable)


def _is_news(change: Change, error: str) -> bool:
    """Whether a file that could not be read is to be told: one that nobody knows only when it is new."""
    again = change.known is not None and change.known.error.startswith(NOT_RECOGNISED) and error.startswith(NOT_RECOGNISED)
    return error not in ("", VANISHED) and not again


def _take(ports: ingest.Ports, change: Change, reading: Reading) -> None:
    candidate, side, known = change
    if reading.agent and reading.agent != (known.agent if known else candidate.agent):
        side = side_state(reading.agent, candidate.path)
    ingest.ingest(ports, candidate, side, known, reading)
