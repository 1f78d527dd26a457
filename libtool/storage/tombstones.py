"""The forgotten sessions once more, in a file beside the store: a store that is lost or damaged must not bring them back."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING

from libtool.storage import files

if TYPE_CHECKING:
    from libtool.storage.store import Store

NAME = "forgotten"


def agree(folder: str, store: Store) -> None:
    """Let the store and the file in `folder` both hold what either knows. Writes nothing when they agree; no transaction may be open."""
    path = os.path.join(folder, NAME)
    listed, known = load(path), store.forgotten()
    if listed - known:
        store.restore(sorted(listed - known), ())
    if known - listed:
        files.write(path, "".join(json.dumps(pair) + "\n" for pair in sorted(known | listed)).encode())


def rewrite(folder: str, store: Store) -> None:
    """Let the file say what the store says, where there is one: the name of a session may have held a login."""
    path = os.path.join(folder, NAME)
    if os.path.exists(path):
        files.write(path, "".join(json.dumps(pair) + "\n" for pair in sorted(store.forgotten())).encode())


def load(path: str) -> set[tuple[str, str]]:
    """(agent, session id) of each line; none without a file. A line that cannot be understood is left out."""
    found = set()
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            for line in file:
                with contextlib.suppress(ValueError, TypeError):
                    agent, sid = json.loads(line)
                    found.add((str(agent), str(sid)))
    except FileNotFoundError:
        pass
    return found
