"""`lib show`: one session's condensed transcript, around a turn or whole, within a budget of tokens."""

from __future__ import annotations

from libtool.domain.ref import Ref, parse
from libtool.errors import LibError, UsageError
from libtool.storage.session_db import SessionDb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from libtool.config import Config

    Segment = tuple[str, int, str]

BYTES_A_TOKEN = 4
CANDIDATES_SHOWN = 8
_ORDER = "HQKTSPANFCRX"
"""Codes by what a reader wants first when not all fits: what the person said and chose, conclusions, then tool lines."""
_LAST = 2
"""Code rank that the last assistant message of a turn gets: it concludes the turn."""
_SHORTEST = 120
_AROUND = 1 << 20


class Shown:
    """A session's facts and the segments that fit."""

    __slots__ = ("children", "facts", "here", "left_out", "parent", "path", "ref", "segments")

    def __init__(self, facts: dict[str, Any], ref: str, segments: list[Segment], left_out: int) -> None:
        self.facts = facts
        self.ref = ref
        self.segments = segments
        self.left_out = left_out
        """Segments that did not fit."""
        self.path = ""
        self.here = False
        """Whether the transcript is still on this machine."""
        self.children: list[str] = []
        """REFs of the sub-agents' sessions."""
        self.parent = ""


def show(config: Config, text: str, *, turns: tuple[int, int] | None, budget: int) -> Shown:
    """The session that a REF names. `budget` tokens of 4 bytes (0: all). Raises UsageError for an unknown or ambiguous REF."""
    ref = parse(text)
    if ref.kind in ("entry", "digest"):
        raise LibError(
            f"no such {ref.kind}: {ref.name}", hint=f"`lib search {ref.name.replace('-', ' ')}` looks in everything that is indexed"
        )
    database = SessionDb(config.store_db)
    try:
        facts = find(database, ref)
        part, path, here = database.longest_part(facts["id"])
        wanted = _chosen(database.segments(part), ref, turns)
        segments, left_out = fit(wanted, budget * BYTES_A_TOKEN if budget else _AROUND << 10, ref.turn)
        shown = Shown(facts, canonical(database, facts), segments, left_out)
        shown.path, shown.here = path, here
        shown.children = [canonical(database, child) for child in database.children(facts["agent"], facts["sid"])]
        if facts["parent"]:
            shown.parent = canonical(database, {"agent": facts["agent"], "sid": facts["parent"]})
    finally:
        database.close()
    return shown


def find(database: SessionDb, ref: Ref) -> dict[str, Any]:
    """The one session that a REF names; UsageError lists the candidates when there are several."""
    found = database.matching(ref.agent, ref.name)
    if len(found) == 1:
        return found[0]
    if not found:
        raise LibError(
            f"no session {ref.agent or 'of any agent'}:{ref.name} is indexed here", hint="`lib search` prints the REFs that exist"
        )
    names = ", ".join(canonical(database, row) for row in found[:CANDIDATES_SHOWN])
    raise UsageError(f"{ref.name} names {len(found)} sessions", hint=f"say which: {names}")


def canonical(database: SessionDb, facts: dict[str, Any]) -> str:
    """The shortest unambiguous REF of a session: agent and a tail of at least 8 characters (a note's whole path)."""
    agent, sid = facts["agent"], facts["sid"]
    if agent == "note":
        return f"note:{sid}"
    size = 8
    while size < len(sid):
        count = database.rows("SELECT count(*) FROM session WHERE agent = ? AND substr(sid, ?) = ?", (agent, -size, sid[-size:]))
        if count[0][0] < 2:
            break
        size += 4
    return f"{agent}:{sid[-size:]}"


def _chosen(segments: Iterable[Segment], ref: Ref, turns: tuple[int, int] | None) -> list[Segment]:
    """The segments of the turns asked for; for a REF with a turn those from one turn before it on."""
    if turns is not None:
        return [segment for segment in segments if turns[0] <= segment[1] <= turns[1]]
    if ref.kind == "note" or not ref.turn:
        return list(segments)
    found = [segment for segment in segments if segment[1] >= ref.turn - 1]
    if not any(segment[1] == ref.turn for segment in found):
        raise LibError(f"the session has no turn {ref.turn}", hint=f"`lib show {ref.agent}:{ref.name}` shows what it has")
    return found


def fit(segments: Sequence[Segment], room: int, turn: int) -> tuple[list[Segment], int]:
    """What fits into `room` bytes, in the order of the conversation, and the number of segments left out.

    The turn asked for comes first, then its neighbours by distance; inside a turn the person's words, conclusions, tool lines. A segment
    that does not fit whole is cut when enough room is left.
    """
    last = {number: at for at, (code, number, _) in enumerate(segments) if code == "A"}
    order = sorted(range(len(segments)), key=lambda at: (*_distance(segments[at][1], turn), _wanted(segments, at, last), at))
    kept: dict[int, Segment] = {}
    for at in order:
        code, number, text = segments[at]
        size = len(text.encode("utf-8", "replace")) + 12
        if size <= room:
            kept[at] = segments[at]
            room -= size
        elif room > _SHORTEST:
            kept[at] = (code, number, text.encode("utf-8", "replace")[: room - 12].decode("utf-8", "ignore") + "…")
            room = 0
        else:
            break
    return [kept[at] for at in sorted(kept)], len(segments) - len(kept)


def _distance(number: int, turn: int) -> tuple[int, int]:
    """Turns by how near they are to the one asked for, the following before the one before; all alike when none was asked for."""
    if not turn:
        return 0, 0
    return abs(number - turn), int(number < turn)


def _wanted(segments: Sequence[Segment], at: int, last: dict[int, int]) -> int:
    code, number, _ = segments[at]
    return _LAST if code == "A" and last[number] == at else _ORDER.index(code)
