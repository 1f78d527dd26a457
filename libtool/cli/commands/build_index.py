"""`lib build-index`: make INDEX.md and the search db from nothing, or only check them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.commands.index import report, report_md, run_index, write_md
from libtool.errors import LibraryNotFound
from libtool.features import check_index, index_md

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context

EXAMPLES = ("lib build-index", "lib build-index --check", "lib build-index --md --check")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--md", action="store_true", help="only INDEX.md of the library")
    parser.add_argument("--db", action="store_true", help="only the search db")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when something is stale or damaged")


def run(args: argparse.Namespace, context: Context) -> int:
    """Rebuild or check."""
    only_md, only_db = args.md and not args.db, args.db and not args.md
    if args.check:
        return _check(context, md=not only_db, db=not only_md, required=args.md)
    if only_md:
        return report_md(index_md.write(context.config), context)
    done = run_index(context, agents=[], paths=[], rebuild=True)
    return report(done, context, None if only_db else write_md(context, required=args.md))


def _check(context: Context, *, md: bool, db: bool, required: bool) -> int:
    """Print what is stale or damaged; exit 1 when something is."""
    problems = _md_problems(context, required=required) if md else []
    if db:
        problems += check_index.problems(context.config, context.environ)
    if context.output.json:
        context.output.data({"sound": not problems, "problems": problems})
    else:
        sound = "the search db is sound and up to date" if db else "INDEX.md is up to date"
        context.output.line("\n".join(problems) if problems else sound)
    return 1 if problems else 0


def _md_problems(context: Context, *, required: bool) -> list[str]:
    try:
        written = index_md.write(context.config, dry=True)
    except LibraryNotFound:
        if required:
            raise
        return []
    return ["INDEX.md is not that of the entries: run `lib index --md`"] if written.changed else []
