"""`lib install`: agent hooks and the skill, for the agents that are there; and both taken back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.cli.asking import ask
from libtool.cli.wording import plural
from libtool.features.install import work
from libtool.features.install.table import AGENTS
from libtool.features.quickstart import short

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator
    from typing import Any

    from libtool.cli.context import Context
    from libtool.features.install.work import Report

EXAMPLES = (
    "lib install",
    "lib install --dry-run",
    "lib install claude-code codex",
    "lib install --project",
    "lib install --uninstall",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    names = ", ".join(AGENTS)
    parser.add_argument("agents", nargs="*", metavar="AGENT", help=f"of {names} (default: those that were used here)")
    parser.add_argument("--project", action="store_true", help="into the project that you are in, not for all your work")
    parser.add_argument("--dry-run", action="store_true", help="show the changes, make none")
    parser.add_argument(
        "--uninstall",
        action="store_true",
        help="take it back, everywhere unless agents are named: files are as before, or lose only lib's part",
    )
    parser.add_argument(
        "--compact-prompt", action="store_true", help="also replace Codex' prompt for compactions, so that they tell what was decided"
    )
    parser.add_argument("--yes", action="store_true", help="change without asking, also at a terminal")


def run(args: argparse.Namespace, context: Context) -> int:
    """Show what changes, ask at a terminal, do it; exit 1 when a file was left alone, or the person does not want it."""
    config, environ = context.config, context.environ
    wanted = work.Wanted(tuple(args.agents), work.project_of(os.getcwd()) if args.project else "", args.compact_prompt)
    act = work.uninstall if args.uninstall else work.install
    report = act(config, environ, wanted, dry_run=True)
    if not context.output.json:
        _say(context, _changes(report, config.home))
    is_done = not args.dry_run and (not report.changes or args.yes or _agrees(context))
    if is_done:
        report = act(config, environ, wanted)
    if context.output.json:
        context.output.data({**as_json(report), "done": is_done})
    else:
        _say(context, _end(report, args, is_done=is_done))
        for problem in report.problems:
            context.output.warn(f"lib: {short(problem.path, config.home)} was left alone: {problem.message}")
            context.output.warn(f"  {problem.hint}")
    return 1 if report.problems or not (is_done or args.dry_run) else 0


def _agrees(context: Context) -> bool:
    """What the person says; where nobody can be asked, the command was enough."""
    answer = ask(context, "\nMake these changes? [Y/n]")
    return answer is None or answer.lower() in ("", "y", "yes")


def _say(context: Context, lines: Iterable[str]) -> None:
    for line in lines:
        style = {"+": "green", "-": "red"}.get(line[:1])
        if style and not line.startswith(("+++", "---")):
            context.output.styled(line, style)
        else:
            context.output.line(line)


def _changes(report: Report, home: str) -> Iterator[str]:
    for done in report.changes:
        if not done.diff:
            yield f"{short(done.path, home)}: {done.note}"
            continue
        yield from done.diff.splitlines()


def _end(report: Report, args: argparse.Namespace, *, is_done: bool) -> Iterator[str]:
    """What came of it, and what is left to do."""
    if not args.uninstall and not report.agents:
        yield "no agent was found here; name one to install for it all the same, such as `lib install claude-code`"
        return
    for_whom = ", ".join(report.agents)
    if not report.changes and report.problems:
        yield "nothing was changed"
    elif not report.changes:
        yield f"nothing to do: {'nothing of lib is there' if args.uninstall else f'all is in place for {for_whom}'}"
    else:
        state = "" if is_done else ", not made"
        yield f"{plural(len(report.changes), 'change')}{state}{f', for {for_whom}' if for_whom else ''}"
    if report.remarks:
        yield "Still to do:"
        yield from (f"  {remark}" for remark in report.remarks)


def as_json(report: Report) -> dict[str, Any]:
    """The report as `--json` prints it."""
    return {
        "agents": list(report.agents),
        "changes": [done._asdict() for done in report.changes],
        "problems": [problem._asdict() for problem in report.problems],
        "remarks": list(report.remarks),
    }
