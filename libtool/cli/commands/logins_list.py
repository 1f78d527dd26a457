"""`lib logins list`: every login that was met, the worst first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.wording import on_one_line, plural
from libtool.features import login_ledger

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from libtool.cli.context import Context
    from libtool.features.login_ledger import Entry, Ledger

EXAMPLES = ("lib logins", "lib logins list --files", "lib logins list --all --json")
NAMED = 50
"""How many are named before the rest is counted."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("--files", action="store_true", help="name the agents' files that hold each in plaintext")
    parser.add_argument("--all", action="store_true", help=f"all of them, not only the first {NAMED}")


def run(args: argparse.Namespace, context: Context) -> int:
    """Print the ledger."""
    found = login_ledger.ledger(context.config)
    if context.output.json:
        context.output.data(
            {
                "logins": [one._asdict() for one in found.entries],
                "machines_with_another_key": list(found.strangers),
                "alerts": list(found.alerts),
            }
        )
        return 0
    for text in found.alerts:
        context.output.warn(f"lib: {text}")
    for line in lines(found, files=args.files, named=0 if args.all else NAMED):
        context.output.line(line)
    return 0


def lines(found: Ledger, *, files: bool = False, named: int = NAMED) -> Iterator[str]:
    """What a person reads; `named` 0 names everything."""
    entries = found.entries
    if not entries:
        yield "no login was met"
    for one in entries[: named or None]:
        yield described(one)
        if files:
            yield from (f"  {on_one_line(path)}" for path in one.files)
    if named and len(entries) > named:
        yield f"and {len(entries) - named} more (--all)"
    if entries:
        yield summary(entries)
    if found.strangers:
        yield f"made with another key, so not matched: what {', '.join(found.strangers)} told (`lib logins key -h`)"


def described(one: Entry) -> str:
    """A login in one line."""
    seen = f"seen {_days(one)}" if one.last or one.first else "never seen in a session"
    where = [
        plural(len(one.sessions), "session") if one.sessions else "",
        plural(len(one.projects), "project") if one.projects else "",
        f"on {', '.join(one.machines)}" if one.machines else "",
    ]
    marks = [
        f"{one.fingerprint} {one.kind}",
        _state(one),
        _held(one),
        seen,
        ", ".join(filter(None, where)),
        one.shape,
        "" if one.current else "known by an earlier key only",
    ]
    return " | ".join(mark for mark in marks if mark)


def _held(one: Entry) -> str:
    if one.files:
        return f"in plaintext in {plural(len(one.files), 'file')}"
    # What is ignored is not looked for.
    return "in no file any more" if one.sessions and not one.ignored else ""


def _state(one: Entry) -> str:
    if one.ignored:
        return "ignored"
    if one.again:
        return f"SEEN AGAIN after it was rotated on {one.rotated[:10]}"
    return f"rotated on {one.rotated[:10]}" if one.rotated else "NOT ROTATED"


def _days(one: Entry) -> str:
    first, last = one.first[:10], one.last[:10]
    return first if first == last else f"{first} to {last}"


def summary(entries: tuple[Entry, ...]) -> str:
    """All of them in one line, and what to do."""
    todo = sum(one.is_open for one in entries)
    held = sum(bool(one.files) for one in entries)
    text = f"{plural(len(entries), 'login')}: {todo} to rotate, {held} still in plaintext in agents' files"
    return f"{text}; change them where they are used, then `lib logins rotated FINGERPRINT`" if todo else text
