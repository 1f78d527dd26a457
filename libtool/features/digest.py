"""Digests of the sessions in the store: made from its chunks, which are redacted already, and kept up with them.

What a turn costs follows from what it added: a part is read from where it was left, and its last chunk, which may still grow, is only
looked at. What a fork copied from an older session is not told again.
"""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.domain import condense
from libtool.domain.chunk import Segment
from libtool.domain.digest import Collector, Digest, Facts, body, compose
from libtool.storage.digests import Digests, Gathered, Stored
from libtool.storage.session_db import tail

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.storage.digests import Segments
    from libtool.storage.store import Store

BATCH_SECONDS = 1.0
"""How long a transaction may take: what a kill can cost."""
SEARCHED = 3
"""Chunks of a session from which on its digest is searched: it takes up to one and a half, so of a shorter one it says nothing shorter."""
_FORK_LOOK = 4
"""Chunks at the beginning of a part of which one is shared when it is a fork: short ones never are."""


class Outcome(NamedTuple):
    """What a catch-up did: digests that are new or changed, and sessions whose digest is still to come."""

    made: int
    left: int


class Made(NamedTuple):
    """A digest with what it was made under, the time of its newest text, and how many chunks the session has (0: not looked at)."""

    digest: Digest | None
    facts: Facts
    time: str
    chunks: int


def catch_up(store: Store, *, seconds: float, clock: Callable[[], float] = time.monotonic) -> Outcome:
    """Make the digests that are due, the newest sessions first, for so many seconds. Commits in batches; no transaction may be open."""
    digests = Digests(store.db)
    if digests.are_current():
        return Outcome(0, 0)
    until = clock() + seconds
    store.begin()
    digests.follow_rules()
    digests.drop_unwanted()
    made = 0
    since = clock()
    for session in digests.due():
        if clock() >= until:
            break
        made += update(store, session)
        if clock() - since >= BATCH_SECONDS:
            store.commit()
            store.begin()
            since = clock()
    digests.keep_newest()
    left = digests.count_due()
    store.commit()
    return Outcome(made, left)


def update(store: Store, session: int) -> bool:
    """Bring the digest of one session up to date, inside a transaction; whether it changed."""
    digests = Digests(store.db)
    facts = store.session(session)
    made = _made(digests, facts, save=True)
    digests.settle(session)
    if made.digest is None:
        digests.drop(session)
        return False
    words = f"{facts['project']} {facts['branch']}".strip()
    return digests.put(session, Stored(made.time, body.segments(made.digest)), words, searched=made.chunks >= SEARCHED)


def look(digests: Digests, facts: dict[str, Any]) -> Made:
    """The digest of a session, all columns of which are given; made where none is kept. Writes nothing."""
    kept = None if digests.is_due(facts["id"]) else digests.get(facts["id"])
    if kept is None:
        return _made(digests, facts, save=False)
    return Made(body.read(kept.segments), _facts(digests, facts, ""), kept.time, 0)


def _made(digests: Digests, facts: dict[str, Any], *, save: bool) -> Made:
    part = digests.part(facts["id"])
    gathered = digests.gathered(part)
    reading = _Reading(digests, facts, part, gathered)
    if save:
        if gathered is None:
            digests.read_anew(reading.stale)
        if gathered is None or reading.gathered.settled != gathered.settled:
            digests.save_gathered(part, reading.gathered)
    said = _facts(digests, facts, reading.continues)
    return Made(compose(reading.pool, said), said, reading.time, reading.chunks)


def _facts(digests: Digests, facts: dict[str, Any], continues: str) -> Facts:
    return Facts(facts["agent"], facts["sid"], _tail(digests, facts["agent"], facts["sid"]), facts["cwd"], continues)


def _tail(digests: Digests, agent: str, sid: str) -> str:
    return tail(lambda sql, values: digests.db.execute(sql, values).fetchall(), agent, sid)


