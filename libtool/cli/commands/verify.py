"""`lib verify`: check again what entries point to and claim."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.cli.wording import on_one_line, plural
from libtool.features import verify

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from libtool.cli.context import Context
    from libtool.features.verify import Check, Verified

EXAMPLES = ("lib verify", "lib verify staging-tokens", "lib verify staging-tokens --repo ~/work/api")
_COMMIT = 12


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("topics", nargs="*", metavar="TOPIC", help="only these entries (default: all)")
    parser.add_argument(
        "--repo",
        action="append",
        default=[],
        metavar="PATH",
        help="a folder of a repository that entries point to; may be given again (others are found where sessions ran)",
    )
    parser.add_argument("--all", action="store_true", help="name also what holds")


def run(args: argparse.Namespace, context: Context) -> int:
    """Check, print what is not as it was; exit code 1 when something has changed."""
    topics = [topic.removeprefix("entry:").removesuffix(".md") for topic in args.topics]
    with context.output.meter("verify", "entries") as progress:
        found, unkept = verify.verify(context.config, context.environ, topics, args.repo, os.getcwd(), progress=progress)
    if context.output.json:
        context.output.data({"entries": [as_json(one) for one in found]})
    else:
        for one in found:
            for line in lines(one, everything=args.all or bool(topics)):
                context.output.line(line)
        states = [one.state for one in found]
        context.output.line(
            f"{plural(len(found), 'entry', 'entries')}: {states.count(verify.HOLDS)} hold, {states.count(verify.CHANGED)} changed, "
            f"{states.count(verify.UNKNOWN)} not checked"
        )
    if unkept:
        context.output.warn(f"lib: `lib search` and `lib show` will not tell this outcome: {unkept}")
    return 1 if any(one.state == verify.CHANGED for one in found) else 0


def lines(one: Verified, *, everything: bool) -> list[str]:
    """An entry's line and those of its checks: all of them, or those that do not hold."""
    told = [check for check in one.checks if everything or check.state != verify.HOLDS]
    at = f" at {', '.join(commit[:_COMMIT] for commit in one.commits)}" if one.commits else ""
    if not told and not everything:
        return []
    return [f"entry:{one.topic}: {one.state}{at}", *(f"  {_said(check)}" for check in told)]


def _said(check: Check) -> str:
    return f"{check.outcome}: {on_one_line(check.item)}" + (f" ({check.detail})" if check.detail else "")


def as_json(one: Verified) -> dict[str, Any]:
    """An entry as `--json` prints it."""
    return {
        "ref": f"entry:{one.topic}",
        "state": one.state,
        "commits": list(one.commits),
        "checks": [{**check._asdict(), "state": check.state} for check in one.checks],
    }
