"""`lib capture --due`: exit 0 when a reviewer should run now, 1 when not."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from libtool.features import review_due, review_session

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context


def run(args: argparse.Namespace, context: Context) -> int:
    """Say so by the exit code, and in words."""
    today = datetime.now().astimezone().date()
    source = review_session.source_of(context.config, context.environ, args.session, today)
    found = review_due.due(context.config, source.agent, source.sid, ended=args.ended)
    output = context.output
    if output.json:
        work = {
            name: {"now": now, "at_last_review": then} for name, now, then in zip(found.work._fields, found.work, found.landed, strict=True)
        }
        output.data({"session": f"{source.agent}:{source.sid}", "due": found.due, **work})
    elif not output.quiet:
        new = [now - then for now, then in zip(found.work, found.landed, strict=True)]
        output.line(f"{'due' if found.due else 'not due'}: {new[0]} turns, {new[1]} tool calls, {new[2]} characters since the last review")
    return 0 if found.due else 1
