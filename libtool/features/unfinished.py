"""Sessions of which no end was told (a kill, a print mode without an end): closed once nothing of them lives or grows any more.

(`features.sweep` is another thing: it looks through what is stored for logins.)
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.adapters.live_marks import live_sessions
from libtool.features import index
from libtool.features.transcripts_of import Places
from libtool.storage.events import Events
from libtool.storage.files import is_running
from libtool.storage.processes import is_same

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config
    from libtool.storage.events import Mark

QUIET_SECONDS = 60.0
"""A transcript that has changed within this time is of a live session, whatever its process."""
LONG_QUIET_SECONDS = 86_400.0
"""A session whose transcript has not changed for so long is over, even if its process, or another of the same number, runs."""


class Swept(NamedTuple):
    """What a sweep did."""

    closed: int
    """Sessions that were taken for ended."""
    open: int
    """Sessions that seem to go on."""
    read: int
    """Transcripts and notes that were new or had grown."""


def sweep(config: Config, environ: Mapping[str, str], now: float, *, everything: bool = True) -> Swept:
    """Read what has grown, then close what is over. Raises what `index.run` raises.

    Without `everything` only what is over is read. On a machine where nothing was ever indexed neither is more: the rest is for
    `lib index` to begin.
    """
    events = Events(config)
    places = Places(config, environ)
    marks = events.still_open()
    over = [mark for mark in marks if is_over(mark, places, now)]
    paths = [path for mark in over for path in places.session(mark.agent, mark.session, mark.path, now)]
    everything = everything and os.path.exists(config.store_db)
    read = index.run(config, environ, paths=() if everything else paths).read if everything or paths else 0
    # Only now: a session whose last words were not read is still to be closed.
    for mark in over:
        events.closed(mark.agent, mark.session)
    return Swept(len(over), len(marks) - len(over), read)


def is_over(mark: Mark, places: Places, now: float) -> bool:
    """Whether nothing of a session lives: no file of it grows, its agent does not say that it is open, its process is gone."""
    changed = max((_changed(path) for path in places.session(mark.agent, mark.session, mark.path, now)), default=mark.time)
    changed = max(changed, mark.time)
    if changed > now - QUIET_SECONDS:
        return False
    if any(mark.session in live_sessions(mark.agent, root, is_running) for root in places.roots(mark.agent)):
        return False
    return changed < now - LONG_QUIET_SECONDS or not is_same(mark.process)


def _changed(path: str) -> float:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return 0.0
