"""Reads transcripts in several processes, in order. A worker waits until its last answer is taken: memory does not follow the corpus.

A worker ends by itself when the pipe to it closes or its parent is gone, so that nothing is left behind by a kill. One that dies (out
of memory, say) is replaced by reading in this process.
"""

from __future__ import annotations

import contextlib
import fcntl
import gc
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from libtool.features.reading import Reading, Task, Transcripts

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

WORTH_IT = 24 << 20
"""Bytes of transcripts below which starting processes costs more than it saves."""
_MOST = 8
_EACH = 16 << 10
"""Bytes of a transcript that take as long to read as opening one does."""
_COLLECT = 200_000
"""Objects made between two looks of the garbage collector."""
_PIPE = 1 << 20
"""Bytes of answers that may wait in a pipe: what Linux gives without asking, about ten sessions."""


class Settings(NamedTuple):
    """What makes a `Transcripts` in another process."""

    key: bytes
    scratch: str
    thinking: bool
    allow: tuple[str, ...] = ()
    providers: str = ""
    """Where the rules of the second pass are kept (`longtail`)."""

    def make(self) -> Transcripts:
        """A reader of transcripts."""
        return Transcripts(self.key, self.scratch, thinking=self.thinking, allow=self.allow, providers=self.providers)


def read_all(tasks: Sequence[Task], sizes: Sequence[int], settings: Settings, processes: int = 0) -> Generator[Reading]:
    """The reading of every task, in order. `sizes`: bytes to read for each; `processes` 0: as many as there are processors."""
    count = min(processes or available(), _MOST, len(tasks))
    if count < 2 or sum(sizes) < WORTH_IT:
        transcripts = settings.make()
        yield from map(transcripts.read, tasks)
        return
    shares = _shares(sizes, count)
    with contextlib.ExitStack() as stack:
        workers = [
            stack.enter_context(_Worker(settings, [task for task, its in zip(tasks, shares, strict=True) if its == number]))
            for number in range(count)
        ]
        for task, number in zip(tasks, shares, strict=True):
            yield workers[number].next(task)


def _shares(sizes: Sequence[int], count: int) -> list[int]:
    """The worker of each task: the one that has least to read until then, so that all end at about the same time."""
    loads = [0] * count
    shares = []
    for size in sizes:
        number = loads.index(min(loads))
        loads[number] += size + _EACH
        shares.append(number)
    return shares


def available() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Worker:
    """A process that reads its tasks in order, each answer waiting in a pipe until it is taken."""

    def __init__(self, settings: Settings, tasks: Sequence[Task]) -> None:
        import multiprocessing  # noqa: PLC0415 - 7 ms that a run with little to read need not pay

        # fork starts in a few milliseconds; elsewhere it is not safe, and spawn costs a fresh interpreter.
        context = multiprocessing.get_context("fork") if sys.platform == "linux" else multiprocessing.get_context("spawn")
        self._settings = settings
        self._pipe, other = context.Pipe(duplex=False)
        _widen(self._pipe)
        self._process = context.Process(target=_serve, args=(other, self._pipe, settings, [tuple(task) for task in tasks]), daemon=True)
        # A Ctrl-C between the start and `_serve` would end the worker with a traceback on the terminal.
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        other.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._pipe.close()
        self._process.terminate()
        self._process.join()

    def next(self, task: Task) -> Reading:
        """The reading of the next task, which is `task`; read here when the worker died."""
        try:
            return Reading(*self._pipe.recv())
        except (EOFError, OSError):
            return self._settings.make().read(task)


def _widen(pipe: Connection) -> None:
    """Let more answers wait in a pipe, where the system can, so that a worker goes on while the store and the index are written."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE)


def _serve(pipe: Connection, other_end: Connection, settings: Settings, tasks: list[tuple[Any, ...]]) -> None:
    """A worker's life. It ends when all is read, or when nobody holds the other end any more. Ctrl-C is the parent's business."""
    from multiprocessing import parent_process  # noqa: PLC0415 - see above

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with, args=(parent_process(), os._exit), daemon=True).start()
    other_end.close()
    transcripts = settings.make()
    # Hundreds of thousands of short-lived records and hardly a cycle among them: the collector finds nothing and looks often.
    gc.set_threshold(_COLLECT)
    with contextlib.suppress(OSError):
        for task in tasks:
            pipe.send(tuple(transcripts.read(Task(*task))))


def _end_with(parent: BaseProcess | None, end: Callable[[int], object]) -> None:
    """End this process as soon as its parent is gone, also in the middle of a long file."""
    if parent is not None:
        parent.join()
        end(1)
