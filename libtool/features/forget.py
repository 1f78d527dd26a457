"""`lib forget`: drop a session and its sub-agents for good, out of store and search db, and never index them again."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.ref import Ref, meant, parse
from libtool.features import index, review_kept
from libtool.features.show import canonical, find
from libtool.storage import current, tombstones
from libtool.storage import database as databases
from libtool.storage.events import Events
from libtool.storage.purge import purge
from libtool.storage.search_build import SearchBuild
from libtool.storage.session_db import SessionDb
from libtool.storage.store import Damaged

if TYPE_CHECKING:
    from typing import Any

    from libtool.config import Config
    from libtool.storage.store import Store

LOCK_SECONDS = 60.0


class Target(NamedTuple):
    """What would be forgotten."""

    ref: str
    agent: str
    title: str
    project: str
    started: str
    turns: int
    sids: tuple[str, ...]
    """Ids of the session and of all its sub-agents, the session first."""
    paths: tuple[str, ...]
    """Transcripts that hold them and are still there."""
    copies: tuple[str, ...]
    """REFs of other sessions that hold a part of the same text: forks that copied it."""
    again: bool = False
    """It was forgotten before: only its traces are wiped again, since the first time may have been interrupted."""


class Forgotten(NamedTuple):
    """What was done."""

    sessions: int
    purged: bool
    """False when a reader kept the old text in a WAL; it goes with the next write."""
    aside: tuple[str, ...]
    """Damaged databases that were set aside earlier and may still hold the text."""


def target(config: Config, text: str) -> Target:
    """What a REF names, with its sub-agents; also what was forgotten before. Raises as `show.find`; NotIndexed without a store."""
    with SessionDb(config.store_db) as database:
        ref = parse(text)
        if (known := _forgotten(database, ref)) is not None:
            return known
        facts = find(database, ref, config.home)
        family = _family(database, facts)
        rows = [row["id"] for row in family]
        copies = _copies(database, rows)
        return Target(
            canonical(database, facts),
            facts["agent"],
            facts["title"],
            facts["project"],
            facts["started"],
            facts["turns"],
            tuple(row["sid"] for row in family),
            tuple(path for path in _paths(database, rows) if os.path.exists(path)),
            tuple(canonical(database, row) for row in copies),
        )


def forget(config: Config, doomed: Target) -> Forgotten:
    """Forget it. Raises Locked when another writer does not end in time."""
    with index.writing(config, LOCK_SECONDS, task="lib forget") as store:
        store.begin()
        _drop(store, doomed)
        store.commit()
        tombstones.agree(config.data_dir, store)
        for sid in doomed.sids:
            review_kept.forget(config, doomed.agent, sid)
            Events(config).forget(doomed.agent, sid)
            current.forget(config, doomed.agent, sid)
        with _search(config) as search:
            search.catch_up(store)
            search.respell(force=True)
            purged = purge(search.db, index=True)
        purged = purge(store.db) and purged
    return Forgotten(len(doomed.sids), purged, tuple(_set_aside(config.data_dir)))


def _forgotten(database: SessionDb, ref: Ref) -> Target | None:
    """The one tombstone that a REF names; None when there is none, several, or a session of that name."""
    if database.matching(ref.agent, ref.name):
        return None
    rows = database.rows("SELECT agent, sid FROM tombstone WHERE ? IN ('', agent)", (ref.agent,))
    named = meant((sid for _, sid in rows), ref.name)
    if len(named) != 1:
        return None
    agent, sid = next(row for row in rows if row[1] == named[0])
    return Target(f"{agent}:{sid}", agent, "", "", "", 0, (sid,), (), (), again=True)


def _family(database: SessionDb, facts: dict[str, Any]) -> list[dict[str, Any]]:
    """A session and its sub-agents of every depth."""
    family, known = [facts], {facts["sid"]}
    for member in family:
        for child in database.children(member["agent"], member["sid"]):
            if child["sid"] not in known:
                known.add(child["sid"])
                family.append(child)
    return family


def _paths(database: SessionDb, rows: list[int]) -> list[str]:
    paths = [
        path
        for row in rows
        for (path,) in database.rows("SELECT DISTINCT path FROM part JOIN file ON file.id = part.file WHERE session = ?", (row,))
    ]
    return list(dict.fromkeys(paths))


def _copies(database: SessionDb, rows: list[int]) -> list[dict[str, Any]]:
    """Other sessions that share a chunk with one of these."""
    found = {
        (agent, sid): {"agent": agent, "sid": sid}
        for row in rows
        for one, agent, sid in database.rows(
            "SELECT DISTINCT session.id, agent, sid FROM part mine JOIN source said ON said.part = mine.id"
            " JOIN source other ON other.chunk = said.chunk JOIN part ON part.id = other.part"
            " JOIN session ON session.id = part.session WHERE mine.session = ?",
            (row,),
        )
        if one not in rows
    }
    return list(found.values())


def _drop(store: Store, doomed: Target) -> None:
    """Inside a transaction: the sessions, and what the readers remember of their files, such as a title."""
    for sid in doomed.sids:
        store.db.execute(
            "UPDATE file SET state = NULL, tally = '' WHERE id IN"
            " (SELECT part.file FROM part JOIN session ON session.id = part.session WHERE agent = ? AND sid = ?)",
            (doomed.agent, sid),
        )
        store.forget(doomed.agent, sid)


def _search(config: Config) -> SearchBuild:
    """The search db for writing. One that cannot be used is removed: set aside, it would keep the text."""
    try:
        return SearchBuild(config.search_db)
    except Damaged as error:
        if not databases.is_damage(error):
            raise
        databases.remove(config.search_db)
        return SearchBuild(config.search_db)


def _set_aside(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if ".db.damaged-" in name]
