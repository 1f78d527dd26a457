"""`lib drafts`: sessions whose digest is no entry yet, the best first."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from libtool.cli.wording import plural
from libtool.domain.text import one_line
from libtool.features import drafts

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context
    from libtool.features.drafts import Draft, Drafts

EXAMPLES = ("lib drafts", "lib drafts --project shop --limit 5", "lib promote claude-code:3f2a9c1e --topic auth-rotation")
LIMIT = 20
_WIDTH = 160


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--limit", type="count", default=LIMIT, metavar="N", help=f"at most so many (default {LIMIT}; 0: all)")
    parser.add_argument("--project", default="", metavar="P", help="only those whose project's name holds this")


def run(args: argparse.Namespace, context: Context) -> int:
    """Print them; exit 1 when there is none."""
    found = drafts.drafts(context.config, time.time(), project=args.project)
    shown = found.drafts[: args.limit or None]
    if context.output.json:
        context.output.data(
            {
                "drafts": [{**one._asdict(), "date": one.date or None} for one in shown],
                "total": len(found.drafts),
                "covered": found.covered,
                "apart": found.apart,
                "to_come": found.to_come,
            }
        )
    else:
        for one in shown:
            context.output.line(_told(one))
        context.output.line(_summary(found, len(shown)))
    return 0 if found.drafts else 1


def _told(one: Draft) -> str:
    facts = ", ".join(filter(None, (one.project, one.date, plural(one.turns, "turn"), plural(one.decisions, "finding"))))
    return f"{one.ref} | {facts} | {one_line(one.title, 76)}\n  {one_line(one.answer, _WIDTH)}"


def _summary(found: Drafts, shown: int) -> str:
    told = plural(len(found.drafts), "draft") + (f", {shown} shown" if shown < len(found.drafts) else "")
    told += f"; {plural(found.covered, 'session')} named by entries"
    apart = ", ".join(f"{count} {name}" for name, count in sorted(found.apart.items()))
    told += f"; not listed: {apart}" if apart else ""
    return told + (f"; still to come: {found.to_come}, `lib index` makes more" if found.to_come else "")
