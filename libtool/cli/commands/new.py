"""`lib new`: an entry with nothing in it yet, opened in the person's editor."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from libtool.features import new

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from libtool.cli.context import Context

EXAMPLES = ("lib new staging-tokens", 'lib new staging-tokens --title "Rotate the staging API tokens"')


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("topic", metavar="TOPIC", help="small letters and digits in words joined by `-`: the name of the file")
    parser.add_argument("--title", default="", metavar="T", help="the heading (default: the topic's words)")


def run(args: argparse.Namespace, context: Context) -> int:
    """Write the entry, say where, and open it where a person sits at a terminal."""
    path = new.new(context.config, args.topic, args.title)
    output = context.output
    if output.json:
        output.data({"topic": args.topic, "path": path})
        return 0
    output.line(path)
    if sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty():
        output.flush()
        return _edit(path, context.environ, context)
    output.note("  fill in the Answer and the Session; `lib check` says what is missing")
    return 0


def _edit(path: str, environ: Mapping[str, str], context: Context) -> int:
    """Let the person edit the file; an editor that fails is told of, the entry stays."""
    import shlex  # noqa: PLC0415 - only at a terminal
    import subprocess  # noqa: PLC0415

    editor = environ.get("VISUAL") or environ.get("EDITOR") or ""
    try:
        words = shlex.split(editor)
    except ValueError:
        words = [editor]
    if not words:
        context.output.note("  set VISUAL or EDITOR to have it opened")
        return 0
    try:
        code = subprocess.run([*words, os.path.abspath(path)], check=False).returncode  # noqa: S603 - the person's own choice
    except OSError as error:
        context.output.warn(f"lib: {words[0]}: {error.strerror}; the entry is there, empty")
        return 0
    if code:
        context.output.warn(f"lib: {words[0]} ended with {code}; the entry is there")
    return 0
