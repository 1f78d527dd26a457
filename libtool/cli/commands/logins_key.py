"""`lib logins key`: carry the key of the fingerprints to another machine by hand, or change it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from libtool.cli.asking import agree
from libtool.errors import UsageError
from libtool.features import login_key
from libtool.storage import key

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context
    from libtool.features.login_key import Changed

EXAMPLES = ("lib logins key export --to key.txt", "lib logins key import key.txt", "lib logins key rotate")
_LONGEST = 4096
_LOST = (
    "With another key every login has another fingerprint. Transcripts still on disk are read again, and what they hold is known by the new"
    " key. What they do not hold is no longer recognised without its context; what you noted of logins (rotated, ignored, enrolled) stays"
    " with the old fingerprints. The old key brings all of it back: export it first if you may want that."
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("verb", choices=("export", "import", "rotate"), metavar="export|import|rotate", help="what to do with it")
    parser.add_argument("file", nargs="?", default="", metavar="FILE", help="import: the exported key; - for standard input")
    parser.add_argument("--to", default="", metavar="FILE", help="export: into this new file, mode 0600; none is overwritten")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(args: argparse.Namespace, context: Context) -> int:
    """Do it."""
    if (args.file and args.verb != "import") or (args.to and args.verb != "export"):
        raise UsageError(f"{args.verb} takes no such argument", hint="see `lib logins key -h`")
    return {"export": _export, "import": _import, "rotate": _rotate}[args.verb](args, context)


def _export(args: argparse.Namespace, context: Context) -> int:
    if not args.to:
        if context.output.json or not sys.stdout.isatty():
            raise UsageError("the key is not printed to where it may stay readable", hint="name a new file: --to FILE")
        agree(args, context, "Who sees the key can test guesses of your logins against their fingerprints. Print it here? [y/N]")
    text = login_key.exported(context.config, args.to)
    if context.output.json:
        context.output.data({"file": args.to})
    else:
        context.output.line(text or f"the key is in {args.to}: carry it over, `lib logins key import`, then delete the file")
    return 0


def _import(args: argparse.Namespace, context: Context) -> int:
    new = key.parsed(_read(args.file, context))
    if login_key.is_in_use(context.config, new):
        return _tell(context, None, "this is the key in use already")
    if key.there(context.config) is not None:
        agree(args, context, f"{_LOST}\nUse the imported key from now on? [y/N]")
    return _tell(context, login_key.change(context.config, new), "the imported key is in use")


def _rotate(args: argparse.Namespace, context: Context) -> int:
    agree(args, context, f"{_LOST}\nMake a new key? [y/N]")
    return _tell(context, login_key.change(context.config, login_key.made()), "a new key is in use")


def _tell(context: Context, done: Changed | None, text: str) -> int:
    if context.output.json:
        context.output.data({"changed": done is not None, "tag": done.tag if done else "", "behind": done.behind if done else 0})
        return 0
    context.output.line(text)
    if done is not None:
        context.output.line(f"known by an earlier key only: {done.behind}; `lib index` reads everything again with this one")
    return 0


def _read(name: str, context: Context) -> str:
    if not name:
        raise UsageError("import what?", hint="name the exported file, or - for standard input")
    if key.is_written(name):
        raise UsageError("the key itself does not belong on the command line", hint="name the file that holds it, or pipe it: `-`")
    if name == "-":
        return context.stdin.readline(_LONGEST).decode("ascii", "replace")
    try:
        with open(name, "rb") as file:
            return file.readline(_LONGEST).decode("ascii", "replace")
    except OSError as error:
        raise UsageError(f"cannot read {name}: {error.strerror}", hint="name the file that `lib logins key export` made") from error
