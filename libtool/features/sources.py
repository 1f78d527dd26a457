"""What an entry rests on, and whether this machine has it: sessions in the store, notes as files."""

from __future__ import annotations

import os
from urllib.parse import quote, unquote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.storage.session_db import SessionDb

NOTE = "note"
_SAFE = "/~._-+@:,="


def note_name(home: str, path: str) -> str:
    """What stands behind `note:` for a file, in one word: below the home from `~` on."""
    return quote(f"~{path[len(home) :]}" if path.startswith(home + os.sep) else path, safe=_SAFE)


def is_here(home: str, sessions: SessionDb | None, agent: str, sid: str) -> bool:
    """Whether the store has a session or a note, or the note is still a file. `sessions` is None where nothing is indexed."""
    if sessions is not None and sessions.matching(agent, sid, 1):
        return True
    path = unquote(sid)
    return agent == NOTE and os.path.isfile(home + path[1:] if path.startswith("~/") else path)
