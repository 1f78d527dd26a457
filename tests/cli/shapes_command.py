"""A command with arguments of all shapes, for the tests of the references."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("one", help="one")
    parser.add_argument("maybe", nargs="?", help="one or none")
    parser.add_argument("some", nargs="+", help="one or more")
    parser.add_argument("-n", "--number", help="a number")