class _Reading:
    """Reads a part on from where it was left: afterwards `pool` holds all of it, and `gathered` what is to be kept."""

    def __init__(self, digests: Digests, facts: dict[str, Any], part: int, gathered: Gathered | None) -> None:
        self._digests = digests
        self.stale: list[int] = []
        """Sessions that share history with this one and were read when that was not known."""
        if gathered is None:
            self._origin = self._find_origin(facts, part)
            gathered = Gathered(0, 0, {})
        else:
            self._origin = gathered.state["origin"]
        self._of: int = gathered.state.get("of", self._origin)
        self.continues: str = gathered.state.get("continues", "") or self._continued()
        self.pool = Collector(gathered.state.get("pool"))
        self.time: str = gathered.state.get("time", "")
        self.gathered = gathered
        chunks = list(digests.chunks(part, gathered.settled))
        theirs = list(digests.chunks(self._origin, gathered.settled)) if self._origin else []
        self.chunks = gathered.settled + len(chunks)
        for number, (one, when, segments) in enumerate(chunks):
            last = number == len(chunks) - 1
            if last:
                # It may still grow: what it holds now is looked at, not taken.
                state = {"pool": self.pool.state(), "origin": self._origin, "of": self._of, "continues": self.continues, "time": self.time}
                self.gathered = self.gathered._replace(state=state)
                self.pool = self.pool.copy()
            for segment in self._own(segments, theirs[number][2] if number < len(theirs) else []):
                self.pool.add(Segment(*segment), when)
                self.time = max(self.time, when)
            if not last:
                self.gathered = Gathered(self.gathered.settled + 1, one, {})

    def _own(self, segments: Segments, theirs: Segments) -> Segments:
        """The segments of a chunk without what the origin says at the same place, as long as all before was the same."""
        if not self._origin:
            return segments
        same = _same(segments, theirs)
        if same < len(segments):
            # Here the two part.
            self._origin = 0
        return segments[same:]

    def _find_origin(self, facts: dict[str, Any], part: int) -> int:
        """The part of the session that this one began as a copy of; 0 for none.

        Noted are sessions that must be read anew, since they were read as if it were otherwise: of two copies each would leave to the
        other what both hold.
        """
        origin = 0
        for session, other in self._digests.sharing(part, _FORK_LOOK):
            row = self._digests.db.execute("SELECT * FROM session WHERE id = ?", (session,))
            theirs = dict(zip([column[0] for column in row.description], row.fetchone(), strict=True))
            said = facts["forked_from"] == theirs["sid"]
            if not (said or self._is_copied(part, other)):
                continue
            begun_as = self._begun_as(other)
            if not said and (theirs["forked_from"] == facts["sid"] or _age(facts) < _age(theirs)):
                if begun_as != part:
                    self.stale.append(session)
            elif said or not origin:
                origin = other
                if begun_as in (None, part):
                    self.stale.append(session)
        return origin

    def _begun_as(self, part: int) -> int | None:
        """What another part was found to be a copy of; None where that is not remembered."""
        gathered = self._digests.gathered(part)
        return gathered.state["of"] if gathered else None

    def _is_copied(self, part: int, other: int) -> bool:
        """Whether two parts begin with the same work, not only with the same prompt."""
        mine, theirs = (
            [segment for _, _, segments in islice(self._digests.chunks(one, 0), _FORK_LOOK) for segment in segments]
            for one in (part, other)
        )
        return any(code not in (condense.HUMAN, condense.TASK) for code, _, _ in mine[: _same(mine, theirs)])

    def _continued(self) -> str:
        if not self._origin:
            return ""
        row = self._digests.db.execute(
            "SELECT agent, sid FROM session JOIN part ON part.session = session.id WHERE part.id = ?", (self._origin,)
        ).fetchone()
        return f"{row[0]}:{_tail(self._digests, *row)}"


def _same(mine: Segments, theirs: Segments) -> int:
    """How many segments two chunks have in common at their beginning."""
    return next((at for at, (one, other) in enumerate(zip(mine, theirs, strict=False)) if one != other), min(len(mine), len(theirs)))


def _age(facts: dict[str, Any]) -> tuple[str, str, int]:
    """Of two that began at the same time, the one that was left is the original, the other one went on."""
    return facts["started"], facts["ended"], facts["id"]
