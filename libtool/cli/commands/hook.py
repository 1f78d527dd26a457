"""`lib hook`: what agents call at their events. The arguments are declared for help alone: argparse may refuse words, and sees no call."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from libtool.cli.context import Context

EXAMPLES = (
    "lib hook claude-code Stop <payload.json",
    """lib hook codex notify '{"type": "agent-turn-complete", "thread-id": "019caf3e-5d20-7a41-9c7e-3be1f08d6a55"}'""",
)
MODULE = "libtool.hooks.agent"
"""Loaded by its name, as every command is: this room and that of the hooks do not know each other."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("agent", metavar="AGENT", help="the agent that calls, such as claude-code")
    parser.add_argument("event", metavar="EVENT", nargs="?", default="", help="its event, as it calls it; default: what the payload says")
    parser.add_argument("payload", metavar="PAYLOAD", nargs="?", default="", help="the payload; default: standard input")


def run(args: argparse.Namespace, _context: Context) -> int:
    """Take a call whose words argparse has seen; as every command has it, `main` goes round it."""
    return call([args.agent, args.event, args.payload])


def call(words: Sequence[str]) -> int:
    """Take the words that follow `lib hook` as they come: whatever is wrong with them, the agent must not hear of it. Always 0."""
    __import__(MODULE)
    main: Callable[[Sequence[str]], int] = sys.modules[MODULE].main
    return main(words)
