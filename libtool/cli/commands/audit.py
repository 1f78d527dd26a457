"""`lib audit`: the raw transcripts that past sessions read and what that cost, beside their lookups through lib."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from libtool.cli.budget import cut, folded
from libtool.cli.wording import on_one_line, plural
from libtool.domain.dates import bound
from libtool.domain.raw_reads import LOOKUP, RAW
from libtool.errors import PartlyDone, UsageError
from libtool.features import audit

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator
    from typing import Any

    from libtool.cli.context import Context
    from libtool.features.audit import Audit, Read, Saving, Spent

EXAMPLES = ("lib audit", "lib audit --since 3m", "lib audit --plot reads.svg", "lib audit --json")
BAR = 24
"""Characters of the longest bar."""
_GROUPS = (("month", "by month"), ("agent", "by agent"), ("project", "by project"))
_SHOWN, _NAME = 12, 32


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--since", default="", metavar="D", help="from this day on: 2026-10-03, 2026-10, today, 7d, 3w, 2m")
    parser.add_argument("--plot", default="", metavar="FILE.svg", help="draw tokens by month too, as SVG; needs `lib-sessions[plot]`")


def run(args: argparse.Namespace, context: Context) -> int:
    """Print what was read; exit code 4 when a transcript could not be read."""
    if args.plot and not args.plot.lower().endswith(".svg"):
        raise UsageError("the plot is written as SVG", hint="give a file name that ends with .svg")
    since = bound(args.since, time.time()) if args.since else ""
    with context.output.meter("auditing", "sessions") as draw:
        found = audit.audit(context.config, context.environ, since=since, progress=draw)
    if context.output.json:
        context.output.data(as_json(found, since))
    else:
        context.output.line("\n".join(lines(found, since)))
    for path, reason in found.unreadable:
        context.output.warn(f"lib: cannot read {on_one_line(path)}: {reason}; what it held is estimated")
    if args.plot:
        from libtool.features import audit_plot  # noqa: PLC0415 - on request

        audit_plot.write(found.reads, os.path.abspath(args.plot))
        context.output.note(f"drawn: {args.plot}")
    return PartlyDone.exit_code if found.unreadable else 0


def as_json(found: Audit, since: str) -> dict[str, Any]:
    """The audit as `--json` prints it."""
    saving = audit.saving(found.reads)
    return {
        "since": since or None,
        "sessions": found.sessions,
        **_both(found.reads),
        **{
            f"by_{name}": [{name: value, **_both(reads)} for value, reads in audit.grouped(found.reads, name).items()]
            for name, _ in _GROUPS
        },
        "saving": saving._asdict() if saving else None,
        "unreadable": [{"path": path, "reason": reason} for path, reason in found.unreadable],
    }


def _both(reads: list[Read] | tuple[Read, ...]) -> dict[str, Any]:
    return {"raw": audit.spent(reads, RAW)._asdict(), "lookups": audit.spent(reads, LOOKUP)._asdict()}


def lines(found: Audit, since: str) -> Iterator[str]:
    """What a person reads."""
    looked = f"{plural(found.sessions, 'session')} looked through, withheld ones and sub-agents' included"
    yield looked + (f", since {since}" if since else "")
    yield f"raw transcripts read: {_told(audit.spent(found.reads, RAW), 'time')}"
    yield f"lookups through lib:  {_told(audit.spent(found.reads, LOOKUP), 'call')}"
    yield from saving_lines(audit.saving(found.reads))
    for name, title in _GROUPS:
        groups = audit.grouped(found.reads, name)
        if groups:
            yield ""
            yield from _chart(title, groups)


def saving_lines(saving: Saving | None) -> Iterator[str]:
    """The comparison, and what it rests on."""
    if saving is None:
        return
    word, tokens = ("saved", saving.saved) if saving.saved >= 0 else ("cost more:", -saving.saved)
    yield f"lookups {word} about {tokens:,} tokens, if the {plural(saving.sessions, 'session')} that looked up had otherwise read as much"
    yield f"  as the usual one of those that only read raw transcripts, {saving.raw_a_session:,} tokens each;"
    yield f"  they spent {saving.spent:,}, their own raw reads included"


def _told(spent: Spent, noun: str) -> str:
    if not spent.calls:
        return "never"
    said = f"{plural(spent.calls, noun)} in {plural(spent.sessions, 'session')}"
    if spent.estimated == spent.calls and not spent.tokens:
        return f"{said}, tokens unknown: the transcripts are gone"
    guessed = f" ({spent.estimated} estimated: the transcript is gone)" if spent.estimated else ""
    return f"{said}, {spent.tokens:,} tokens{guessed}"


def _chart(title: str, groups: dict[str, list[Read]]) -> Iterator[str]:
    """A bar a group and kind: `#` for tokens of raw transcripts, `=` for those of lookups, on one scale."""
    rows = [(name, audit.spent(reads, RAW), audit.spent(reads, LOOKUP)) for name, reads in groups.items()]
    most = max(max(raw.tokens, lookup.tokens) for _, raw, lookup in rows) or 1
    shown = rows[-_SHOWN:] if title == "by month" else rows[:_SHOWN]
    width = min(_NAME, max(len(name) for name, _, _ in shown))
    yield f"{title} (# raw transcripts, = lookups)"
    for name, raw, lookup in shown:
        label = cut(folded(name), _NAME)
        for mark, spent, noun in (("#", raw, "read"), ("=", lookup, "lookup")):
            if spent.calls:
                bar = mark * max(1, round(BAR * spent.tokens / most))
                counted = f"{plural(spent.calls, noun)} in {plural(spent.sessions, 'session')}"
                yield f"  {label:{width}}  {bar:{BAR}}  {spent.tokens:,} tokens, {counted}"
                label = ""
    if len(rows) > len(shown):
        yield f"  and {len(rows) - len(shown)} more (--json)"
