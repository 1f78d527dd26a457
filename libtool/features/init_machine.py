"""The name of this machine in a library: no two machines may have the same, since each writes its own `machines/<name>.json`.

What says that a name is ours: the journal of this clone, or a note in the data dir, which outlives the clone. A configuration file does
not: people carry theirs from machine to machine.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import UsageError
from libtool.features import sync_identity

if TYPE_CHECKING:
    from collections.abc import Iterable

    from libtool.config import Config
    from libtool.features.init_journal import Journal

NOTE = "machine"
"""The file in the data dir that holds the name."""
LOCK_SECONDS = 60.0
"""How long a rename waits for another lib process that writes to the store."""


class Claim(NamedTuple):
    """A name that is ours."""

    name: str
    note: str
    """Where that is written down."""
    former: frozenset[str]
    """All names that were ours: what was indexed until now has one of them."""

    def record(self, journal: Journal) -> list[str]:
        """Write it down; what was changed."""
        journal.facts["machine"] = self.name
        journal.save()
        return [f"machine name: {self.name}"] if journal.write(self.note, self.name.encode() + b"\n", 0o600) else []


def claim(config: Config, library: str, journal: Journal, name: str, *, is_same: bool) -> Claim:
    """Take the name. Raises UsageError when another machine has it."""
    note = os.path.join(config.data_dir, NOTE)
    ours = {str(journal.facts.get("machine") or "")}
    if os.path.exists(note):
        with open(note, encoding="utf-8", errors="replace") as file:
            ours.add(file.read(200).strip())
    record = _record(library, name)
    identity = sync_identity.said(record)
    is_ours = identity == sync_identity.there(config) if identity else name in ours
    if is_same and record is not None:
        sync_identity.adopt(config, record)
    elif record is not None and not is_ours:
        raise UsageError(
            f"the library knows a machine named {name} already",
            hint=f"give this one another name: --machine NAME; if it is that machine, installed anew: --machine {name} --same-machine",
        )
    return Claim(name, note, frozenset({*ours, config.machine} - {""}))


def rename(config: Config, former: Iterable[str], name: str) -> list[str]:
    """Have the sessions that were indexed under one of this machine's former names stand under `name`; what was changed.

    Without that, lib takes this machine's own sessions for those of another one. Raises Locked when another writer does not end in time.
    """
    old = sorted(set(former) - {name})
    if not old or not os.path.exists(config.store_db):
        return []
    from libtool.features import index  # noqa: PLC0415 - only for a machine that is named after it was indexed

    told: list[str] = []
    with index.writing(config, LOCK_SECONDS, task="lib init", told=told) as store:
        store.begin()
        done = [store.db.execute("UPDATE session SET machine = ? WHERE machine = ?", (name, one)).rowcount for one in old]
        store.commit()
    return [*told, *([f"sessions indexed until now: of {name}"] if any(done) else [])]


def _record(library: str, name: str) -> bytes | None:
    """What the machine of that name says of itself in the library; None where there is none."""
    try:
        with open(os.path.join(library, "machines", f"{name}.json"), "rb") as file:
            return file.read(sync_identity.LONGEST)
    except OSError:
        return None
