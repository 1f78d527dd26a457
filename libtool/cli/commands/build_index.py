"""`lib build-index`: make the search db from nothing, or only check it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.commands.index import report, run_index
from libtool.errors import UsageError
from libtool.features import check_index

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context

EXAMPLES = ("lib build-index", "lib build-index --check")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--md", action="store_true", help="only INDEX.md of the library")
    parser.add_argument("--db", action="store_true", help="only the search db")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something is stale or damaged")


def run(args: argparse.Namespace, context: Context) -> int:
    """Rebuild or check."""
    if args.md and not args.db:
        raise UsageError("there is no library yet, so no INDEX.md either", hint="`lib build-index` makes the search db")
    if not args.check:
        return report(run_index(context, agents=[], paths=[], rebuild=True), context)
    problems = check_index.problems(context.config, context.environ)
    if context.output.json:
        context.output.data({"sound": not problems, "problems": problems})
    else:
        context.output.line("\n".join(problems) if problems else "the search db is sound and up to date")
    return 1 if problems else 0
