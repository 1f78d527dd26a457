"""A command for the tests of the frame: says its words, or fails in a way that is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.errors import LibraryNotFound

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context

EXAMPLES = ("lib echo one two", "lib echo --fail interrupt")
FOREIGN = "words of a transcript"


def prepare(words: list[str]) -> list[str]:
    return ["--", *words] if words[:1] == ["-odd"] else words


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="*", metavar="WORD", help="what to say")
    parser.add_argument("--fail", choices=("expected", "bug", "chain", "disk", "file", "interrupt"), help="how to fail")
    parser.add_argument("--times", type=int, default=1, metavar="N", help="how often (default: 1)")
    parser.add_argument("--stdin", action="store_true", help="say what stands on standard input")


def run(args: argparse.Namespace, context: Context) -> int:
    if args.fail:
        fail(args.fail)
    output = context.output
    output.note(f"data in {context.config.data_dir}")
    words = [*args.words, context.stdin.read().decode()] if args.stdin else args.words
    for _ in range(args.times):
        if output.json:
            output.data({"words": words})
        else:
            output.line(" ".join(words))
    return 0 if words else 1


def fail(way: str) -> None:
    if way == "expected":
        raise LibraryNotFound("no library at /x", hint="run `lib init`")
    if way == "interrupt":
        raise KeyboardInterrupt
    if way == "disk":
        raise OSError(28, FOREIGN, FOREIGN)
    if way == "file":
        raise FileNotFoundError(2, FOREIGN, FOREIGN)
    try:
        int(FOREIGN)
    except ValueError as error:
        if way == "chain":
            raise KeyError(FOREIGN) from error
        raise RuntimeError(FOREIGN) from None
