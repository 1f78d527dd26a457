"""Doing what a plan says: all backups first, then file by file; and putting the backups back."""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import DataDirUnusable
from libtool.features.scrub import content, rewrite
from libtool.features.scrub.content import DATABASE
from libtool.features.scrub.rewrite import CHANGED, LeftAlone, Original
from libtool.features.scrub.scratch import folder, sweep
from libtool.storage import database, files
from libtool.storage.backups import Backups
from libtool.storage.lock import writer_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from libtool.config import Config
    from libtool.features.scrub.live import Watch
    from libtool.features.scrub.plan import Item, Plan
    from libtool.storage.backups import Backup

LOCK_SECONDS = 60.0
AGAIN = "done, but its free pages may still hold old texts: run it again"


class Restored(NamedTuple):
    """A backup, and why it was not put back; '' when it was."""

    path: str
    why: str


def backups_of(config: Config) -> Backups:
    """The backups of this machine."""
    return Backups(os.path.join(config.data_dir, "backups"))


def execute(config: Config, plan: Plan, watch: Watch, progress: Callable[[int, int], None] = lambda _done, _total: None) -> list[Item]:
    """Scrub what is ready; each file as it is now, with `why` for one that was left after all.

    Raises DataDirUnusable, with nothing changed, when not everything can be backed up first; Locked.
    """
    watch.forget()
    with (
        database.failures(config.data_dir),
        writer_lock(config, LOCK_SECONDS, task="lib logins scrub"),
        folder(config.data_dir) as scratch,
        contextlib.closing(_Work(config, plan, watch, scratch)) as work,
    ):
        return list(work.results(progress))


class _Work:
    """One run."""

    def __init__(self, config: Config, plan: Plan, watch: Watch, scratch: str) -> None:
        self._plan = plan
        self._watch = watch
        self._backups = backups_of(config)
        self._scratch = scratch
        self._time = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self._idle: dict[str, Backup] = {}
        """Backups of files that are as they were."""

    def close(self) -> None:
        """Drop what is needed no more, however the run ended."""
        for name in list(self._idle):
            with contextlib.suppress(OSError):
                self._backups.drop(name)

    def results(self, progress: Callable[[int, int], None]) -> Iterator[Item]:
        ready = self._plan.ready
        self._finish_earlier()
        _sweep(self._backups, (one.target.real for one in ready))
        kept = self._keep_all(ready)
        total = sum(one.before for one in ready)
        done = 0
        for item in ready:
            progress(done, total)
            done += item.before
            backup = kept[item.target.real]
            yield item._replace(why=backup) if isinstance(backup, str) else self._one(item, backup)
        progress(total, total)

    def _keep_all(self, ready: list[Item]) -> dict[str, Backup | str]:
        """For each path its backup, or why the file is left."""
        kept: dict[str, Backup | str] = {}
        try:
            if not self._backups.has_room(sum(one.before for one in ready)):
                raise DataDirUnusable(
                    f"no room for the backups in {self._backups.folder}", hint="nothing was changed; make room, then run it again"
                )
            for item in ready:
                try:
                    backup = self._keep(item)
                except LeftAlone as error:
                    kept[item.target.real] = str(error)
                else:
                    kept[item.target.real] = self._idle[backup.name] = backup
        except OSError as error:
            raise DataDirUnusable(
                f"the backups cannot be written: {error.strerror}", hint=f"nothing was changed; see to {self._backups.folder}"
            ) from error
        return kept

    def _keep(self, item: Item) -> Backup:
        if item.target.form == DATABASE:
            from libtool.features.scrub import databases  # noqa: PLC0415 - sqlite3, for those who have one

            return databases.keep(item, self._backups, self._scratch, self._time)
        original = self._read(item)
        whose = item.target.agent, item.target.root
        return self._backups.keep(original.path, io.BytesIO(original.data), original.status, self._time, whose=whose)

    def _one(self, item: Item, backup: Backup) -> Item:
        """Scrub one file that has a backup."""
        try:
            self._may_go(item)
            done = self._database(item, backup) if item.target.form == DATABASE else self._file(item, backup)
        except LeftAlone as error:
            return item._replace(why=str(error))
        except OSError as error:
            return item._replace(why=f"it cannot be written: {error.strerror}")
        del self._idle[backup.name]
        return done

    def _file(self, item: Item, backup: Backup) -> Item:
        original = self._read(item)
        new = content.scrubbed(original.data, item.target.form, self._plan.redactor, only=item.target.only)
        self._backups.will_be(backup.name, hashlib.sha256(new.data).hexdigest(), len(new.data))
        rewrite.replace(original, new.data, lambda: self._may_go(item))
        return item._replace(logins=new.logins, after=len(new.data), left=new.left)

    def _database(self, item: Item, backup: Backup) -> Item:
        from libtool.features.scrub import databases  # noqa: PLC0415 - as above

        done, settled = databases.rewrite(item, self._plan.redactor, backup, self._backups)
        return done if settled else done._replace(why=AGAIN)

    def _read(self, item: Item) -> Original:
        original = rewrite.read(item.target.real)
        if hashlib.sha256(original.data).hexdigest() != item.sha256:
            raise LeftAlone(CHANGED)
        return original

    def _may_go(self, item: Item) -> None:
        target = item.target
        if reason := self._watch.reason(target.agent, target.root, target.real, target.sessions, target.beside):
            raise LeftAlone(reason)

    def _finish_earlier(self) -> None:
        """Wipe databases that an earlier run changed and did not get to wipe; drop the backups of what a killed one never changed."""
        for backup in self._backups.all():
            if not backup.after:
                self._backups.drop(backup.name)
            elif backup.database and not backup.settled and not _reason(backup, self._watch):
                from libtool.features.scrub import databases  # noqa: PLC0415 - as above

                databases.settle(backup, self._backups)


