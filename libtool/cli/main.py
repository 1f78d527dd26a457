"""`lib`: find the command in one table, parse, run, turn every error into an exit code.

A command is a module of `libtool.cli.commands` with `add_arguments(parser)` and `run(args, context) -> int`. It may have `EXAMPLES`, the
command lines that its help shows, `prepare(words) -> words`, which sees the words before argparse does, and `quick(words, context)`, which
may do the whole of a frequent call without argparse: an exit code, or None for what it leaves to `run`.
Nothing but the module of the command that was called is imported: an agent waits for this many times a day.
"""

from __future__ import annotations

import os
import sys

from libtool import __version__
from libtool.cli.context import Context
from libtool.cli.output import standard
from libtool.errors import LibError, OutputLost, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import NoReturn

    from libtool.cli.parser import CommandParser

    Commands = Mapping[str, tuple[str, str]]

COMMANDS: dict[str, tuple[str, str]] = {
    "quickstart": ("libtool.cli.commands.quickstart", "index this machine and search for the first time; start here"),
    "init": ("libtool.cli.commands.init", "make or clone the library, name this machine, install git hooks and merge drivers"),
    "install": ("libtool.cli.commands.install", "put hooks and the skill into the agents that are here, or take them out again"),
    "index": ("libtool.cli.commands.index", "bring INDEX.md and the search db up to date with every entry, transcript and note"),
    "build-index": ("libtool.cli.commands.build_index", "make INDEX.md and the search db from nothing, or only check them"),
    "search": ("libtool.cli.commands.search", "find what an old session decided, by keywords"),
    "show": ("libtool.cli.commands.show", "open a session where a search pointed, or the whole of it condensed"),
    "topics": ("libtool.cli.commands.topics", "the lines of INDEX.md that match some words"),
    "new": ("libtool.cli.commands.new", "begin an entry of the library"),
    "check": ("libtool.cli.commands.check", "say what is wrong with the library's entries, and mend it"),
    "capture": ("libtool.cli.commands.capture", "what a session decided: its digest"),
    "status": ("libtool.cli.commands.status", "what is covered and how fresh it is, what could not be read"),
    "doctor": ("libtool.cli.commands.doctor", "what is broken of all that works by itself, and the command that mends it"),
    "forget": ("libtool.cli.commands.forget", "drop a session for good: it is never indexed again"),
    "sync": ("libtool.cli.commands.sync", "bring this machine's library and its remote together: fetch, merge, push"),
    "absent": ("libtool.cli.commands.absent", "prove that a name is not in the code of a repository, in any spelling"),
    "verify": ("libtool.cli.commands.verify", "check again what entries point to and claim"),
    "audit": ("libtool.cli.commands.audit", "what past sessions spent on reading raw transcripts, and on lookups through lib"),
    "eval": ("libtool.cli.commands.eval", "what each way of looking things up answers of your own questions, and its cost"),
    "logins": ("libtool.cli.commands.logins", "which logins were met and where they still lie; what to rotate"),
    "drafts": ("libtool.cli.commands.drafts", "sessions whose digest is no entry yet, the best first"),
    "promote": ("libtool.cli.commands.promote", "make an entry of a session's digest"),
    "redact": ("libtool.cli.commands.redact", "replace the logins in files, or in what is piped through"),
    "hook": ("libtool.cli.commands.hook", "what agents call at their events; never fails, prints only what is meant for them"),
}
"""Command: (module, what it does in one line)."""

INTERRUPTED = 130
READER_GONE = 141
"""As a shell shows a program that SIGPIPE ended."""
OTHER_CODES = (
    (0, "done"),
    (INTERRUPTED, "interrupted (Ctrl-C)"),
    (READER_GONE, "whoever read the output went away before its end, such as `head -1`"),
)
"""The exit codes that no class of `libtool.errors` stands for."""

SWITCHES = ("--json", "--quiet")
HELP = ("-h", "--help")


def main(words: Sequence[str] | None = None, commands: Commands = COMMANDS) -> int:
    """Run one command line (default: the process's own) on the standard streams; the exit code."""
    words = sys.argv[1:] if words is None else words
    rest = [word for word in words if word not in SWITCHES]
    if rest[:1] == ["hook"] and not any(word in HELP for word in rest):
        from libtool.cli.commands.hook import call  # noqa: PLC0415 - no error, of argparse neither, may reach an agent

        return call(rest[1:])
    environ = os.environ
    output = standard(environ)
    context = Context(environ, os.path.expanduser("~"), output)
    try:
        code = guarded(words, context, commands)
        output.flush()
    except BrokenPipeError:
        output.abandon()
        return READER_GONE
    except OutputLost as error:
        output.abandon()
        # Where stderr is full too, there is nobody to tell.
        try:
            output.failure(error)
            output.flush()
        except OutputLost:
            output.abandon(errors=True)
        return error.exit_code
    return code


