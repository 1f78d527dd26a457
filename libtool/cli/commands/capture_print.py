"""`lib capture --print`, and `lib show digest:...`: the digest of a session."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.domain.ref import parse
from libtool.features import show_digest

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Any

    from libtool.cli.context import Context
    from libtool.domain.digest import Item
    from libtool.features.show_digest import Printed


def run(args: argparse.Namespace, context: Context) -> int:
    """Print the digests of a file, or that of a REF: what is there as a file is taken for one."""
    name: str = args.print
    if _is_path(name):
        from libtool.features import file_digest  # noqa: PLC0415 - adapters and redactor, which a REF does without

        found = file_digest.of_file(context.config, name)
    else:
        found = [show_digest.of_ref(context.config, parse(name))]
    show(found, context)
    return 0


def show(found: Sequence[Printed], context: Context) -> None:
    """Print digests, a blank line between two."""
    if context.output.json:
        context.output.data([as_json(one) for one in found])
    else:
        context.output.line("\n".join(one.text for one in found).rstrip("\n"))


def _is_path(name: str) -> bool:
    return os.path.exists(name) or os.sep in name


def as_json(one: Printed) -> dict[str, Any]:
    """A digest as `--json` prints it."""
    digest = one.digest
    return {
        "ref": one.ref,
        "agent": one.agent,
        "session": one.session,
        "title": digest.title,
        "answer": {**_item(digest.answer), "date": digest.answer.date or None},
        "sections": {name: [_item(item) for item in items] for name, items in digest.sections.items()},
        "pointers": [_item(item) for item in digest.pointers],
        "markdown": one.text,
    }


def _item(item: Item) -> dict[str, Any]:
    return {"text": item.text, "turn": item.turn or None}
