"""What agent hooks leave to be done: marks, the sessions that are open, how the last work ended. Small files in `events` of the data dir.

A mark is a file of its own, so that events of different processes never meet in one, and many of one kind and session are one. Who works
holds the lock; a mark is put aside while it is worked on, so that a new one of the same name is not taken for done, and whoever works
next finds what a killed one had put aside. Nothing in here is unredacted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from libtool.storage import files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.config import Config

FOLDER = "events"
_MARK, _TAKEN, _OPEN = ".mark", ".taken", ".open"
_RESULTS = "results.json"
_LOG = "hooks.log"
LARGEST = 1 << 20
"""Bytes of a mark: what is larger was not written by us."""
KEPT_SECONDS = 7 * 86_400.0
LOG_BYTES = 64 << 10
"""The log of the hooks is cut to its newer half when it is longer."""


class Mark(NamedTuple):
    """Something happened in a session."""

    agent: str
    kind: str
    session: str
    path: str = ""
    """Its transcript; '' when the agent does not say, or its name may not be written down."""
    summary: str = ""
    """A compaction's summary, redacted."""
    process: str = ""
    """The agent's process, as `storage.attempts` names it."""
    time: float = 0.0


class Outcome(NamedTuple):
    """How a kind of work ended last: when (seconds since 1970), whether well, and what there is to say."""

    time: float
    ok: bool
    text: str


class Events:
    """The folder of one data dir. Every method may raise OSError."""

    def __init__(self, config: Config) -> None:
        self._folder = os.path.join(config.data_dir, FOLDER)
        self._logs = config.logs

    # Marks

    def put(self, mark: Mark) -> None:
        """Leave a mark; it takes the place of one of the same kind and session, unless they bring different summaries."""
        name = _digest(mark.agent, mark.session, mark.kind, mark.summary)
        self._write(name + _MARK, mark)

    def waiting(self) -> bool:
        """Whether there is a mark that nobody works on."""
        return any(name.endswith(_MARK) for name in self._names())

    def take(self, now: float) -> list[tuple[str, Mark]]:
        """Put all marks aside; (name, mark) of each, those of a killed process too, the oldest first. Only under `worker`.

        One that could not be worked on for KEPT_SECONDS goes.
        """
        for name in self._names():
            if name.endswith(_MARK):
                os.replace(os.path.join(self._folder, name), os.path.join(self._folder, name.removesuffix(_MARK) + _TAKEN))
        found = sorted(self._marks(_TAKEN), key=lambda named: (named[1].time, named[0]))
        for name, mark in found:
            if mark.time < now - KEPT_SECONDS:
                self._remove(name)
        return [(name, mark) for name, mark in found if mark.time >= now - KEPT_SECONDS]

    def done(self, name: str) -> None:
        """A mark of `take` was worked on."""
        self._remove(name)

    @contextlib.contextmanager
    def worker(self) -> Iterator[bool]:
        """Hold the lock of the one who works; False when another process does. Freed by the kernel when its holder dies."""
        with self._lock("worker") as mine:
            yield mine

    @contextlib.contextmanager
    def syncer(self) -> Iterator[bool]:
        """The same for the one who syncs, or waits to."""
        with self._lock("sync") as mine:
            yield mine

    # Open sessions

    def opened(self, mark: Mark) -> None:
        """Note that a session goes on; by which process, unless that is known from before and not now."""
        name = _digest(mark.agent, mark.session) + _OPEN
        before = self._read(name)
        if before is not None:
            mark = mark._replace(process=mark.process or before.process, path=mark.path or before.path)
        self._write(name, mark._replace(summary=""))

    def closed(self, agent: str, session: str) -> bool:
        """Note that a session has ended; whether it was known to be open."""
        return self._remove(_digest(agent, session) + _OPEN)

    def forget(self, agent: str, session: str) -> None:
        """Remove what is noted of a session; who works on it now will find it forgotten."""
        for suffix in (_MARK, _TAKEN, _OPEN):
            for name, mark in list(self._marks(suffix)):
                if (mark.agent, mark.session) == (agent, session):
                    self._remove(name)

    def still_open(self) -> list[Mark]:
        """The sessions of which no end was told, the oldest first."""
        return sorted((mark for _, mark in self._marks(_OPEN)), key=lambda mark: mark.time)

    # Outcomes

    def ended(self, work: str, outcome: Outcome) -> None:
        """Note how `work` (a word of ours) ended."""
        self._keep({**self.outcomes(), work: outcome})

    def settled(self, work: str) -> None:
        """Note no longer how `work` ended."""
        found = self.outcomes()
        if found.pop(work, None) is not None:
            self._keep(found)

    def _keep(self, found: dict[str, Outcome]) -> None:
        text = json.dumps({name: list(one) for name, one in sorted(found.items())}, ensure_ascii=False)
        files.write(os.path.join(self._folder, _RESULTS), text.encode("utf-8", "replace"))

    def outcomes(self) -> dict[str, Outcome]:
        """How each kind of work ended last."""
        try:
            with open(os.path.join(self._folder, _RESULTS), "rb") as file:
                stored = json.loads(file.read(LARGEST))
            return {str(name): Outcome(float(when), bool(ok), str(text)) for name, (when, ok, text) in stored.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def log(self, line: str) -> None:
        """Add a line (ours, without foreign text) to the log of the hooks."""
        path = os.path.join(self._logs, _LOG)
        files.ensure_folder(self._logs)
        stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, files.FILE_MODE)
        try:
            os.write(descriptor, f"{stamp} {line}\n".encode("utf-8", "backslashreplace"))
            size = os.fstat(descriptor).st_size
        finally:
            os.close(descriptor)
        if size > LOG_BYTES:
            with open(path, "rb") as file:
                newer = file.read()[-LOG_BYTES // 2 :]
            files.write(path, newer[newer.find(b"\n") + 1 :])

    # Files

    @contextlib.contextmanager
    def _lock(self, name: str) -> Iterator[bool]:
        import filelock

        files.ensure_folder(self._folder)
        lock = filelock.FileLock(os.path.join(self._folder, f"{name}.lock"), mode=files.FILE_MODE)
        try:
            lock.acquire(timeout=0)
        except filelock.Timeout:
            yield False
            return
        try:
            yield True
        finally:
            lock.release()

    def sweep(self) -> None:
        """Remove what killed writes have left."""
        files.sweep(self._folder)

    def _names(self) -> list[str]:
        try:
            return os.listdir(self._folder)
        except FileNotFoundError:
            return []

    def _write(self, name: str, mark: Mark) -> None:
        text = json.dumps(mark._asdict(), ensure_ascii=False)
        files.write(os.path.join(self._folder, name), text.encode("utf-8", "replace"))

    def _marks(self, suffix: str) -> Iterator[tuple[str, Mark]]:
        for name in self._names():
            if name.endswith(suffix) and (mark := self._read(name)) is not None:
                yield name, mark

    def _read(self, name: str) -> Mark | None:
        """The mark of this name; None, and the file goes, when it is none of ours."""
        try:
            with open(os.path.join(self._folder, name), "rb") as file:
                mark = Mark(**json.loads(file.read(LARGEST)))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError):
            self._remove(name)
            return None
        texts = mark[:-1]
        if not all(isinstance(one, str) for one in texts) or not isinstance(mark.time, int | float):
            self._remove(name)
            return None
        return mark

    def _remove(self, name: str) -> bool:
        try:
            os.unlink(os.path.join(self._folder, name))
        except FileNotFoundError:
            return False
        return True


def _digest(*parts: str) -> str:
    """A file's name for these texts."""
    return hashlib.blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
