"""The ledger of logins in the store: fingerprints and where they were met, never a value."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from libtool.errors import NotIndexed
from libtool.storage import database

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from libtool.config import Config
    from libtool.storage.store import Store

    Rows = Callable[[str], list[tuple[Any, ...]]]
    # What asks a store that is open for reading, or for writing.


def known(config: Config) -> dict[str, str]:
    """Fingerprint to kind of the logins that are looked for everywhere; none where nothing is indexed or the store is unreadable."""
    try:
        connection = database.reader(config.store_db)
    except NotIndexed:
        return {}
    try:
        return dict(connection.execute("SELECT fingerprint, kind FROM login WHERE spreads AND key = ''"))
    except sqlite3.DatabaseError:
        # Redacting with less is better than not at all; `lib status` tells of a damaged store.
        return {}
    finally:
        connection.close()


def again(rows: Rows) -> list[tuple[str, str, str, str]]:
    """(fingerprint, kind, rotated, last seen) of the logins that a record holds which is younger than their rotation."""
    return rows(
        "SELECT fingerprint, kind, rotated, max(last) FROM login JOIN sighting USING (fingerprint) WHERE rotated <> '' AND key = ''"
        " GROUP BY fingerprint HAVING substr(max(last), 1, min(length(rotated), 19)) > substr(rotated, 1, 19) ORDER BY 4 DESC, 1"
    )


def all_rows(rows: Rows) -> list[tuple[Any, ...]]:
    """(fingerprint, kind, shape, rotated, key, spreads) of every login."""
    return rows("SELECT fingerprint, kind, shape, rotated, key, spreads FROM login ORDER BY fingerprint")


def sightings(rows: Rows) -> list[tuple[Any, ...]]:
    """Where they were met. What a record does not say of its time, its session says.

    (fingerprint, file, path, missing, inode, size, mtime_ns, agent of the file, agent, session id, project, machine, first, last, count,
    there).
    """
    return rows(
        "SELECT fingerprint, file, ifnull(path, ''), ifnull(missing, 1), inode, size, mtime_ns, ifnull(file.agent, ''), session.agent, sid,"
        " project, machine, iif(first = '', started, first), iif(last = '', ended, last), count, there FROM sighting"
        " JOIN session ON session.id = sighting.session LEFT JOIN file ON file.id = sighting.file ORDER BY 1, 2"
    )


def elsewhere(rows: Rows) -> list[tuple[str, str, str, str]]:
    """(machine, key, fingerprint, rotated) of what other machines told; fingerprint '' where one told of none."""
    return rows("SELECT machine, key, fingerprint, rotated FROM elsewhere ORDER BY machine, fingerprint")


def judged(rows: Rows) -> set[str]:
    """Fingerprints of texts of which the owner said that they are no logins."""
    return {row[0] for row in rows("SELECT fingerprint FROM judged")}


# Inside the caller's transaction


def rotate(store: Store, fingerprint: str, when: str) -> None:
    """Note when a login was changed by its owner: a date or an RFC 3339 time; '' takes it back."""
    store.db.execute("UPDATE login SET rotated = ? WHERE fingerprint = ?", (when, fingerprint))


def judge(store: Store, fingerprint: str) -> None:
    """Note that a text is no login."""
    store.db.execute("INSERT OR IGNORE INTO judged(fingerprint) VALUES (?)", (fingerprint,))


def loosen(store: Store, file: int) -> None:
    """A file is read anew: whether it still holds what was met in it is said by `save_sightings`. What was met once stays on record."""
    store.db.execute("UPDATE sighting SET there = 0 WHERE file = ?", (file,))


def save_sightings(
    store: Store, file: int, session: int, met: Mapping[tuple[int, str], tuple[str, str, int]], *, more: bool = False
) -> None:
    """Note where logins were met: {(session, fingerprint): (first, last, count)}. `more`: the counts come on top of those known."""
    store.db.executemany(
        "INSERT INTO sighting(fingerprint, file, session, first, last, count, there) VALUES (?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET"
        " first = CASE WHEN first = '' OR excluded.first <> '' AND excluded.first < first THEN excluded.first ELSE first END,"
        " last = max(last, excluded.last), there = 1, count = excluded.count + count * ?",
        [(fingerprint, file, session, *seen, int(more)) for (_, fingerprint), seen in met.items()],
    )


def unswept(store: Store) -> set[str]:
    """Fingerprints of logins that spread, and for which what was stored before they were known has not been looked through."""
    return {row[0] for row in store.db.execute("SELECT fingerprint FROM login WHERE spreads AND key = '' AND NOT swept")}


def kinds(store: Store) -> dict[str, str]:
    """The kind of each login that spreads, by fingerprint."""
    return dict(store.db.execute("SELECT fingerprint, kind FROM login WHERE spreads"))


def mark_swept(store: Store, fingerprints: Iterable[str]) -> None:
    """All that is stored has been looked through for these."""
    store.db.executemany("UPDATE login SET swept = 1 WHERE fingerprint = ?", ((one,) for one in fingerprints))


def change_key(store: Store, before: str, after: str) -> int:
    """Another key is in use from now on: how many logins are known by the one before alone. Those made with it come back with it.

    Every transcript still there is read again, so that what it holds is known by the new key.
    """
    store.db.execute("UPDATE login SET key = ?, swept = 0 WHERE key = ''", (before,))
    store.db.execute("UPDATE login SET key = '' WHERE key = ?", (after,))
    read_again(store)
    return int(store.db.execute("SELECT count(*) FROM login WHERE key = ?", (before,)).fetchone()[0])


def read_again(store: Store, fingerprint: str = "") -> None:
    """Have the next run read every transcript that is still there whole, or those where one login was met."""
    condition = "id IN (SELECT file FROM sighting WHERE fingerprint = ?)" if fingerprint else "? = ''"
    store.db.execute(f"UPDATE file SET size = -1, state = NULL WHERE NOT missing AND {condition}", (fingerprint,))  # noqa: S608 - ours


def take_elsewhere(store: Store, machine: str, key: str, rows: Iterable[tuple[str, str, str, str, str]]) -> bool:
    """Put down what the ledger of another machine says: (fingerprint, kind, first, last, rotated); False when that is known."""
    told = sorted({row[0]: (machine, key, *row) for row in rows}.values()) or [(machine, key, "", "", "", "", "")]
    names = "machine, key, fingerprint, kind, first, last, rotated"
    held = store.db.execute(f"SELECT {names} FROM elsewhere WHERE machine = ? ORDER BY 1, 2, 3", (machine,)).fetchall()  # noqa: S608
    if held == told:
        return False
    store.db.execute("DELETE FROM elsewhere WHERE machine = ?", (machine,))
    store.db.executemany(f"INSERT INTO elsewhere({names}) VALUES (?,?,?,?,?,?,?)", told)  # noqa: S608
    return True


def follow_elsewhere(store: Store, key: str) -> int:
    """What another machine with this key knows as rotated is rotated here; how many logins that changed."""
    cursor = store.db.execute(
        "UPDATE login SET rotated = theirs.rotated FROM (SELECT fingerprint, max(rotated) rotated FROM elsewhere WHERE key = ?"
        " GROUP BY fingerprint) theirs WHERE login.key = '' AND theirs.fingerprint = login.fingerprint AND theirs.rotated > login.rotated",
        (key,),
    )
    return cursor.rowcount
