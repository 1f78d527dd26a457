"""`lib check`: all that is wrong with entries; `--fix` mends what needs no person."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING

from libtool.cli.wording import on_one_line, plural
from libtool.features import check

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from libtool.cli.context import Context
    from libtool.features.check import Checked

EXAMPLES = ("lib check", "lib check --fix", "lib check auth-rotation")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="only these entries, by topic or file, or those in these folders (default: all)",
    )
    parser.add_argument("--fix", action="store_true", help="first mend what can be mended without losing a word")


def run(args: argparse.Namespace, context: Context) -> int:
    """Print `path:line: CODE message` for each problem; exit 1 when there is one that is no warning."""
    today = dt.datetime.now().astimezone().date()
    checked = check.check(context.config, context.environ, args.paths, today=today, fix=args.fix)
    output = context.output
    if output.json:
        output.data(as_json(checked))
    else:
        for one in checked:
            for problem in one.problems:
                output.line(f"{shown(one.path)}:{problem.line}: {problem.code} {problem.message}")
    errors = [problem for one in checked for problem in one.problems if not problem.is_warning]
    warnings = sum(len(one.problems) for one in checked) - len(errors)
    for one in checked:
        if one.mended:
            output.note(f"lib: mended {shown(one.path)}")
    told = ", ".join(
        [
            plural(len(checked), "file"),
            plural(len(errors), "problem") if errors else "no problem",
            *([plural(warnings, "warning")] if warnings else []),
        ]
    )
    output.note(f"lib: {told}")
    if not args.fix and (fixable := sum(problem.fixable for problem in errors)):
        output.note(f"  `lib check --fix` mends {fixable} of them; docs/entry-format.md tells of each code")
    return 1 if errors else 0


def shown(path: str) -> str:
    """A path as one types it here: relative where it lies below, on one line."""
    near = os.path.relpath(path)
    return on_one_line(path if near.startswith("..") else near)


def as_json(checked: Sequence[Checked]) -> dict[str, Any]:
    """The report as `--json` prints it."""
    return {
        "files": len(checked),
        "mended": [one.path for one in checked if one.mended],
        "problems": [
            {
                "path": one.path,
                "line": problem.line,
                "code": problem.code,
                "message": problem.message,
                "warning": problem.is_warning,
                "fixable": problem.fixable,
            }
            for one in checked
            for problem in one.problems
        ],
    }
