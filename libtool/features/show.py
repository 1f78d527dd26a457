"""`lib show`: one session's condensed transcript, around a turn or whole, within a budget."""

from __future__ import annotations

import os

from libtool.domain.ref import Ref, parse
from libtool.errors import LibError, UsageError
from libtool.storage.session_db import SessionDb, tail

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from libtool.config import Config

    Message = tuple[str, int, str]
    # Code, turn (in a note: line), text.

CANDIDATES_SHOWN = 8
_ORDER = "HQKTSPANFCRX"
"""Codes by what a reader wants first when not all fits: what the person said and chose, conclusions, then tool lines."""
_LAST = 2
"""Code rank that the last assistant message of a turn gets: it concludes the turn."""
_SHORTEST = 90
"""Bytes of room below which no part of a message is shown."""
_LINE = 24
"""Bytes that a message's line takes beside its text, at most: label, mark, newline."""
_HEADING = 20
"""Bytes of the heading of a turn, at most."""
_CHUNK, _OPEN = 1500, 800
"""As domain.chunk has them: the size of a chunk, and how full one is left open. Not imported: it would load dataclasses and more."""
_TOOL_OUTPUT = "RF"
_CALL, _CALLS_ON = "C", "CRX"
"""The code of a tool call; it and what comes after it in `_ORDER`."""
_RESERVED = 4
"""The part of the room that is kept for a turn's calls: one of so many."""
_LONGEST_OUTPUT = 1110
"""Characters of the longest stored tool output (domain.condense), with its mark."""


class Shown:
    """A session's facts and its messages, all of those that were asked for."""

    __slots__ = ("children", "facts", "here", "messages", "parent", "path", "ref", "turn")

    def __init__(self, facts: dict[str, Any], ref: str, messages: list[Message], turn: int) -> None:
        self.facts = facts
        self.ref = ref
        self.messages = messages
        self.turn = turn
        """The turn (in a note: line) that the REF names; 0 for none."""
        self.path = ""
        self.here = False
        """Whether the transcript is still on this machine."""
        self.children: list[str] = []
        """REFs of the sub-agents' sessions."""
        self.parent = ""
        """REF of the parent's session; '' when there is none, or it is not indexed."""


def show(config: Config, text: str, *, turns: tuple[int, int] | None) -> Shown:
    """The session that a REF names. Raises UsageError for an ambiguous REF, LibError for one that names nothing."""
    ref = parse(text)
    with SessionDb(config.store_db) as database:
        facts = find(database, ref, config.home)
        part, path, there = database.longest_part(facts["id"])
        shown = Shown(facts, canonical(database, facts), _chosen(joined(database.chunks(part)), ref, turns), ref.turn)
        shown.path = path
        shown.here = there and facts["machine"] == config.machine and os.path.exists(path)
        shown.children = [canonical(database, child) for child in database.children(facts["agent"], facts["sid"])]
        if facts["parent"] and database.rows("SELECT 1 FROM session WHERE agent = ? AND sid = ?", (facts["agent"], facts["parent"])):
            shown.parent = canonical(database, {"agent": facts["agent"], "sid": facts["parent"]})
    return shown


class UnknownSessionError(LibError):
    """No session that is indexed here has this name."""


def find(database: SessionDb, ref: Ref, home: str) -> dict[str, Any]:
    """The one session that a REF names; UsageError lists the candidates when there are several."""
    if ref.kind == "entry":
        raise LibError(f"no such entry: {ref.name}", hint=f"`lib search {ref.name.replace('-', ' ')}` looks in everything that is indexed")
    name = ref.name
    if ref.kind == "note" and name.startswith(home + os.sep):
        name = "~" + name[len(home) :]
    found = database.matching(ref.agent, name)
    if len(found) == 1:
        return found[0]
    if not found:
        whose = f"{ref.agent}:{name}" if ref.agent else name
        raise UnknownSessionError(f"nothing indexed here is named {whose}", hint="`lib search` prints the REFs that exist")
    names = ", ".join(canonical(database, row) for row in found[:CANDIDATES_SHOWN])
    more = ", ..." if len(found) > CANDIDATES_SHOWN else ""
    raise UsageError(f"{name} may be one of several", hint=f"say which: {names}{more}")


def canonical(database: SessionDb, facts: dict[str, Any]) -> str:
    """The shortest unambiguous REF of a session: agent and a tail of at least 8 characters (a note's whole path)."""
    agent, sid = facts["agent"], facts["sid"]
    if agent == "note":
        return f"note:{sid}"
    return f"{agent}:{tail(database.rows, agent, sid)}"


