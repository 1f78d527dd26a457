"""`lib init`: make or clone a library, name the machine, install git hooks and merge drivers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.cli.asking import ask
from libtool.config import absolute
from libtool.errors import LibError, UsageError
from libtool.features import init

if TYPE_CHECKING:
    import argparse
    from typing import Any

    from libtool.cli.context import Context
    from libtool.features.init import InitReport

EXAMPLES = (
    "lib init",
    "lib init --remote git@example.org:me/library.git",
    "lib init --clone git@example.org:me/library.git --machine laptop",
    "lib init ~/notes/library",
    "lib init --uninstall",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("path", nargs="?", default="", metavar="PATH", help="the folder of the library (default: ~/library)")
    parser.add_argument("--clone", default="", metavar="URL", help="get the library that another machine has pushed there")
    parser.add_argument("--remote", default="", metavar="URL", help="where git push and lib sync send it: an empty private repository")
    parser.add_argument("--machine", default="", metavar="NAME", help="the name of this machine in the library (default: the host name)")
    parser.add_argument(
        "--same-machine", action="store_true", help="the library knows this very machine by that name: it was installed anew"
    )
    parser.add_argument("--yes", action="store_true", help="without asking, make a library also of a repository that holds something else")
    parser.add_argument(
        "--uninstall", action="store_true", help="take git hooks, merge drivers and settings back; the library and its files stay"
    )


def run(args: argparse.Namespace, context: Context) -> int:
    """Install or uninstall, and say what was changed."""
    if args.clone and args.remote:
        raise UsageError("--clone and --remote exclude one another", hint="--clone gets a library that is there, --remote is for a new one")
    if args.uninstall and (args.clone or args.remote or args.machine or args.same_machine or args.yes):
        raise UsageError("--uninstall takes only PATH", hint="see `lib init -h`")
    config = context.config
    path = absolute(args.path, config.home) if args.path else ""
    wanted = init.Wanted(path, args.clone, args.remote, args.machine, args.same_machine, args.yes)
    try:
        done = init.uninstall(config, context.environ, path) if args.uninstall else _made(context, wanted)
    except OSError as error:
        raise context.unusable(error) or LibError(
            f"{error.filename or path or config.library}: {error.strerror}",
            hint="let it be written, then run the command again: it does what is missing",
        ) from None
    return _report(done, context, is_undone=args.uninstall)


def _made(context: Context, wanted: init.Wanted) -> InitReport:
    """Do it; a repository that holds something else is taken over only when the person at the terminal says so."""
    try:
        return init.run(context.config, context.environ, wanted)
    except init.OtherRepositoryError as error:
        question = f"{error.message}. Make a library of it? It gets lib's files in one commit, and git hooks [y, Enter: no]"
        if (ask(context, question) or "").lower() not in ("y", "yes"):
            raise
        return init.run(context.config, context.environ, wanted._replace(take_over=True))


def _report(done: InitReport, context: Context, *, is_undone: bool) -> int:
    output = context.output
    if output.json:
        output.data(as_json(done))
        return 0
    for line in lines(done, is_undone=is_undone):
        output.line(line)
    for remark in done.remarks:
        output.warn(f"lib: {remark}")
    return 0


def lines(done: InitReport, *, is_undone: bool) -> list[str]:
    """What a person reads."""
    if is_undone:
        if not done.changes and not done.remarks:
            return [f"{done.library}: nothing of lib was installed there"]
        return [f"{done.library}: git hooks, merge drivers and settings are as they were before; the library itself is untouched"]
    where = f"library: {done.library}" + (f" (remote {done.remote})" if done.remote else "")
    head = [where, f"machine: {done.machine}"]
    if not done.changes:
        return [*head, "nothing to do: all is installed"]
    return [*head, "changed:", *(f"  {change}" for change in done.changes)]


def as_json(done: InitReport) -> dict[str, Any]:
    """The report as `--json` prints it."""
    return {**done._asdict(), "changes": list(done.changes), "remarks": list(done.remarks)}
