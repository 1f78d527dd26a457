"""The store, open for one change of the ledger."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from libtool.storage import database, files, tombstones
from libtool.storage.lock import writer_lock
from libtool.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.config import Config

LOCK_SECONDS = 60.0


@contextlib.contextmanager
def locked(config: Config, task: str) -> Iterator[Store]:
    """The store, made where there is none, under the writer's lock; what was not committed at the end is undone.

    Raises Locked, DataDirUnusable, and NotIndexed for a damaged one: only `lib index` sets that aside, as it tells so and reads all anew.
    """
    with database.failures(config.data_dir), database.damage(config.store_db):
        files.ensure_folder(config.data_dir)
        with writer_lock(config, LOCK_SECONDS, task=task), Store(config.store_db) as store:
            tombstones.agree(config.data_dir, store)
            yield store