def joined(chunks: Iterable[Sequence[Message]]) -> list[Message]:
    """The messages of a session's chunks: a text that was cut at the border of two chunks is one again."""
    messages: list[Message] = []
    before = 0
    for chunk in chunks:
        for at, (code, turn, text) in enumerate(chunk):
            if at == 0 and messages and messages[-1][:2] == (code, turn):
                room = _CHUNK - before if before < _OPEN else _CHUNK
                if (gap := _gap(code, messages[-1][2], text, room)) is not None:
                    messages[-1] = code, turn, f"{messages[-1][2]}{gap}{text}"
                    continue
            messages.append((code, turn, text))
        before = sum(len(text) for _, _, text in chunk[:-1])
    return messages


def _gap(code: str, head: str, tail: str, room: int) -> str | None:
    """The white space that a cut between two pieces lost (domain.chunk cuts at the largest mark in the second half of the `room`).

    None when these are two messages: a call is never cut, an output only when it is long.
    """
    if code == "C" or (code in _TOOL_OUTPUT and not room < len(head) + len(tail) <= _LONGEST_OUTPUT):
        return None
    half = head[-max(1, min(len(head), room) - room // 2) :]
    for mark in ("\n\n", "\n"):
        if mark in half:
            return mark
    return "" if len(head) >= room and not any(map(str.isspace, half)) else " "


def _chosen(messages: list[Message], ref: Ref, turns: tuple[int, int] | None) -> list[Message]:
    """The messages of the turns asked for; for a REF with a turn those from one turn before it on, for a note its passage first."""
    if turns is not None:
        found = [message for message in messages if turns[0] <= message[1] <= turns[1]]
        if not found:
            last = max((number for _, number, _ in messages), default=0)
            raise LibError("the session has no such turn", hint=f"its last one is {last}")
        return found
    if not ref.turn:
        return messages
    if ref.kind == "note":
        first = max((at for at, message in enumerate(messages) if message[1] <= ref.turn), default=0)
        return messages[first:] + messages[:first]
    if not any(message[1] == ref.turn for message in messages):
        raise LibError(
            f"the session has no turn {ref.turn}", hint=f"`lib show {ref.agent}{':' * bool(ref.agent)}{ref.name}` shows what it has"
        )
    return [message for message in messages if message[1] >= ref.turn - 1]


def fit(messages: Sequence[Message], room: int, turn: int = 0) -> tuple[list[Message], int]:
    """What fits into `room` bytes, in the given order, and the number of messages left out.

    The turn asked for comes first, then its neighbours by distance; inside a turn the person's words, conclusions, tool lines. A message
    that does not fit whole is cut when enough room is left; of that, a share is kept for what was called in its turn, which tells in few
    bytes what was done. Passages of a note are taken as they come.
    """
    last = {number: at for at, (code, number, _) in enumerate(messages) if code == "A"}
    called: dict[int, int] = {}
    for code, number, text in messages:
        if turn and code == _CALL:
            called[number] = called.get(number, 0) + _LINE + len(text.encode("utf-8", "replace"))
    order = sorted(range(len(messages)), key=lambda at: (*_distance(messages[at], turn), _wanted(messages[at], at, last), at))
    kept: dict[int, Message] = {}
    headed: set[int] = set()
    for at in order:
        code, number, text = messages[at]
        data = text.encode("utf-8", "replace")
        over = _LINE + (0 if number in headed else _HEADING)
        reserved = 0 if code in _CALLS_ON else min(called.get(number, 0), room // _RESERVED)
        if len(data) + over <= room - reserved:
            kept[at] = messages[at]
        elif room - reserved > _SHORTEST:
            data = data[: room - reserved - over]
            kept[at] = (code, number, data.decode("utf-8", "ignore") + "…")
        else:
            break
        room -= len(data) + over
        headed.add(number)
    return [kept[at] for at in sorted(kept)], len(messages) - len(kept)


def _distance(message: Message, turn: int) -> tuple[int, int]:
    """Turns by how near they are to the one asked for, the following before the one before; all alike when none was asked for."""
    code, number, _ = message
    if not turn or code == "N":
        return 0, 0
    return abs(number - turn), int(number < turn)


def _wanted(message: Message, at: int, last: dict[int, int]) -> int:
    code, number, _ = message
    return _LAST if code == "A" and last[number] == at else _ORDER.index(code)
