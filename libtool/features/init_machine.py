"""The name of this machine in a library: no two machines may have the same, since each writes its own `machines/<name>.json`.

What says that a name is ours: the journal of this clone, or a note in the data dir, which outlives the clone. A configuration file does
not: people carry theirs from machine to machine.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import UsageError

if TYPE_CHECKING:
    from libtool.config import Config
    from libtool.features.init_journal import Journal

NOTE = "machine"
"""The file in the data dir that holds the name."""


class Claim(NamedTuple):
    """A name that is ours."""

    name: str
    note: str
    """Where that is written down."""

    def record(self, journal: Journal) -> list[str]:
        """Write it down; what was changed."""
        journal.facts["machine"] = self.name
        journal.save()
        return [f"machine name: {self.name}"] if journal.write(self.note, self.name.encode() + b"\n", 0o600) else []


def claim(config: Config, library: str, journal: Journal, name: str, *, is_same: bool) -> Claim:
    """Take the name. Raises UsageError when another machine has it."""
    note = os.path.join(config.data_dir, NOTE)
    ours = {journal.facts.get("machine")}
    if os.path.exists(note):
        with open(note, encoding="utf-8", errors="replace") as file:
            ours.add(file.read(200).strip())
    if not is_same and name not in ours and os.path.exists(os.path.join(library, "machines", f"{name}.json")):
        raise UsageError(
            f"the library knows a machine named {name} already",
            hint=f"give this one another name: --machine NAME; if it is that machine, installed anew: --machine {name} --same-machine",
        )
    return Claim(name, note)
