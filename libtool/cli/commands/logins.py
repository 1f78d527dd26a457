"""`lib logins`: the rotation ledger. Each verb is a module of its own, found in one table and imported when it is called."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from libtool.cli.main import SWITCHES
from libtool.cli.parser import HelpAskedError, command_parser
from libtool.errors import UsageError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from libtool.cli.context import Context

VERBS: dict[str, tuple[str, str]] = {
    "list": ("libtool.cli.commands.logins_list", "what was met and where it still lies, the worst first"),
    "rotated": ("libtool.cli.commands.logins_rotated", "note that you changed a login"),
    "ignore": ("libtool.cli.commands.logins_ignore", "have a text that only looks like a login left alone"),
    "review": ("libtool.cli.commands.logins_review", "what was nearly taken for a login, for you to decide"),
    "enrol": ("libtool.cli.commands.logins_enrol", "have a login that you type in looked for everywhere"),
    "key": ("libtool.cli.commands.logins_key", "carry the key of the fingerprints to another machine, or change it"),
    "scrub": ("libtool.cli.commands.logins_scrub", "take the logins out of the agents' own old transcripts"),
}
"""Verb: (module with `add_arguments`, `run` and `EXAMPLES`, what it does in one line)."""

EXAMPLES = (
    "lib logins",
    "lib logins rotated 3f2a9c1e",
    "lib logins ignore 3f2a9c1e --why 'a test vector'",
    "lib logins review",
    "lib logins enrol",
    "lib logins key export --to key.txt",
    "lib logins scrub --dry-run",
    "lib logins scrub -h",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: a verb, and what its own parser will read."""
    meanings = "; ".join(f"`{name}`: {meaning}" for name, (_, meaning) in VERBS.items())
    parser.add_argument(
        "verb", nargs="?", default="list", metavar="VERB", help=f"{meanings}. `list` unless given; `lib logins VERB -h` tells more"
    )
    parser.add_argument("words", nargs="*", metavar="WORD", help="what the verb takes")


def prepare(words: Sequence[str]) -> list[str]:
    """Put what belongs to the verb behind `--`, for its own parser; without a verb it is `list`."""
    leading = 0
    while leading < len(words) and words[leading] in SWITCHES:
        leading += 1
    rest = list(words[leading:])
    if rest and rest[0] in ("-h", "--help"):
        return list(words)
    verb = rest.pop(0) if rest and not rest[0].startswith("-") else "list"
    return [*words[:leading], "--", verb, *rest]


def run(args: argparse.Namespace, context: Context) -> int:
    """Run the verb."""
    # The verb's own parser has not read them yet, and its errors must come in the form that was asked for.
    context.output.json = args.json or "--json" in args.words
    if args.verb not in VERBS:
        raise UsageError(f"no such verb: {args.verb[:40]}", hint=f"the verbs are: {', '.join(VERBS)}")
    path, meaning = VERBS[args.verb]
    __import__(path)
    module = sys.modules[path]
    parser = command_parser(f"logins {args.verb}", meaning, module.EXAMPLES)
    module.add_arguments(parser)
    try:
        own = parser.parse_args(args.words)
    except HelpAskedError as asked:
        context.output.line(str(asked).rstrip())
        return 0
    context.output.json = args.json or own.json
    context.output.quiet = args.quiet or own.quiet
    code: int = module.run(own, context)
    return code
