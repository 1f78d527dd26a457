"""Asking the person at the terminal; where nobody sits at one, nobody is asked."""

from __future__ import annotations

import sys

from libtool.errors import LibError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context


def ask(context: Context, question: str) -> str | None:
    """The line that the person types, '' for a bare Enter or the end of input.

    None without a terminal, and with `--json`: a program asked.
    """
    if context.output.json or sys.stdin is None or not sys.stdin.isatty():
        return None
    context.output.warn(question)
    context.output.flush()
    return context.stdin.readline().decode("utf-8", "replace").strip()


def agree(args: argparse.Namespace, context: Context, question: str, *, hint: str = "say --yes") -> None:
    """Ask before what cannot be undone, or not wholly, unless `--yes` was said.

    Raises UsageError where there is nobody to ask, LibError for a no.
    """
    if args.yes:
        return
    answer = ask(context, question)
    if answer is None:
        raise UsageError("nothing was changed: there is no terminal to ask at", hint=hint)
    if answer.lower() not in ("y", "yes"):
        raise LibError("nothing was changed")
