"""Changes of what the store holds already: for logins that were recognised only later. Inside the caller's transaction."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from libtool.domain import chunk as chunks
from libtool.domain.body import decode, encode
from libtool.storage.store import SESSION_TEXTS, compress, decompress

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

    from libtool.storage.store import Store

    Replace = Callable[[str], str]

_BATCH = 20
"""Chunks that are looked through at once: where one login stands, all of them are looked at closely."""
NAMES = ("sid", "parent", "forked_from")
"""Columns of a session that hold ids: they must be named alike wherever they stand."""
_COUNTS = (
    "UPDATE session SET (turns, human, prose, calls) = (SELECT ifnull(max(turns), 0), ifnull(max(human), 0), ifnull(max(prose), 0),"
    " ifnull(max(calls), 0) FROM part WHERE session = ?) WHERE id = ?"
)
_HANDLED = frozenset(
    (
        "file session part chunk source gone tombstone login sighting judged elsewhere fact sqlite_sequence sqlite_stat1 sqlite_stat4"
        " digest gathered due"
    ).split()
)


def bodies(store: Store) -> Iterator[list[tuple[int, str, str, str]]]:
    """(id, time, words, body) of all chunks that are there now, in batches; what is added meanwhile is left out."""
    after, last = 0, store.newest()[0]
    while rows := store.db.execute(
        "SELECT id, time, words, body FROM chunk WHERE id > ? AND id <= ? ORDER BY id LIMIT ?", (after, last, _BATCH)
    ).fetchall():
        yield [(one, time, words, decompress(body)) for one, time, words, body in rows]
        after = rows[-1][0]


def places(store: Store, chunk: int) -> list[tuple[int, int]]:
    """(file, session) of the parts that hold a chunk, where their file still holds them."""
    return store.db.execute(
        "SELECT DISTINCT part.file, part.session FROM source JOIN part ON part.id = source.part WHERE chunk = ? AND file IS NOT NULL",
        (chunk,),
    ).fetchall()


def rewrite_chunk(store: Store, one: int, replace: Replace) -> None:
    """Put a chunk with other text in the place of this one, which the search db finds in `gone`."""
    time, words, body = store.db.execute("SELECT time, words, body FROM chunk WHERE id = ?", (one,)).fetchone()
    text = encode((code, turn, replace(said)) for code, turn, said in decode(decompress(body)))
    owner = store.db.execute(
        "SELECT agent || ':' || sid FROM source JOIN part ON part.id = source.part JOIN session ON session.id = part.session"
        " WHERE chunk = ? LIMIT 1",
        (one,),
    ).fetchone()
    identity = chunks.identity(text, owner[0] if owner else "")
    row = store.db.execute("SELECT id FROM chunk WHERE hash = ?", (identity,)).fetchone()
    store.db.execute("INSERT INTO gone(chunk, time, words, body) SELECT id, time, words, body FROM chunk WHERE id = ?", (one,))
    store.db.execute("DELETE FROM chunk WHERE id = ?", (one,))
    if row is None or row[0] == one:
        values = identity, time, replace(words), compress(text)
        row = (store.db.execute("INSERT INTO chunk(hash, time, words, body) VALUES (?,?,?,?)", values).lastrowid,)
    store.db.execute("UPDATE source SET chunk = ? WHERE chunk = ?", (row[0], one))


def rewrite_sessions(store: Store, replace: Replace, rename: Replace) -> list[int]:
    """Change the texts and ids of all sessions; the rows that were changed. One whose new id another one has is joined with that."""
    columns = ("sid", *SESSION_TEXTS)
    changed = []
    for row, *texts in store.db.execute(f"SELECT id, {', '.join(columns)} FROM session").fetchall():  # noqa: S608 - our own names
        held = dict(zip(columns, map(str, texts), strict=True))
        if replace(whole := "\n".join(held.values())) == whole and all(rename(held[name]) == held[name] for name in NAMES):
            continue
        new = {name: (rename if name in NAMES else replace)(text) for name, text in held.items()}
        changed.append(row)
        twin = store.db.execute(
            "SELECT id FROM session WHERE sid = ? AND id <> ? AND agent = (SELECT agent FROM session WHERE id = ?)", (new["sid"], row, row)
        ).fetchone()
        if twin:
            store.db.execute("UPDATE OR REPLACE part SET session = ? WHERE session = ?", (twin[0], row))
            store.db.execute("UPDATE OR REPLACE sighting SET session = ? WHERE session = ?", (twin[0], row))
            store.db.execute("DELETE FROM session WHERE id = ?", (row,))
            # A part that another one replaced leaves without its trigger.
            store.db.execute("DELETE FROM gathered WHERE part NOT IN (SELECT id FROM part)")
            store.db.execute(_COUNTS, (twin[0], twin[0]))
            continue
        settings = ", ".join(f"{name} = ?" for name in columns)
        store.db.execute(f"UPDATE session SET {settings} WHERE id = ?", (*new.values(), row))  # noqa: S608 - as above
    return changed


def rewrite_files(store: Store, replace: Replace, rename: Replace, json: Replace) -> int:
    """Change what is known of files; a reader's state with a login in it goes, so that its file is read whole. How many were changed."""
    changed = 0
    for row, path, tally, error, state in store.db.execute("SELECT id, path, tally, error, state FROM file").fetchall():
        new = rename(path), json(tally), replace(error), state if state is None or json(state) == state else None
        if new != (path, tally, error, state):
            store.db.execute("UPDATE OR REPLACE file SET path = ?, tally = ?, error = ?, state = ? WHERE id = ?", (*new, row))
            changed += 1
    return changed


