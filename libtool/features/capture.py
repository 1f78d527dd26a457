"""What follows from an agent's event: its session is read and digested, what is over is closed, the library is synced.

All of it runs in a process of its own that nobody waits for. Events coalesce: each leaves a mark, the first process works until there is
none, and what a killed one had begun is done with the next event.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.agent_event import AGAIN, COMPACTED, END, START
from libtool.domain.text import clean
from libtool.errors import Locked
from libtool.features import index, redact, sync_by_itself, unfinished
from libtool.features.hook_log import complain, safe, told
from libtool.features.reading import safe_name
from libtool.features.transcripts_of import Places
from libtool.storage.events import Events, Mark, Outcome
from libtool.storage.reviews import anything_waits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from libtool.config import Config
    from libtool.domain.agent_event import AgentEvent
    from libtool.domain.redact import Redactor

WORK = "capture"
"""Under which the outcome of the last work is noted."""
LONGEST_SUMMARY = 200_000
"""Characters of a compaction's summary that are kept."""


class Job(NamedTuple):
    """What work needs."""

    config: Config
    environ: Mapping[str, str]
    clock: Callable[[], float]


def happened(job: Job, event: AgentEvent, process: str) -> None:
    """Note an event, then do what is to be done, unless another process is at it. Raises nothing but what ends a process."""
    events = Events(job.config)
    try:
        _note(job, events, event, process)
    except Exception as error:  # noqa: BLE001 - this is the boundary; without a mark the transcript still tells, at the next event
        complain(job.config, f"{event.agent} {event.kind}: {told(error)}")
        return
    sync, wait = work(job)
    if sync:
        try:
            sync_by_itself.sync(job.config, job.environ, wait=wait)
        except Exception as error:  # noqa: BLE001 - this is the boundary
            complain(job.config, f"sync: {told(error)}")


def _note(job: Job, events: Events, event: AgentEvent, process: str) -> None:
    config = job.config
    redactor = redact.redactor(config, redact.secret(config)[0])
    mark = _mark(event, process, job.clock(), redactor)
    events.put(mark)
    if event.kind != END:
        events.opened(mark)


def _mark(event: AgentEvent, process: str, now: float, redactor: Redactor) -> Mark:
    """The event as it may be written down. A session or file whose name holds a login is found by its time instead."""
    kind = COMPACTED if event.kind == START and event.detail == AGAIN else event.kind
    session, path = (one if safe_name(one, redactor) == one else "" for one in (event.session, event.path))
    summary = redactor.redact(clean(event.summary))[:LONGEST_SUMMARY]
    return Mark(event.agent, kind, session, path, summary, process, now)


def work(job: Job) -> tuple[bool, bool]:
    """Work on all marks, unless another process does; whether a sync is due then, and whether it is to wait for its time."""
    events = Events(job.config)
    sync = wait = False
    begun = False
    try:
        # Looked at again after the lock is free: a mark that came in between would be nobody's.
        while events.waiting() or not begun:
            begun = True
            with events.worker() as mine:
                if not mine:
                    return False, False
                events.sweep()
                for kinds in iter(lambda: _round(job, events), None):
                    sync = sync or bool(kinds & {START, END})
                    wait = wait or END in kinds
    except OSError as error:
        complain(job.config, told(error))
    return sync, wait


def _round(job: Job, events: Events) -> set[str] | None:
    """Work on the marks that are there now; their kinds, None when there were none or they could not be worked on."""
    taken = events.take(job.clock())
    if not taken:
        return None
    now = job.clock()
    try:
        _do(job, events, [mark for _, mark in taken])
    except Exception as error:  # noqa: BLE001 - this is the boundary; the marks stay for the next event
        events.ended(WORK, Outcome(now, ok=False, text=safe(job.config, told(error))))
        complain(job.config, told(error))
        return None
    for name, _ in taken:
        events.done(name)
    events.ended(WORK, Outcome(now, ok=True, text=""))
    return {mark.kind for _, mark in taken}


def _do(job: Job, events: Events, marks: list[Mark]) -> None:
    """Read the sessions of these marks, review what was compacted, close what has ended; a start has all others looked at."""
    config, environ, now = job.config, job.environ, job.clock()
    places = Places(config, environ)
    paths = {path for mark in marks for path in places.session(mark.agent, mark.session, mark.path, now)}
    # What the agent itself has written down to remember comes along.
    paths.update(places.notes())
    if paths:
        index.run(config, environ, paths=sorted(paths))
    _review(job, marks)
    for mark in marks:
        if mark.kind == END:
            events.closed(mark.agent, mark.session)
    if any(mark.kind == START for mark in marks):
        unfinished.sweep(config, environ, now)


def _review(job: Job, marks: list[Mark]) -> None:
    """Put into the library what compactions were asked for, and what has waited for it."""
    today = datetime.fromtimestamp(job.clock(), UTC).astimezone().date()
    for mark in marks:
        if mark.kind == COMPACTED:
            from libtool.features import compaction  # noqa: PLC0415 - compactions are rare

            try:
                compaction.take_in(job.config, job.environ, mark, today)
            except Locked:
                # Whoever holds the lock will end; the mark stays.
                raise
            except Exception as error:  # noqa: BLE001 - one review must not stop all that comes after it
                complain(job.config, f"review: {told(error)}")
    if anything_waits(job.config):
        from libtool.features import review  # noqa: PLC0415 - with the repository, which most events do without

        review.retry(job.config, job.environ)
