"""`lib capture --prompt`: the section to add to a reviewer's prompt."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features import review_prompt

if TYPE_CHECKING:
    import argparse

    from libtool.cli.context import Context


def run(_args: argparse.Namespace, context: Context) -> int:
    """Print it."""
    text = review_prompt.text(context.config, os.getcwd())
    if context.output.json:
        context.output.data({"prompt": text})
    else:
        context.output.line(text.rstrip("\n"))
    return 0
