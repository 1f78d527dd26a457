"""The key of the fingerprints over time: carried to another machine, changed, lost.

A fingerprint cannot be made anew under another key, since no login is kept. So with another key, lib knows a login again when it meets
it in a transcript, which it reads again for that; what is in no transcript any more is known by its old fingerprint only: it stays
listed, and is not recognised without its context. The key that was in use before brings all of that back.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import UsageError
from libtool.features import login_store
from libtool.storage import database, files, key, logins
from libtool.storage.lock import writer_lock

if TYPE_CHECKING:
    from libtool.config import Config
    from libtool.storage.logins import Rows
    from libtool.storage.store import Store

FACT = "key"
"""Where the store keeps the tag of the key that its fingerprints were made with."""
_LOST = "lost"
"""Stands for the tag of a key that was gone before it was noted."""
_BACK = (
    "if you still have the old one (`lib logins key export` on another machine, a backup of the data dir), `lib logins key import` brings"
    " them back"
)


def seen_again(row: tuple[str, str, str, str]) -> str:
    """What to tell of a login, (fingerprint, kind, rotated, last seen), that was met after it was rotated."""
    fingerprint, kind, rotated, last = row
    return (
        f"login {fingerprint} ({kind}) was seen again on {last[:10]}, after it was rotated on {rotated[:10]}:"
        f" is it still in use? `lib logins` tells where"
    )


class Changed(NamedTuple):
    """What came of a change of the key."""

    tag: str
    """The tag of the key in use now."""
    behind: int
    """Logins that are known by an earlier key only, until they are met again."""


def follow(config: Config, store: Store) -> list[str]:
    """At the start of a run: whether the key is the one that the store's fingerprints were made with; what to tell when it is not.

    Makes the key when there is none. No transaction may be open.
    """
    before = store.fact(FACT)
    if not before and not os.path.exists(config.key_file) and store.logins():
        before = _LOST
    after = key.tag(key.load(config))
    if before == after:
        return []
    store.begin()
    behind = logins.change_key(store, before, after) if before else 0
    store.save_fact(FACT, after)
    store.commit()
    return [_told(behind)] if before else []


def _told(behind: int) -> str:
    return (
        f"the key of the fingerprints is another one than before: its file was lost or replaced. {behind} known logins are not recognised"
        f" without their context until they are met again; {_BACK}"
    )


def at_hand(config: Config) -> bytes:
    """The key, for a look: made only where nothing was fingerprinted yet. Raises UsageError when it is gone, and as `key.load`."""
    there = key.there(config)
    if there is None and logins.known(config):
        raise UsageError(
            f"the key file {config.key_file} is gone",
            hint="`lib logins key import` takes the old one, or `lib index` makes a new one and reads everything again",
        )
    return key.load(config) if there is None else there


def used(rows: Rows) -> str:
    """The tag of the key that the store's fingerprints were made with; '' before the first."""
    return next((str(row[0]) for row in rows(f"SELECT value FROM fact WHERE name = '{FACT}'")), "")  # noqa: S608 - our own name


def alerts(config: Config, rows: Rows) -> tuple[str, ...]:
    """What must be said loudly: a key that is gone, logins seen again after they were rotated. `rows` asks the store."""
    count = rows("SELECT count(*) FROM login WHERE spreads AND key = ''")[0][0]
    lost = _problem(config, used(rows), int(count))
    return (*([lost] if lost else []), *map(seen_again, logins.again(rows)))


def _problem(config: Config, noted: str, count: int) -> str:
    """What is wrong with the key file, given the tag that the store has noted and the number of logins it knows; '' when nothing is."""
    there = key.there(config)
    if there is None and count:
        return (
            f"the key file {config.key_file} is gone: {count} known logins cannot be recognised without their context."
            f" The next `lib index` makes a new key and reads everything again; {_BACK}"
        )
    if there is not None and noted and key.tag(there) != noted:
        return "the key file was replaced: `lib index` reads everything again with the new key"
    return ""


def exported(config: Config, target: str = "") -> str:
    """The key as text, or '' when it was written to the new file `target` (0600). Raises UsageError where there is a file or no key."""
    there = key.there(config)
    if there is None:
        raise UsageError("there is no key on this machine yet", hint="`lib index` makes one, or import that of another machine")
    if not target:
        return key.written(there)
    try:
        descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, files.FILE_MODE)
    except OSError as error:
        raise UsageError(f"cannot make {target}: {error.strerror}", hint="name a new file; none is overwritten") from error
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(key.written(there) + "\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        os.unlink(target)
        raise UsageError(f"cannot write {target}: {error.strerror}", hint="name a new file where there is room") from error
    return ""


def is_in_use(config: Config, new: bytes) -> bool:
    """Whether this is the key already."""
    return key.there(config) == new


def change(config: Config, new: bytes) -> Changed:
    """Use another key from now on. Raises Locked when another writer does not end in time."""
    if not os.path.exists(config.store_db):
        with database.failures(config.data_dir), writer_lock(config, login_store.LOCK_SECONDS, task="lib logins key"):
            key.replace(config, new)
        return Changed(key.tag(new), 0)
    with login_store.locked(config, "lib logins key") as store:
        before = key.there(config)
        noted = store.fact(FACT) or (key.tag(before) if before else _LOST)
        store.begin()
        behind = logins.change_key(store, noted, key.tag(new))
        # First the file, then the note of it: a kill in between is told and mended by the next run.
        key.replace(config, new)
        store.save_fact(FACT, key.tag(new))
        store.commit()
    return Changed(key.tag(new), behind)


def made() -> bytes:
    """A new key."""
    return os.urandom(key.SIZE)
