"""Asking the person at the terminal; where nobody sits at one, nobody is asked."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
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
