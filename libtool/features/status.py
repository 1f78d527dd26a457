"""`lib status`: what is covered and how fresh it is, what could not be read or understood. Writes nothing."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from libtool.config import SESSION_CLASSES
from libtool.domain.classify import WITHHELD
from libtool.errors import NotIndexed
from libtool.features import freshness, login_key, verdict
from libtool.features import machines as machine_records
from libtool.features.changes import survey
from libtool.storage import library
from libtool.storage.digests import Digests
from libtool.storage.events import Events
from libtool.storage.reviews import Reviews
from libtool.storage.search_db import Coverage, SearchDb
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from libtool.config import Config
    from libtool.storage.events import Outcome


class Status(NamedTuple):
    """What lib knows, and what it does not."""

    coverage: dict[str, Any]
    """The same object as a search has it."""
    agents: dict[str, dict[str, int]]
    """Sessions by agent and class, the agent with most first."""
    notes: int
    newest: str
    """Time of the newest record, RFC 3339 UTC."""
    changed: int
    """Transcripts and notes that are new or changed since they were last looked at."""
    told: tuple[str, ...]
    """What finding them had to tell: a walk cut short."""
    unusable: str
    """Why the search db cannot be used; '' when it can."""
    sizes: dict[str, int]
    """Bytes of the databases, their WALs included."""
    unreadable: tuple[tuple[str, str], ...]
    """(path, reason)."""
    unknown: dict[str, dict[str, int]]
    """Record types that an adapter does not know: how many, by agent and name."""
    damaged: dict[str, int]
    """Lines that could not be parsed, by agent."""
    oversize: int
    """Lines too long to be read."""
    remarks: tuple[tuple[str, str], ...]
    """(path, what its adapter had to say)."""
    missing: int
    """Transcripts that are gone from disk while their sessions are kept."""
    logins: int
    """Different logins that were replaced."""
    forgotten: int
    """Sessions that their owner dropped."""
    synced: dict[str, str]
    """The day of the last index of each machine of the library, as it told it itself; '' for never."""
    alerts: tuple[str, ...] = ()
    """What must be said loudly: logins seen again after they were rotated, a key that is gone."""
    digests_due: int = 0
    """Sessions whose digest is still to come: each index run makes the newest of them."""
    by_itself: dict[str, Outcome] = {}  # noqa: RUF012 - never changed
    """How what agent hooks started has ended last: `capture` and `sync`."""
    waiting: tuple[tuple[str, str, str, str], ...] = ()
    """(`<agent>:<id>`, topic or '' where none was chosen, reason, since when) of each capture that is not in the library yet."""


def status(config: Config, environ: Mapping[str, str]) -> Status:
    """Gather it. Raises NotIndexed when nothing is indexed."""
    with SessionDb(config.store_db) as sessions:
        agents = _agents(sessions)
        notes = _count(sessions, _NOTES)
        machines = sessions.rows(
            "SELECT machine, count(*), max(ended) FROM session WHERE agent <> 'note' GROUP BY machine ORDER BY machine"
        )
        classes: Counter[str] = Counter()
        for counts in agents.values():
            classes.update(counts)
        here = [(str(name), int(count), str(last)) for name, count, last in machines]
        found = Coverage(dict(classes), notes, here, len(_topics(config)), machine_records.others(config))
        found.behind = _behind(config)
        changed, told, unlisted = survey(config, environ)
        tallies = _Tallies(sessions)
        return Status(
            coverage=verdict.coverage(config, found, WITHHELD),
            agents=agents,
            notes=notes,
            newest=str(sessions.rows("SELECT ifnull(max(ended), '') FROM session")[0][0]),
            changed=changed,
            told=tuple(told),
            unusable=_unusable(config),
            sizes={os.path.basename(path): _bytes(path) for path in (config.store_db, config.search_db)},
            unreadable=(*_errors(sessions), *unlisted),
            unknown=tallies.unknown,
            damaged=dict(tallies.damaged),
            oversize=tallies.oversize,
            remarks=tuple(tallies.remarks),
            missing=_count(sessions, "SELECT count(*) FROM file WHERE missing"),
            logins=_count(sessions, _LOGINS),
            forgotten=_count(sessions, "SELECT count(*) FROM tombstone"),
            alerts=login_key.alerts(config, sessions.rows),
            digests_due=Digests(sessions.db).count_due(),
            synced={name: day for name, _, _, day in found.others},
            by_itself=Events(config).outcomes(),
            waiting=tuple((f"{row.agent}:{row.sid}", row.topic, row.reason, row.time) for row in Reviews(sessions.db).waiting()),
        )


def _topics(config: Config) -> list[str]:
    return library.topics(config.library) if library.is_library(config.library) else []


def _behind(config: Config) -> int:
    """Entries of the library that the search db has not taken in as they are; a search does so before it answers."""
    try:
        found = SearchDb(config.search_db, config.store_db)
    except NotIndexed:
        return 0
    with found:
        return freshness.look(config.library, found.taken(), found.watermark).entries()


def counted(config: Config) -> tuple[dict[str, dict[str, int]], int, int]:
    """(sessions by agent and class, notes, logins replaced) of what is indexed. Raises NotIndexed when nothing is."""
    with SessionDb(config.store_db) as sessions:
        return _agents(sessions), _count(sessions, _NOTES), _count(sessions, _LOGINS)


_NOTES = "SELECT count(*) FROM session WHERE agent = 'note'"
_LOGINS = "SELECT count(*) FROM login"


def _count(database: SessionDb, sql: str) -> int:
    return int(database.rows(sql)[0][0])


def _agents(database: SessionDb) -> dict[str, dict[str, int]]:
    """Counts by agent and class; classes in the order of the configuration."""
    rows = database.rows("SELECT agent, class, count(*) FROM session WHERE agent <> 'note' GROUP BY agent, class")
    agents: dict[str, dict[str, int]] = {}
    for agent, name, count in sorted(rows, key=lambda row: SESSION_CLASSES.index(row[1])):
        agents.setdefault(agent, {})[name] = count
    return dict(sorted(agents.items(), key=lambda item: (-sum(item[1].values()), item[0])))


def _errors(database: SessionDb) -> list[tuple[str, str]]:
    return [(str(path), str(error)) for path, error in database.rows("SELECT path, error FROM file WHERE error <> '' ORDER BY path")]


class _Tallies:
    """What the adapters could not use, over all files."""

    def __init__(self, database: SessionDb) -> None:
        unknown: dict[str, Counter[str]] = {}
        self.damaged: Counter[str] = Counter()
        self.oversize = 0
        self.remarks: list[tuple[str, str]] = []
        for agent, path, text in database.rows("SELECT agent, path, tally FROM file WHERE tally <> '' ORDER BY agent, path"):
            tally = json.loads(text)
            unknown.setdefault(agent, Counter()).update(tally["unknown"])
            self.damaged[agent] += tally["damaged"]
            self.oversize += tally["oversize"]
            self.remarks += [(str(path), str(note)) for note in tally["notes"]]
        self.unknown = {agent: dict(names.most_common()) for agent, names in unknown.items() if names}
        self.damaged = +self.damaged


def _unusable(config: Config) -> str:
    if not os.path.exists(config.search_db):
        return "there is no search db"
    try:
        SearchDb(config.search_db, config.store_db).close()
    except NotIndexed as error:
        return error.message
    return ""


def _bytes(path: str) -> int:
    return sum(os.path.getsize(path + suffix) for suffix in ("", "-wal") if os.path.exists(path + suffix))