def program() -> NoReturn:
    """The whole process. Ends without the interpreter's tidying up: 3 ms that the kernel does for nothing, and everything is written."""
    os._exit(main())


def guarded(words: Sequence[str], context: Context, commands: Commands) -> int:
    """The error boundary around `dispatch`. Only BrokenPipeError and OutputLost come through."""
    try:
        return dispatch(words, context, commands)
    except OutputLost:
        raise
    except LibError as error:
        context.output.failure(error)
        return error.exit_code
    except KeyboardInterrupt:
        context.output.warn("lib: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001 - this is the boundary
        expected = _expected(error, context)
        if expected is not None:
            context.output.failure(expected)
            return expected.exit_code
        return _report_bug(error, context, next((word for word in words if word in commands), "none"))


def _expected(error: Exception, context: Context) -> LibError | None:
    """What an error of the system means that is no bug of ours: the current folder is gone, or the data dir cannot be used."""
    if isinstance(error, FileNotFoundError):
        try:
            os.getcwd()
        except FileNotFoundError:
            return UsageError("the folder you are in was deleted", hint="go to another one, or give whole paths")
    return context.unusable(error) if isinstance(error, OSError) else None


def dispatch(words: Sequence[str], context: Context, commands: Commands) -> int:
    """Run the command that `words` name; raises whatever it raises."""
    leading = 0
    while leading < len(words) and words[leading] in SWITCHES:
        leading += 1
    switches, rest = list(words[:leading]), list(words[leading:])
    # An error in the words themselves must already come in the form that was asked for.
    context.output.json = "--json" in words
    if rest and rest[0] == "help":
        rest = [*rest[1:], "-h"]
    if not rest or rest[0] in HELP:
        context.output.line(overview(commands))
        return 0
    if rest[0] == "--version":
        _show_version(context)
        return 0
    if rest[0] not in commands:
        raise UsageError(f"unknown command `{rest[0]}`", hint=_nearest(rest[0], commands))
    return _run(rest[0], [*switches, *rest[1:]], context, commands)


def parser_of(name: str, commands: Commands) -> tuple[CommandParser, ModuleType]:
    """The whole parser of a command, and its module."""
    from libtool.cli.parser import command_parser  # noqa: PLC0415 - argparse, not needed for --version

    module = _module_of(name, commands)
    meaning = commands[name][1]
    parser = command_parser(name, meaning, getattr(module, "EXAMPLES", ()))
    module.add_arguments(parser)
    return parser, module


def _module_of(name: str, commands: Commands) -> ModuleType:
    path = commands[name][0]
    __import__(path)  # importlib.import_module does the same 1 ms later
    return sys.modules[path]


def overview(commands: Commands) -> str:
    """The help of `lib` itself."""
    width = max((len(name) for name in commands), default=0)
    rows = [f"  {name:{width}}  {meaning}" for name, (_, meaning) in commands.items()]
    return "\n".join(
        [
            "usage: lib COMMAND ...",
            "",
            "One session library across a person's machines: find what an old chat with a coding agent decided.",
            "",
            *rows,
            "",
            "`lib help COMMAND` tells more of one, with examples; `lib --version` the version.",
        ]
    )


def _run(name: str, words: list[str], context: Context, commands: Commands) -> int:
    quick = getattr(_module_of(name, commands), "quick", None)
    done: int | None = quick(words, context) if quick else None
    if done is not None:
        return done
    from libtool.cli.parser import HelpAskedError  # noqa: PLC0415 - with argparse

    parser, module = parser_of(name, commands)
    prepare = getattr(module, "prepare", None)
    try:
        args = parser.parse_args(prepare(words) if prepare else words)
    except HelpAskedError as asked:
        context.output.line(str(asked).rstrip())
        return 0
    context.output.json = args.json
    context.output.quiet = args.quiet
    code: int = module.run(args, context)
    return code


def _show_version(context: Context) -> None:
    if context.output.json:
        context.output.data({"version": __version__})
    else:
        context.output.line(f"lib {__version__}")


def _nearest(word: str, commands: Commands) -> str:
    import difflib  # noqa: PLC0415 - only for a message

    near = difflib.get_close_matches(word, commands, n=1)
    return f"did you mean `lib {near[0]}`?" if near else "`lib -h` lists the commands"


def _report_bug(error: Exception, context: Context, command: str) -> int:
    """Log an unexpected exception and say where; nothing of it is printed but its type."""
    from libtool.cli import crash  # noqa: PLC0415 - rare

    try:
        path = crash.record(error, context.config.logs, command)
    except (OSError, LibError) as failed:
        hint = f"no log could be written: {crash.name_of(failed)}"
    else:
        hint = f"please report it with this file, it holds no private text: {path}"
    bug = crash.UnexpectedError(f"unexpected {crash.name_of(error)}", hint=hint)
    context.output.failure(bug)
    return bug.exit_code


if __name__ == "__main__":
    program()
