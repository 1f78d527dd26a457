"""What may be written down of work that nobody waits for and that went wrong: without foreign text, redacted all the same."""

from __future__ import annotations

import contextlib
import os
import time
import traceback
from typing import TYPE_CHECKING

from libtool.domain.text import clean
from libtool.errors import LibError
from libtool.features import redact
from libtool.storage.events import Events, Outcome

if TYPE_CHECKING:
    from libtool.config import Config

CALLS = "hook"
"""Under which the last call that made no sense is noted."""
LONGEST = 500
"""Characters of a line."""


def complain(config: Config, text: str) -> None:
    """Leave a line in the log of the hooks, where that can be."""
    try:
        Events(config).log(safe(config, text))
    except (LibError, OSError):
        return


def misunderstood(config: Config, text: str) -> None:
    """The same of a call that made no sense; `lib status` tells the last one."""
    complain(config, text)
    try:
        Events(config).ended(CALLS, Outcome(time.time(), ok=False, text=safe(config, text)))
    except (LibError, OSError):
        return


def settle(config: Config) -> None:
    """What made no sense before is no matter any more: the hooks are those of this lib."""
    with contextlib.suppress(OSError):
        Events(config).settled(CALLS)


def safe(config: Config, text: str) -> str:
    """A text on one line, cut and without logins: a path or URL may hold one."""
    redactor = redact.redactor(config, redact.secret(config)[0])
    return redactor.redact(clean(text)).replace("\n", " ")[:LONGEST]


def told(error: Exception) -> str:
    """An error in words: of an unexpected one its type and place, since its text may quote a transcript."""
    if isinstance(error, LibError):
        return error.message
    if isinstance(error, OSError) and error.errno:
        # The system's own words.
        return os.strerror(error.errno)
    place = traceback.extract_tb(error.__traceback__)[-1]
    return f"unexpected {type(error).__name__} in {place.name}:{place.lineno}"
