"""Which agents' files hold a login in plaintext now: those where it was met and that are as they were, or hold it still when read again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.storage import key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from libtool.config import Config

READ_AGAIN = 200 << 20
"""Bytes of changed files that a listing reads at most; what lies beyond is taken to hold what it held."""

_INODE = (1 << 63) - 1
"""What of an inode's number the store holds."""


class Place(NamedTuple):
    """Where a login was met (storage.logins.sightings)."""

    file: int
    path: str
    missing: int
    inode: int
    size: int
    mtime_ns: int
    reader: str
    """The agent whose adapter reads the file."""
    agent: str
    sid: str
    project: str
    machine: str
    first: str
    last: str
    times: int
    there: int


def holding(config: Config, seen: Mapping[str, Iterable[Place]]) -> dict[str, list[str]]:
    """For each fingerprint: the files that hold it now."""
    files: dict[str, dict[str, Place]] = {}
    for fingerprint, places in seen.items():
        files[fingerprint] = {place.path: place for place in places if place.there and not place.missing}
    wanted: dict[str, set[str]] = {}
    for fingerprint, held in files.items():
        for path in held:
            wanted.setdefault(path, set()).add(fingerprint)
    disk = _Disk(config)
    still = {path: disk.holds(next(files[one][path] for one in names), names) for path, names in wanted.items()}
    return {fingerprint: [path for path in held if fingerprint in still[path]] for fingerprint, held in files.items()}


class _Disk:
    """Looks at files, and reads those again that have changed."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self._left = READ_AGAIN

    def holds(self, place: Place, names: set[str]) -> set[str]:
        """Which of these logins a file holds."""
        # The path of a file that has a login in its name is not known: the store holds it redacted.
        if "[REDACTED:" in place.path:
            return names
        try:
            status = os.stat(place.path)
        except FileNotFoundError:
            return set()
        except OSError:
            return names
        same = (status.st_size, status.st_mtime_ns, status.st_ino & _INODE) == (place.size, place.mtime_ns, place.inode)
        if same or status.st_size > self._left:
            return names
        self._left -= status.st_size
        return self._read(place, names)

    def _read(self, place: Place, names: set[str]) -> set[str]:
        from libtool.domain.redact import Redactor  # noqa: PLC0415 - rare: most files are as they were
        from libtool.features.reading import Task, Transcripts  # noqa: PLC0415 - as above

        config = self._config
        secret = key.load(config)
        # No copy of a database is made: without a folder for it, such a file is taken to hold what it held.
        nowhere = os.path.join(config.data_dir, "no-copies")
        reading = Transcripts(secret, nowhere, thinking=config.thinking).read(Task(place.path, config.home, place.reader))
        if reading.error or not reading.agent:
            return names
        redactor = Redactor(secret, known=names, learn=False)
        for row in reading.rows:
            redactor.redact_known(row[3])
        return names & (redactor.found.keys() | {row[0] for row in reading.logins})
