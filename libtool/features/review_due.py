"""`lib capture --due`: whether so much was done in a session since its last review landed that another one should run."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import NotIndexed
from libtool.storage import database
from libtool.storage.reviews import Reviews, Work

if TYPE_CHECKING:
    from libtool.config import Config

TURNS, CALLS, SAID = 15, 60, 24_000
"""Turns, tool calls, characters said: whichever comes first. One long turn of an agent counts as many short ones do."""


class Due(NamedTuple):
    """What was done in a session, and at the last review that landed."""

    due: bool
    work: Work
    landed: Work
    ended: bool
    """Whether the session is taken for ended: then anything that is new is due."""


def due(config: Config, agent: str, sid: str, *, ended: bool = False) -> Due:
    """Whether a review of the session is due. One that was never read is, but for its end, not. The store is as `lib index` left it."""
    nothing = Work(0, 0, 0)
    try:
        with database.damage(config.store_db):
            connection = database.reader(config.store_db)
            try:
                reviews = Reviews(connection)
                forgotten = reviews.is_forgotten(agent, sid)
                work, landed = reviews.work(agent, sid) or nothing, reviews.landed(agent, sid)
            finally:
                connection.close()
    except NotIndexed:
        return Due(due=False, work=nothing, landed=nothing, ended=ended)
    new = Work(*(now - then for now, then in zip(work, landed, strict=True)))
    enough = new.turns >= TURNS or new.calls >= CALLS or new.said >= SAID
    return Due(not forgotten and (enough or (ended and any(one > 0 for one in new))), work, landed, ended)
