"""Scrubbing an agent's SQLite database: looked at in a private copy, changed through its own transaction."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from libtool.adapters import sqlite_rewrite
from libtool.adapters.base import Source
from libtool.adapters.sqlite_rewrite import CannotRewrite
from libtool.features.scrub.content import Cells
from libtool.features.scrub.plan import Item
from libtool.features.scrub.rewrite import CHANGED, LeftAlone, told
from libtool.features.scrub.targets import tables_of

if TYPE_CHECKING:
    from libtool.domain.redact import Redactor
    from libtool.features.scrub.targets import Target
    from libtool.storage.backups import Backup, Backups


def look(target: Target, redactor: Redactor, scratch: str) -> Item:
    """What a scrub would do with the database."""
    state = marks(target.real)
    cells = Cells(redactor)
    try:
        source = Source.open(target.real, scratch=scratch)
        with source.file, sqlite_rewrite.looked_at(source) as database:
            database.look(cells.change, tables_of(target.agent), target.only)
    except (OSError, CannotRewrite) as error:
        return Item(target, why=told(error), unread=True)
    return Item(target, cells.logins, state[0][0] + state[1][0], left=cells.left, state=state)


def keep(item: Item, backups: Backups, scratch: str, time: str) -> Backup:
    """Back the database up, as one whole file. Raises LeftAlone when it is not what was looked at, OSError when the disk fails."""
    path = item.target.real
    copy = os.path.join(tempfile.mkdtemp(dir=scratch), "copy.db")
    try:
        source = Source.open(path, scratch=scratch)
        status = os.stat(path)
        with source.file, sqlite_rewrite.looked_at(source) as database:
            database.copy_to(copy)
    except (OSError, CannotRewrite) as error:
        raise LeftAlone(told(error)) from error
    try:
        if marks(path) != item.state:
            raise LeftAlone(CHANGED)
        with open(copy, "rb") as file:
            return backups.keep(path, file, status, time, database=True, whose=(item.target.agent, item.target.root))
    finally:
        os.unlink(copy)


def rewrite(item: Item, redactor: Redactor, backup: Backup, backups: Backups) -> tuple[Item, bool]:
    """Change it: what was done, and whether the old texts are gone from its free pages too. Raises LeftAlone with nothing changed."""
    path = item.target.real
    cells = Cells(redactor)

    def note(digest: str) -> None:
        # Before the commit: what is not noted was never changed.
        backups.will_be(backup.name, digest, 0)

    try:
        if marks(path) != item.state:
            raise LeftAlone(CHANGED)
        with sqlite_rewrite.opened(path) as database:
            database.change(cells.change, tables_of(item.target.agent), item.target.only, before_commit=note)
    except CannotRewrite as error:
        raise LeftAlone(str(error)) from error
    done = item._replace(logins=cells.logins, left=cells.left)
    settled = settle(backup, backups)
    return done._replace(after=os.stat(path).st_size), settled


def settle(backup: Backup, backups: Backups) -> bool:
    """Wipe what is left of old texts in a changed database, and note that; False when that has to be tried again."""
    try:
        with sqlite_rewrite.opened(backup.path) as database:
            database.settle()
        os.utime(backup.path, ns=(os.stat(backup.path).st_atime_ns, backup.mtime_ns))
        backups.settled(backup.name)
    except (CannotRewrite, OSError):
        return False
    return True


def empty_wal(path: str) -> None:
    """Move the WAL into the database, so that none is left that belongs to another content. Raises LeftAlone."""
    try:
        with sqlite_rewrite.opened(path):
            pass
    except CannotRewrite as error:
        raise LeftAlone(str(error)) from error


def digest(path: str, scratch: str) -> str:
    """What the tables of a database say (`Rewriting.digest`). Raises LeftAlone, OSError."""
    try:
        source = Source.open(path, scratch=scratch)
        with source.file, sqlite_rewrite.looked_at(source) as database:
            return database.digest()
    except CannotRewrite as error:
        raise LeftAlone(str(error)) from error


def marks(path: str) -> tuple[tuple[int, int, int], ...]:
    """Size, time and inode of a database and of its WAL; zeros for what is not there."""
    found = []
    for one in (path, path + "-wal"):
        try:
            status = os.stat(one)
        except OSError:
            found.append((0, 0, 0))
        else:
            found.append((status.st_size, status.st_mtime_ns, status.st_ino))
    return tuple(found)
