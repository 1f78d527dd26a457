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
    "lib capture --prompt",
    "lib capture --due --session claude-code:3f2a9c1e",
    "lib capture --session claude-code:3f2a9c1e --review answer.md",
    "lib capture --import docs/adr/*.md --dry-run",
    "lib capture --sweep",
)

WAYS: dict[str, str] = {
    "print": "libtool.cli.commands.capture_print",
    "prompt": "libtool.cli.commands.capture_prompt",
    "due": "libtool.cli.commands.capture_due",
    "review": "libtool.cli.commands.capture_review",
    "import": "libtool.cli.commands.capture_import",
    "sweep": "libtool.cli.commands.capture_sweep",
}
"""Option to the module whose `run(args, context)` does it; exactly one is given."""
OF = {"ended": ("due",), "session": ("due", "review"), "dry_run": ("import",), "topic": ("review", "import")}
"""Option to the ways that heed it."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--print", metavar="FILE|REF", help="print the digest of a session, or of those in a transcript, and keep nothing")
    parser.add_argument(
        "--prompt", action="store_true", help="print what to add to a prompt that is sent anyway, to have it answer for the library"
    )
    parser.add_argument(
        "--due", action="store_true", help="exit 0 when a reviewer should run now, 1 when not: by turns, or by the work done"
    )
    parser.add_argument("--ended", action="store_true", help="with --due: the session is over, so anything new is due")
    parser.add_argument("--review", metavar="FILE|-", help="put what a reviewer wrote into the library, whatever its form")
    parser.add_argument("--session", default="", metavar="REF", help="of --due and --review: the session (default: the one that runs this)")
    parser.add_argument(
        "--import", nargs="+", metavar="FILE", help="make draft entries of notes: memory files, worklogs, decision records, handoffs"
    )
    parser.add_argument("--dry-run", action="store_true", help="of --import: only say what would become of them")
    parser.add_argument("--topic", default="", metavar="T", help="of --review and --import: the entry that all of it goes to")
    parser.add_argument("--sweep", action="store_true", help="read what has grown, and close the sessions that ended without saying so")


def run(args: argparse.Namespace, context: Context) -> int:
    """Do what is asked for."""
    asked = [name for name in WAYS if getattr(args, name) not in (None, False, [])]
    if len(asked) != 1:
        raise UsageError(f"say one of {', '.join(f'--{name}' for name in WAYS)}", hint="see `lib capture -h`")
    for option, ways in OF.items():
        if getattr(args, option) and asked[0] not in ways:
            # A --dry-run that is not heeded would write.
            known = " and ".join(f"--{way}" for way in ways)
            raise UsageError(f"--{option.replace('_', '-')} is of {known}, not of --{asked[0]}", hint="see `lib capture -h`")
    path = WAYS[asked[0]]
    __import__(path)
    code: int = sys.modules[path].run(args, context)
    return code
