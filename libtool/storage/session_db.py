"""Reading single sessions out of the store: what `lib show`, `lib status` and `lib forget` need. Read-only."""

from __future__ import annotations

import sqlite3
import zlib

from libtool.domain.body import decode
from libtool.errors import NotIndexed
from libtool.storage import database
from libtool.storage.migrations import STORE_STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


SHORTEST_TAIL, _LONGER = 8, 4
"""Characters of an id that a REF and a cite show, and how many more at a time where two sessions end alike."""


def tail(rows: Callable[[str, tuple[object, ...]], list[Any]], agent: str, sid: str) -> str:
    """The shortest tail of a session's id, of at least SHORTEST_TAIL characters, that no other of the agent's ends with.

    `rows` asks a database that holds the store, or has it attached.
    """
    size = SHORTEST_TAIL
    while size < len(sid):
        if len(rows("SELECT 1 FROM session WHERE agent = ? AND substr(sid, ?) = ? LIMIT 2", (agent, -size, sid[-size:]))) < 2:
            break
        size += _LONGER
    return sid[-size:]


class SessionDb(database.Opened):
    """A reader of the store alone. Raises NotIndexed when there is none, and wherever it turns out to be damaged."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.db = database.reader(path)
        if database.version(self.db) != len(STORE_STEPS):
            self.db.close()
            raise NotIndexed("the store was made by another version of lib", hint="run `lib index`")
        self.db.row_factory = sqlite3.Row

    def matching(self, agent: str, name: str, limit: int = 20) -> list[dict[str, Any]]:
        """Sessions whose id is `name`, else ends with it, else holds it; `agent` '' for any. Newest first.

        Of a session and its sub-agents, whose ids begin with its own in some agents, the session alone.
        """
        conditions = ("sid = ?", "substr(sid, -length(?)) = ?", "instr(lower(sid), lower(?)) > 0")
        for condition in conditions:
            values: list[object] = [name] * condition.count("?")
            if agent:
                condition += " AND agent = ?"  # noqa: PLW2901
                values.append(agent)
            above = f"SELECT 1 FROM session AS above WHERE above.agent = session.agent AND above.sid = session.parent AND {condition}"  # noqa: S608
            sql = f"SELECT * FROM session WHERE {condition} AND NOT EXISTS ({above}) ORDER BY ended DESC LIMIT ?"  # noqa: S608 - nothing foreign
            if found := [dict(row) for row in self._fetched(sql, (*values, *values, limit))]:
                return found
        return []

    def children(self, agent: str, sid: str) -> list[dict[str, Any]]:
        """The sub-agents' sessions of a session, oldest first."""
        rows = self._fetched("SELECT * FROM session WHERE agent = ? AND parent = ? ORDER BY started, sid", (agent, sid))
        return [dict(row) for row in rows]

    def longest_part(self, session: int) -> tuple[int, str, bool]:
        """The first of `parts`; (0, '', False) where there is none."""
        return next(iter(self.parts(session)), (0, "", False))

    def parts(self, session: int) -> list[tuple[int, str, bool]]:
        """(part, path of its file or '', whether the file is still there) of a session, the part that holds most of it first."""
        rows = self._fetched(
            "SELECT part.id, ifnull(file.path, ''), ifnull(file.missing, 1) FROM part LEFT JOIN file ON file.id = part.file"
            " WHERE session = ? ORDER BY part.human + part.prose DESC, ifnull(file.missing, 1), part.id",
            (session,),
        )
        return [(int(row[0]), str(row[1]), not row[2]) for row in rows]

    def chunks(self, part: int) -> Iterator[list[tuple[str, int, str]]]:
        """The (code, turn, text) segments of each chunk of a part, in order."""
        with database.damage(self.path):
            rows = self.db.execute("SELECT body FROM source JOIN chunk ON chunk.id = source.chunk WHERE part = ? ORDER BY ord", (part,))
            for row in rows:
                yield decode(zlib.decompress(row[0]).decode("utf-8"))

    def rows(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query, as plain tuples."""
        return [tuple(row) for row in self._fetched(sql, values)]

    def _fetched(self, sql: str, values: tuple[object, ...]) -> list[Any]:
        with database.damage(self.path):
            return self.db.execute(sql, values).fetchall()
