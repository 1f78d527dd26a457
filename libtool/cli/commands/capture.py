"""`lib capture`: what sessions decided, into the library. What it is to do is a module of its own, imported when it is asked for."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from libtool.errors import UsageError

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context

EXAMPLES = (
    "lib capture --print claude-code:3f2a9c1e",
    "lib capture --print ~/.codex/sessions/2026/10/03/rollout.jsonl",
    "lib capture --sweep",
)

WAYS: dict[str, str] = {
    "print": "libtool.cli.commands.capture_print",
    "sweep": "libtool.cli.commands.capture_sweep",
}
"""Option to the module whose `run(args, context)` does it; exactly one is given."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--print", metavar="FILE|REF", help="print the digest of a session, or of those in a transcript, and keep nothing")
    parser.add_argument("--sweep", action="store_true", help="read what has grown, and close the sessions that ended without saying so")


def run(args: argparse.Namespace, context: Context) -> int:
    """Do what is asked for."""
    asked = [name for name in WAYS if getattr(args, name) not in (None, False, [])]
    if len(asked) != 1:
        raise UsageError(f"say one of {', '.join(f'--{name}' for name in WAYS)}", hint="see `lib capture -h`")
    path = WAYS[asked[0]]
    __import__(path)
    code: int = sys.modules[path].run(args, context)
    return code
