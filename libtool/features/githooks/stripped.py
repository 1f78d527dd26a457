"""Logins that a commit was kept free of: noted in the data dir, since a git hook waits for no lock; `lib index` takes them into the ledger.

A line of the file is JSON: the tag of the key, and what the ledger may know of a login. No value, no path.
"""

from __future__ import annotations

import json
import os
import re

from libtool.storage import files, key

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from libtool.config import Config
    from libtool.domain.redact.finding import Login
    from libtool.storage.store import Store

NAME = "stripped"
TAKING = ".taking"
"""Ends the name of the file while its lines are taken over: those of a run that was killed there are still in it."""
LARGEST = 1 << 20
_PATTERNS = {"fingerprint": re.compile("[0-9a-f]{12}"), "kind": re.compile("[a-z0-9-]{1,12}"), "shape": re.compile(".{0,200}")}


def note(config: Config, secret: bytes, logins: Iterable[Login]) -> None:
    """Add logins to those that wait; `secret` is the key that made their fingerprints. Raises OSError."""
    made_with = key.tag(secret)
    told = (
        {"key": made_with, "fingerprint": one.fingerprint, "kind": one.kind, "spreads": one.spreads, "shape": one.shape} for one in logins
    )
    lines = "".join(json.dumps(one, sort_keys=True) + "\n" for one in told)
    files.ensure_folder(config.data_dir)
    descriptor = os.open(os.path.join(config.data_dir, NAME), os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, files.FILE_MODE)
    try:
        if os.fstat(descriptor).st_size < LARGEST:
            os.write(descriptor, lines.encode())
    finally:
        os.close(descriptor)


def take_over(config: Config, store: Store, secret: bytes) -> int:
    """Put the logins that wait into the ledger; how many. Those of another key than `secret` nobody could know again.

    The caller holds the writer lock; no transaction may be open.
    """
    path = os.path.join(config.data_dir, NAME)
    taking = path + TAKING
    if not os.path.exists(taking):
        if not os.path.exists(path):
            return 0
        os.rename(path, taking)
    with open(taking, encoding="utf-8", errors="replace") as file:
        rows = {row for line in file.read(2 * LARGEST).splitlines() if (row := _row(line, key.tag(secret)))}
    store.begin()
    store.save_logins(sorted(rows))
    store.commit()
    os.unlink(taking)
    return len(rows)


def _row(line: str, made_with: str) -> tuple[str, str, int, str] | None:
    """A line as a row of the ledger; None for one that was cut, or is of another key."""
    try:
        told = json.loads(line)
    except ValueError:
        return None
    if not isinstance(told, dict) or told.get("key") != made_with or not isinstance(told.get("spreads"), bool):
        return None
    texts = [told.get(name) for name in _PATTERNS]
    if not all(isinstance(text, str) and pattern.fullmatch(text) for text, pattern in zip(texts, _PATTERNS.values(), strict=True)):
        return None
    return str(texts[0]), str(texts[1]), int(told["spreads"]), str(texts[2])
