"""What follows when a sync has changed the library: the other machines' ledgers are taken over, and the search db catches up."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from libtool.errors import LibError
from libtool.features import library_index, login_sharing
from libtool.storage.lock import writer_lock
from libtool.storage.search_build import SearchBuild
from libtool.storage.store import Damaged

if TYPE_CHECKING:
    from libtool.config import Config

SECONDS = 10.0
"""How long another writer is waited for."""
LEDGERS = "logins"


def take_in(config: Config) -> None:
    """Never fails: a search notices that the library has changed, and catches up by itself; ledgers are taken over at the next sync."""
    with contextlib.suppress(LibError, OSError, Damaged):
        login_sharing.take_shared(config, _ledgers(config))
    if not os.path.exists(config.search_db):
        return
    with (
        contextlib.suppress(LibError, OSError, Damaged),
        writer_lock(config, SECONDS, task="lib sync"),
        SearchBuild(config.search_db) as search,
    ):
        library_index.catch_up(config, search)


def _ledgers(config: Config) -> dict[str, bytes]:
    """The files of all machines, as far as they are plain files of a size that can be one."""
    folder = os.path.join(config.library, LEDGERS)
    found = {}
    with contextlib.suppress(OSError):
        for entry in os.scandir(folder):
            if entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_size <= login_sharing.LARGEST:
                with open(entry.path, "rb") as file:
                    found[entry.name] = file.read()
    return found