def _reason(backup: Backup, watch: Watch) -> str:
    """Why a file that has a backup must not be touched now; '' when nothing speaks against it."""
    return watch.reason(backup.agent, backup.root, backup.path, (), (backup.path + "-wal",) if backup.database else ())


def _sweep(backups: Backups, paths: Iterable[str] = ()) -> None:
    """Remove what killed runs left beside these files, beside those that have a backup, and among the backups."""
    for place in {backups.folder, *(os.path.dirname(path) for path in (*paths, *(one.path for one in backups.all())))}:
        files.sweep(place)


def purge(config: Config) -> int:
    """Delete all backups, and whatever killed runs left that holds what is in them; how many backups. Raises Locked, DataDirUnusable."""
    backups = backups_of(config)
    # No folder is made here: on a full disk this is what makes room.
    with database.failures(config.data_dir), writer_lock(config, LOCK_SECONDS, task="lib logins scrub --purge-backups"):
        sweep(config.data_dir)
        _sweep(backups)
        return backups.purge()


def restore(config: Config, watch: Watch) -> list[Restored]:
    """Put the backups back, the youngest first, with what the agent has added since; those put back are deleted.

    Raises Locked, DataDirUnusable.
    """
    backups = backups_of(config)
    out = []
    task = "lib logins scrub --restore"
    with database.failures(config.data_dir), writer_lock(config, LOCK_SECONDS, task=task), folder(config.data_dir) as scratch:
        watch.forget()
        _sweep(backups)
        for backup in reversed(backups.all()):
            try:
                _restore(backup, backups, watch, scratch)
            except LeftAlone as error:
                out.append(Restored(backup.path, str(error)))
            except OSError as error:
                out.append(Restored(backup.path, f"it cannot be written: {error.strerror}"))
            else:
                backups.drop(backup.name)
                out.append(Restored(backup.path, ""))
    return out


def _restore(backup: Backup, backups: Backups, watch: Watch, scratch: str) -> None:
    def may_go() -> None:
        if reason := _reason(backup, watch):
            raise LeftAlone(reason)

    if not backup.after:
        # The run was killed before it came to this file.
        return
    may_go()
    if backup.database:
        from libtool.features.scrub import databases  # noqa: PLC0415 - as above

        databases.empty_wal(backup.path)
    original = rewrite.read(backup.path)
    kept = backups.file(backup.name)
    if _sha(original.data) == backup.sha256:
        return
    with open(kept, "rb") as file:
        old = file.read()
    if _sha(old) != backup.sha256:
        raise LeftAlone(f"the backup is damaged: {kept}")
    if backup.database:
        from libtool.features.scrub import databases  # noqa: PLC0415 - as above

        now, added = databases.digest(backup.path, scratch), b""
        if now == databases.digest(kept, scratch):
            return
    else:
        now, added = _sha(original.data[: backup.after_size]), original.data[backup.after_size :]
    if now != backup.after:
        raise LeftAlone(f"it is no longer what the scrub made of it; the backup is {kept}")
    rewrite.replace(original, old + added, may_go)


def _sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