def rewrite_tombstones(store: Store, rename: Replace) -> int:
    """Change the names of forgotten sessions; how many were changed."""
    names = [(agent, sid) for agent, sid in store.forgotten() if rename(sid) != sid]
    for agent, sid in names:
        store.db.execute("UPDATE OR REPLACE tombstone SET sid = ? WHERE agent = ? AND sid = ?", (rename(sid), agent, sid))
    return len(names)


def rewrite_rest(store: Store, replace: Replace) -> int:
    """Change the texts of every table that this module does not know, whoever made it; how many were changed."""
    changed = 0
    for (table,) in store.db.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
        if table in _HANDLED:
            continue
        for _, column, kind, *_ in store.db.execute(f"PRAGMA table_info({table})").fetchall():
            if kind not in ("TEXT", "BLOB"):
                continue
            for (text,) in store.db.execute(f"SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL").fetchall():  # noqa: S608
                if (new := _rewritten(text, replace)) != text:
                    store.db.execute(f"UPDATE OR REPLACE {table} SET {column} = ? WHERE {column} = ?", (new, text))  # noqa: S608
                    changed += 1
    return changed


def _rewritten(value: object, replace: Replace) -> object:
    """A text, or one that is compressed, with the changes; any other bytes as they are."""
    if not isinstance(value, bytes):
        return replace(str(value))
    try:
        text = decompress(value)
    except (zlib.error, UnicodeDecodeError):
        return value
    new = replace(text)
    return value if new == text else compress(new)


def entries_to_take_again(search: sqlite3.Connection, replace: Replace) -> list[str]:
    """Names of the library's entries whose text in the search db `replace` would change."""
    rows = search.execute(
        "SELECT name, body, title || ' ' || projects FROM taken JOIN entry ON entry.id = taken.id JOIN passage ON passage.entry = entry.id"
    )
    return sorted({name for name, body, facts in rows if (text := f"{decompress(body)}\n{facts}") != replace(text)})


def take_again(search: sqlite3.Connection, names: list[str]) -> None:
    """Let these files of the library look as if they had changed; in a transaction of its own."""
    search.execute("BEGIN IMMEDIATE")
    search.executemany("UPDATE taken SET stamp = '', crc = -1 WHERE name = ?", ((name,) for name in names))
    search.execute("COMMIT")
