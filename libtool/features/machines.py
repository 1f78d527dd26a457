"""What each machine of the library covers: `machines/<name>.json`, one file a machine, written by its own `lib sync`.

It tells days and counts. No path, no project, no session: whoever may read the library may read it.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from libtool.config import SESSION_CLASSES
from libtool.domain.dates import moment
from libtool.errors import NotIndexed
from libtool.features import search, sync_identity, verdict
from libtool.storage import library
from libtool.storage.library_rows import Record
from libtool.storage.search_db import Coverage
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from libtool.config import Config

FORMAT = 1
"""Of the record. A reader takes any that it understands."""
ENTRY_FORMAT = 1
"""Of the entries that this lib writes: docs/entry-format.md."""
CAPTURED = "captured"
"""The fact of the store that holds when capture last ran, RFC 3339 or a day."""
_LONGEST = 4096
_MOST = 10**9
_DAY = re.compile(r"2\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])")


def record(config: Config) -> bytes:
    """The content of this machine's file: the same bytes as long as no count and no day changes.

    Sessions by class, every class; the days (UTC) of the last capture and the last index, null for never.
    """
    counts = dict.fromkeys(SESSION_CLASSES, 0)
    captured = ""
    try:
        sessions = SessionDb(config.store_db)
    except NotIndexed:
        pass
    else:
        with sessions:
            for name, count in sessions.rows("SELECT class, count(*) FROM session WHERE agent <> 'note' GROUP BY class"):
                counts[str(name)] = int(count)
            captured = "".join(str(row[0]) for row in sessions.rows("SELECT value FROM fact WHERE name = ?", (CAPTURED,)))
    identity = sync_identity.there(config)
    said = {
        **({"id": identity} if identity else {}),
        "format": FORMAT,
        "entry_format": ENTRY_FORMAT,
        "machine": config.machine,
        "last_capture": captured[:10] or None,
        "last_index": moment(search.indexed_at(config))[:10] or None,
        "sessions": counts,
    }
    return (json.dumps(said, indent=2, sort_keys=True) + "\n").encode()


def read(data: bytes, name: str) -> Record | None:
    """What the machine `name` said of itself; None for anything that is not such a record of that machine. Foreign bytes."""
    try:
        said = json.loads(data) if len(data) <= _LONGEST else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict) or said.get("machine") != name or not isinstance(said.get("sessions"), dict):
        return None
    counts = list(said["sessions"].values())
    days = [said.get(key) for key in ("last_capture", "last_index")]
    if not all(type(count) is int and 0 <= count <= _MOST for count in counts) or not all(map(_is_day, days)):
        return None
    return Record(name, days[0] or "", days[1] or "", sum(counts))


def _is_day(value: object) -> bool:
    return value is None or (isinstance(value, str) and _DAY.fullmatch(value) is not None)


def others(config: Config) -> list[tuple[str, int, str, str]]:
    """(name, sessions, day of the last capture, of the last index) of every machine, as their files in the work tree say."""
    names, _ = library.listing(config.library)
    found: list[tuple[str, int, str, str]] = []
    for name in sorted(names):
        if name.startswith(library.MACHINES) and (data := library.content(config.library, name)) is not None:
            said = read(data, library.topic_of(name))
            if said is not None:
                found.append((said.name, said.sessions, said.last_capture, said.last_index))
    return found


def covered(config: Config) -> list[dict[str, Any]]:
    """`coverage.machines` of all machines, from the files of the library and this machine's store. Raises NotIndexed."""
    with SessionDb(config.store_db) as sessions:
        rows = sessions.rows("SELECT machine, count(*), max(ended) FROM session WHERE agent <> 'note' GROUP BY machine ORDER BY machine")
    here = [(str(name), int(count), str(last)) for name, count, last in rows]
    return verdict.machines(config, Coverage({}, 0, here, 0, others(config)))
