"""`lib capture --sweep`: read what has grown, and close the sessions that ended without saying so."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from libtool.cli.wording import plural
from libtool.features import unfinished

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context


def run(_args: argparse.Namespace, context: Context) -> int:
    """Sweep; says how many were closed and read."""
    output = context.output
    done = unfinished.sweep(context.config, context.environ, time.time())
    if output.json:
        output.data(done._asdict())
    elif not output.quiet or done.closed:
        output.line(
            f"closed: {plural(done.closed, 'session')} that ended without saying so; still open: {done.open}; "
            f"read: {plural(done.read, 'transcript')} that had grown"
        )
    return 0
