"""`lib logins enrol`: a login that is typed in unseen, or piped in, is looked for everywhere from now on."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from libtool.cli.wording import plural
from libtool.errors import UsageError
from libtool.features import login_enrol

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context

EXAMPLES = ("lib logins enrol", "pass show web/shop | head -1 | lib logins enrol")
_LONGEST = 4096


def add_arguments(_parser: argparse.ArgumentParser) -> None:
    """There are none: a login never stands on a command line, where other users and the history of the shell see it."""


def run(_args: argparse.Namespace, context: Context) -> int:
    """Ask, enrol, confirm."""
    done = login_enrol.enrol(context.config, _asked(context))
    for text in done.told:
        context.output.warn(f"lib: {text}")
    if context.output.json:
        context.output.data(done._asdict())
        return 0
    context.output.line(f"{done.fingerprint}: {'enrolled' if done.new else 'was known already'}; only this fingerprint of it is kept")
    context.output.line(f"taken out of {plural(done.changed, 'place')} in the store" if done.changed else "nothing in the store held it")
    if not done.wiped:
        context.output.line("another program is reading the databases: the next `lib index` wipes the last traces")
    return 0


def _asked(context: Context) -> str:
    """The login: typed twice, or the one line that is piped in."""
    if sys.stdin is None or not sys.stdin.isatty():
        line = context.stdin.readline(_LONGEST)
        if context.stdin.readline(1):
            raise UsageError("one line is wanted, and more came", hint="pipe the login alone")
        text = line.decode("utf-8", "replace").rstrip("\r\n")
    else:
        import getpass  # noqa: PLC0415 - only at a terminal

        text = getpass.getpass("The login (not shown): ")
        if text != getpass.getpass("Once more: "):
            raise UsageError("the two are not the same", hint="nothing was kept; try again")
    if not text:
        raise UsageError("no login was given", hint="type it, or pipe it in")
    return text
