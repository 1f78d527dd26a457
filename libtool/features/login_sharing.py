"""What machines tell each other of their ledgers: `logins/<machine>.json` in the library. No value, no path, no project is in it."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from libtool.config import SLUG
from libtool.errors import NotIndexed
from libtool.storage import database, key, logins
from libtool.storage.lock import writer_lock
from libtool.storage.session_db import SessionDb
from libtool.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config

VERSION = 1
LARGEST = 8 << 20
"""Bytes of a file that is looked at: 50,000 logins."""
MOST = 50_000
LOCK_SECONDS = 60.0
_FIELDS = ("fingerprint", "kind", "first", "last", "rotated")
_PATTERNS = {
    "fingerprint": re.compile("[0-9a-f]{12}"),
    "kind": re.compile("[a-z0-9-]{1,12}"),
    "first": re.compile(r"(?:\d{4}-\d\d-\d\d)?"),
    "last": re.compile(r"(?:\d{4}-\d\d-\d\d)?"),
    "rotated": re.compile(r"(?:\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\dZ)?)?"),
}
_KEY = re.compile("[0-9a-f]{16}")
_TELLS = (
    "SELECT fingerprint, kind, ifnull(substr(min(iif(first = '', NULL, first)), 1, 10), ''), ifnull(substr(max(last), 1, 10), ''), rotated"
    " FROM login LEFT JOIN sighting USING (fingerprint) WHERE key = '' GROUP BY fingerprint ORDER BY fingerprint LIMIT ?"
)


def shared(config: Config) -> bytes:
    """The content of this machine's file: the same bytes for the same ledger. b"" where there is nothing to tell (no key, no store)."""
    there = key.there(config)
    try:
        database = SessionDb(config.store_db)
    except NotIndexed:
        return b""
    with database:
        rows = database.rows(_TELLS, (MOST,))
    if there is None:
        return b""
    told = {"version": VERSION, "key": key.tag(there), "logins": [dict(zip(_FIELDS, row, strict=True)) for row in rows]}
    return (json.dumps(told, indent=1, sort_keys=True) + "\n").encode()


def take_shared(config: Config, files: Mapping[str, bytes]) -> int:
    """Take over what other machines tell, {file name: content}; how many logins are known as rotated by that.

    Of a file that is not as `shared` makes it nothing is taken. Takes the writer's lock (raises Locked), and writes only what is new;
    does nothing where nothing was ever indexed.
    """
    told = {name: one for path, content in sorted(files.items()) if (name := _machine(path)) and (one := _checked(content))}
    told.pop(config.machine, None)
    there = key.there(config)
    if not told or there is None or not os.path.exists(config.store_db):
        return 0
    with database.failures(config.data_dir), writer_lock(config, LOCK_SECONDS, task="lib sync"), Store(config.store_db) as store:
        store.begin()
        for machine, (made_with, rows) in told.items():
            logins.take_elsewhere(store, machine, made_with, rows)
        changed = logins.follow_elsewhere(store, key.tag(there))
        store.commit()
    return changed


def _machine(path: str) -> str:
    """The machine that a file is of, by its name; '' for a name that is none."""
    name, suffix = os.path.splitext(os.path.basename(path))
    return name if suffix == ".json" and name and len(name) <= 100 and SLUG.issuperset(name) else ""


def _checked(content: bytes) -> tuple[str, list[tuple[str, str, str, str, str]]] | None:
    """(tag of the key, rows) of a file; None when anything in it is not as it must be."""
    if len(content) > LARGEST:
        return None
    try:
        value: Any = json.loads(content)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or value.get("version") != VERSION:
        return None
    made_with, rows = value.get("key"), value.get("logins")
    if not _is(made_with, _KEY) or not isinstance(rows, list) or len(rows) > MOST or not all(map(_is_row, rows)):
        return None
    return str(made_with), [(row["fingerprint"], row["kind"], row["first"], row["last"], row["rotated"]) for row in rows]


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and all(_is(row.get(name), pattern) for name, pattern in _PATTERNS.items())


def _is(value: object, pattern: re.Pattern[str]) -> bool:
    return isinstance(value, str) and pattern.fullmatch(value) is not None
