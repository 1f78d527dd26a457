"""A sync that nobody asked for: in the background, at most every five minutes, and silent; `lib status` says how the last one ended."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from libtool.errors import LibError
from libtool.features.hook_log import safe, told
from libtool.storage.events import Events, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from libtool.config import Config

EVERY_SECONDS = 300.0
WORK = "sync"
"""Under which its outcome is noted."""


def sync(
    config: Config,
    environ: Mapping[str, str],
    *,
    wait: bool,
    clock: Callable[[], float] = time.time,
    sleep: Callable[[float], object] = time.sleep,
) -> bool:
    """Sync, unless the configuration says that only `lib sync` does, there is no library, or another one did a moment ago.

    `wait`: in that case wait until it is time, so that what the end of a session has left still goes out; one process at most waits.
    Returns whether a sync was tried. An expected failure is noted, not raised.
    """
    if config.sync != "auto" or not os.path.exists(os.path.join(config.library, ".git")):
        return False
    events = Events(config)
    with events.syncer() as mine:
        if not mine:
            return False
        pause = _pause(events, clock())
        if pause and not wait:
            return False
        if pause:
            sleep(pause)
        begun = clock()
        events.ended(WORK, _outcome(config, environ, begun))
    return True


def _pause(events: Events, now: float) -> float:
    """How long until the next one is due; a clock that was put back must not stop it for long."""
    last = events.outcomes().get(WORK)
    rest = last.time + EVERY_SECONDS - now if last else 0.0
    return rest if 0 < rest <= EVERY_SECONDS else 0.0


def _outcome(config: Config, environ: Mapping[str, str], begun: float) -> Outcome:
    from libtool.features import sync_glance  # noqa: PLC0415 - most hooks sync nothing

    try:
        report = sync_glance.nothing_to_do(config, environ)
        if report is None:
            from libtool.features import sync as syncing  # noqa: PLC0415 - with dulwich

            report = syncing.sync(config, environ)
    except (LibError, OSError) as error:
        return Outcome(begun, ok=False, text=safe(config, told(error)))
    return Outcome(begun, ok=True, text="" if report.remote else "the library has no remote")
