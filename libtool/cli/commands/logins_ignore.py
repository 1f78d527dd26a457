"""`lib logins ignore`: a text that only looks like a login is left alone from now on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.errors import UsageError
from libtool.features import login_ledger

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context

EXAMPLES = ("lib logins ignore 3f2a9c1e --why 'a test vector of our own suite'",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("fingerprint", metavar="FP", help="a fingerprint, 4 digits or more of it, or a whole placeholder")
    parser.add_argument("--why", required=True, metavar="TEXT", help="the reason: a comment behind the fingerprint in the configuration")


def run(args: argparse.Namespace, context: Context) -> int:
    """Write it into the configuration."""
    if not args.why.strip():
        raise UsageError("why is it no login?", hint="say it in a few words behind --why: you will want to know later")
    name = login_ledger.named(context.config, args.fingerprint)
    added = login_ledger.ignore(context.config, name, args.why)
    if context.output.json:
        context.output.data({"ignored": name, "new": added, "config": context.config.config_file})
    elif added:
        context.output.line(f"{name}: ignored, by `logins.allow` in {context.config.config_file}; `lib index` shows its text again")
    else:
        context.output.line(f"{name}: is ignored already")
    return 0
