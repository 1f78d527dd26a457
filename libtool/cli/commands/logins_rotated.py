"""`lib logins rotated`: note that a login was changed by its owner."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from libtool.domain import dates
from libtool.errors import UsageError
from libtool.features import login_ledger

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context

EXAMPLES = ("lib logins rotated 3f2a9c1e", "lib logins rotated 3f2a 77b0 --date 2026-03-05", "lib logins rotated 3f2a9c1e --undo")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("fingerprints", nargs="+", metavar="FP", help="a fingerprint, 4 digits or more of it, or a whole placeholder")
    when = parser.add_mutually_exclusive_group()
    when.add_argument("--date", metavar="D", help="when, such as 2026-03-05 or yesterday; now unless given")
    when.add_argument("--undo", action="store_true", help="it was not")


def run(args: argparse.Namespace, context: Context) -> int:
    """Note it for each; nothing is noted when one of them is wrong."""
    now = time.time()
    when = "" if args.undo else dates.bound(args.date, now) if args.date else dates.moment(now)
    if when[:10] > dates.moment(now + dates.DAY)[:10]:
        raise UsageError("this day is still to come", hint="note it once the login is changed: until then it counts as seen again")
    names = [login_ledger.named(context.config, one) for one in args.fingerprints]
    login_ledger.rotated(context.config, names, when)
    if context.output.json:
        context.output.data({"rotated": names, "when": when})
    else:
        for name in names:
            context.output.line(f"{name}: rotated on {when[:10]}" if when else f"{name}: not rotated")
    return 0
