"""`lib forget`: drop a session for good."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.asking import agree
from libtool.cli.wording import plural
from libtool.features import forget

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context
    from libtool.features.forget import Forgotten, Target

EXAMPLES = ("lib forget claude-code:3f2a9c1e", "lib forget note:~/work/shop/WORKLOG.md --yes")
NAMED = 5
"""How many files or sessions are named before the rest is counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("ref", metavar="REF", help="<agent>:<part of the session's id>, or note:<path>, as `lib search` prints it")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace, context: Context) -> int:
    """Ask, forget, tell what was done and what lib cannot do."""
    output = context.output
    doomed = forget.target(context.config, args.ref)
    agree(args, context, f"{described(doomed)}\nForget it for good? It is never indexed again. [y/N]")
    done = forget.forget(context.config, doomed)
    if output.json:
        output.data(
            {
                "ref": doomed.ref,
                "again": doomed.again,
                "sessions": list(doomed.sids),
                "purged": done.purged,
                "transcripts": list(doomed.paths),
                "copies": list(doomed.copies),
                "set_aside": list(done.aside),
            }
        )
    else:
        output.line("\n".join([f"forgotten: {described(doomed)}", *remaining(doomed, done)]))
    return 0


def described(doomed: Target) -> str:
    """The session in one line."""
    if doomed.again:
        return f"{doomed.ref} | forgotten before, its traces are wiped again"
    more = len(doomed.sids) - 1
    marks = [
        doomed.ref,
        doomed.started[:10],
        doomed.project,
        plural(doomed.turns, "turn") if doomed.agent != "note" else "",
        f"with {plural(more, 'sub-agent')}" if more else "",
        doomed.title,
    ]
    return " ".join(" | ".join(mark for mark in marks if mark).split())


def remaining(doomed: Target, done: Forgotten) -> list[str]:
    """What is still there, and whose it is to delete."""
    lines = []
    if doomed.paths:
        lines.append(f"Agents' own files are left as they are. These still hold it: {_some(doomed.paths)}")
    if doomed.copies:
        lines.append(f"these sessions copied a part of it and keep that: {_some(doomed.copies)}")
    if done.aside:
        lines.append(f"these databases were damaged and set aside; they may hold it, delete them: {_some(done.aside)}")
    if not done.purged:
        lines.append("another program is reading the databases: the next `lib index` wipes the last traces")
    return lines


def _some(names: tuple[str, ...]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")
