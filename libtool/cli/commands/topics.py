"""`lib topics`: the lines of INDEX.md that match, for a library that is too large to read whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.budget import cut, room_of, size
from libtool.cli.wording import plural
from libtool.features import topics

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context
    from libtool.features.topics import Topic

EXAMPLES = ("lib topics token rotation", "lib topics cache --limit 5", "lib topics")
LIMIT = 20
BUDGET = 600
_LAST_LINE = 60
"""Bytes kept for the line that counts."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("keywords", nargs="*", metavar="KEYWORD", help="words that the line must all hold (default: every line)")
    parser.add_argument("--limit", type="count", default=LIMIT, metavar="N", help=f"at most so many lines (default {LIMIT}; 0: all)")
    parser.add_argument(
        "--budget",
        type="count",
        default=BUDGET,
        metavar="N",
        help=f"at most so many tokens, of 4 bytes (default {BUDGET}; 0: as many as it takes)",
    )


def run(args: argparse.Namespace, context: Context) -> int:
    """Print the lines, best first; exit 1 when there is none."""
    found = topics.topics(context.config, args.keywords)
    shown = fitting(found.topics[: args.limit or None], args.budget)
    output = context.output
    if output.json:
        output.data(
            {
                "query": " ".join(args.keywords),
                "entries": found.entries,
                "matching": len(found.topics),
                "topics": [{"topic": one.topic, "path": f"entries/{one.topic}.md", "line": line} for one, line in shown],
            }
        )
        return 0 if found.topics else 1
    for _, line in shown:
        output.line(line)
    told = f"{len(found.topics)} of {plural(found.entries, 'entry', 'entries')}"
    if len(shown) < len(found.topics):
        told += f", {len(shown)} shown; more words narrow it, --limit 0 --budget 0 shows all"
    output.line(told)
    return 0 if found.topics else 1


def fitting(found: list[Topic], budget: int) -> list[tuple[Topic, str]]:
    """As many topics as the budget of tokens has room for, each with its line as it is printed; the first one at any rate, cut."""
    room = room_of(budget) - _LAST_LINE * 2
    shown: list[tuple[Topic, str]] = []
    for one in found:
        if size(one.line) > room and shown:
            break
        line = cut(one.line, max(room, _LAST_LINE))
        room -= size(line)
        shown.append((one, line))
    return shown
