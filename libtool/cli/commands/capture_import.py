"""`lib capture --import FILES`: notes as draft entries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.wording import plural
from libtool.errors import PartlyDone
from libtool.features import import_notes

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context
    from libtool.features.import_notes import Imported


def run(args: argparse.Namespace, context: Context) -> int:
    """Import them; exit 4 when some could not be."""
    output = context.output
    found = import_notes.import_notes(context.config, context.environ, getattr(args, "import"), topic=args.topic, dry=args.dry_run)
    if output.json:
        output.data({"dry_run": args.dry_run, "notes": [one._asdict() for one in found]})
    else:
        for one in found:
            output.line(_line(one))
        output.note(_summary(found, dry=args.dry_run))
    skipped = sum(one.state == import_notes.SKIPPED for one in found)
    return PartlyDone.exit_code if skipped else 0


def _line(one: Imported) -> str:
    if one.state == import_notes.SKIPPED:
        return f"{one.path}: skipped: {one.reason}"
    told = f"{one.path}: {one.state} entry:{one.topic}"
    if one.items:
        told += f", {plural(one.items, 'item')}"
    return told + (
        f"; {plural(one.left_out, 'passage or line of code', 'passages or lines of code')} only in the note" if one.left_out else ""
    )


def _summary(found: list[Imported], *, dry: bool) -> str:
    counts = {state: sum(one.state == state for one in found) for state in dict.fromkeys(one.state for one in found)}
    told = ", ".join(f"{count} {state}" for state, count in counts.items())
    return f"{told}; nothing was written" if dry else told
