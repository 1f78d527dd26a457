"""One command's parser: argparse with our errors, and with help that is the same on every terminal."""

from __future__ import annotations

import argparse

from libtool.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import NoReturn

HELP_WIDTH = 100
_MOST_DIGITS = 15


class HelpAskedError(Exception):
    """`-h` was given; holds the help text."""


def _count(text: str) -> int:
    """The `type="count"` of arguments. Where it limits what is printed, 0 sets no limit."""
    # A float must hold it: some are seconds.
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        raise argparse.ArgumentTypeError(f"not a whole number from 0 up: {text[:40]}")
    return int(text)


class CommandParser(argparse.ArgumentParser):
    """Raises UsageError and HelpAskedError where argparse would print and exit."""

    def error(self, message: str) -> NoReturn:
        """Called by argparse for every wrong command line."""
        raise UsageError(message, hint=f"see `{self.prog} -h`")


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """Breaks no word that one may want to copy, such as `copilot-cli` or `--dry-run`."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=HELP_WIDTH, max_help_position=28)

    def _split_lines(self, text: str, width: int) -> list[str]:
        import textwrap  # noqa: PLC0415 - as argparse itself: only for a help text

        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


class _Help(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        raise HelpAskedError(parser.format_help())


def command_parser(name: str, meaning: str, examples: Sequence[str]) -> CommandParser:
    """An empty parser of `lib NAME` with what every command has: `--json`, `--quiet`, `-h` with examples."""
    parser = CommandParser(
        prog=f"lib {name}",
        description=meaning,
        epilog="\n".join(["examples:", *(f"  {example}" for example in examples)]) if examples else None,
        formatter_class=_Formatter,
        add_help=False,
        allow_abbrev=False,
    )
    # Python 3.14 colours help by itself, past our output.
    parser.color = False  # type: ignore[attr-defined]
    parser.register("type", "count", _count)
    every = parser.add_argument_group("of every command")
    every.add_argument("--json", action="store_true", help="data as JSON on stdout, errors as JSON on stderr")
    every.add_argument("--quiet", action="store_true", help="no remarks on stderr")
    every.add_argument("-h", "--help", action=_Help, nargs=0, help="this help")
    return parser
