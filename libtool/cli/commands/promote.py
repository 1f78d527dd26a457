"""`lib promote REF`: the digest of a session as an entry."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from libtool.cli.commands.capture_review import show
from libtool.features import promote

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context

EXAMPLES = ("lib promote claude-code:3f2a9c1e --topic auth-rotation", "lib promote digest:codex:0199a8f2")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ref", metavar="REF", help="the session, as `lib drafts` prints it")
    parser.add_argument("--topic", default="", metavar="T", help="the entry (default: the one that is about the same, else a new one)")


def run(args: argparse.Namespace, context: Context) -> int:
    """Make the entry, or add to it."""
    today = datetime.now().astimezone().date()
    done = promote.promote(context.config, context.environ, args.ref, today, topic=args.topic)
    session = done.results[-1].session if done.results else args.ref
    show(done, session, context)
    return 0
