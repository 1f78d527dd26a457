"""Backups of foreign files that lib is about to rewrite: whole, private, with an index. They hold the logins until they are purged.

A folder of mode 0700 in the data dir: one file a backup, and `index.jsonl`, to which lines are only ever added: `kept` before anything is
changed, `after` (what the file will be) right before it is put in place, `settled`, `dropped`. A line that a kill cut is skipped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.storage import files

if TYPE_CHECKING:
    from typing import BinaryIO

_INDEX = "index.jsonl"
_PIECE = 1 << 20


class Backup(NamedTuple):
    """One backup: where the file lay, what it was, and what was put in its place."""

    name: str
    path: str
    """Absolute path of the file, links resolved."""
    sha256: str
    size: int
    mode: int
    mtime_ns: int
    time: str
    """RFC 3339, UTC."""
    database: bool = False
    after: str = ""
    """SHA-256 of what was put there, of a database `Rewriting.digest` of that; '' when nothing ever was."""
    after_size: int = 0
    settled: bool = False
    """Of a database: whether its free pages were wiped."""
    agent: str = ""
    root: str = ""
    """Whose file it is, and the root of the place where the agent keeps it."""


class Backups:
    """The backups below one folder, which is made when the first is kept. Methods raise OSError when the disk fails."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def keep(
        self, path: str, source: BinaryIO, status: os.stat_result, time: str, *, database: bool = False, whose: tuple[str, str] = ("", "")
    ) -> Backup:
        """Copy `source` and note it, on the disk when this returns; `whose` (agent, root) it is. A failure leaves no part of it."""
        files.ensure_folder(self.folder)
        os.chmod(self.folder, files.FOLDER_MODE)
        name = os.urandom(12).hex()
        digest, size = hashlib.sha256(), 0
        with files.replacing(self.file(name), mode=files.FILE_MODE) as out:
            while piece := source.read(_PIECE):
                out.write(piece)
                digest.update(piece)
                size += len(piece)
        backup = Backup(name, path, digest.hexdigest(), size, stat.S_IMODE(status.st_mode), status.st_mtime_ns, time, database)
        backup = backup._replace(agent=whose[0], root=whose[1])
        try:
            self._note({"event": "kept", **backup._asdict()})
        except OSError:
            os.unlink(self.file(name))
            raise
        return backup

    def will_be(self, name: str, sha256: str, size: int) -> None:
        """Note what is about to be put in the place of a file."""
        self._note({"event": "after", "name": name, "after": sha256, "after_size": size})

    def settled(self, name: str) -> None:
        """Note that the free pages of a database were wiped."""
        self._note({"event": "settled", "name": name, "settled": True})

    def drop(self, name: str) -> None:
        """Delete a backup that is needed no more. With the last one the index goes: a path in it may hold a login."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.file(name))
        if not self.all():
            self.purge()
            return
        # What is not there is no backup: on a full disk the line may be missing.
        with contextlib.suppress(OSError):
            self._note({"event": "dropped", "name": name})

    def all(self) -> list[Backup]:
        """The backups there are, oldest first."""
        found: dict[str, Backup] = {}
        for event in self._events():
            name, kind = event.pop("name", ""), event.pop("event", "")
            if kind == "kept" and os.path.exists(self.file(name)):
                found[name] = Backup(name=name, **event)
            elif kind in ("after", "settled") and name in found:
                found[name] = found[name]._replace(**event)
            elif kind == "dropped":
                found.pop(name, None)
        return list(found.values())

    def file(self, name: str) -> str:
        """Where the copy lies."""
        return os.path.join(self.folder, name)

    def size(self) -> tuple[int, int]:
        """(files, bytes) of all backups."""
        sizes = [one.size for one in self.all()]
        return len(sizes), sum(sizes)

    def has_room(self, size: int) -> bool:
        """Whether the disk has room for so many bytes more."""
        files.ensure_folder(self.folder)
        return shutil.disk_usage(self.folder).free > size

    def purge(self) -> int:
        """Delete all backups and what killed runs left of some; returns how many files went."""
        count = 0
        with contextlib.suppress(FileNotFoundError):
            # The index last: what is left of a purge that was interrupted is still listed.
            for name in sorted(os.listdir(self.folder), key=lambda name: name == _INDEX):
                os.unlink(os.path.join(self.folder, name))
                count += name != _INDEX
            os.rmdir(self.folder)
        return count

    def _note(self, event: dict[str, Any]) -> None:
        """Add a line to the index, behind the end of one that was cut."""
        descriptor = os.open(os.path.join(self.folder, _INDEX), os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, files.FILE_MODE)
        with os.fdopen(descriptor, "r+b") as file:
            end = file.seek(0, os.SEEK_END)
            file.seek(max(end - 1, 0))
            cut = file.read(1) not in (b"", b"\n")
            file.write(b"\n" * cut + json.dumps(event, separators=(",", ":")).encode() + b"\n")
            file.flush()
            os.fsync(descriptor)

    def _events(self) -> list[dict[str, Any]]:
        try:
            with open(os.path.join(self.folder, _INDEX), "rb") as file:
                lines = file.read().splitlines()
        except (FileNotFoundError, NotADirectoryError):
            return []
        events = []
        for line in lines:
            with contextlib.suppress(ValueError):
                events.append(json.loads(line))
        return events
