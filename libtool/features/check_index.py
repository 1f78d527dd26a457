"""`lib build-index --check`: is the search db sound, does it follow the store, does the store follow the disk? Writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.errors import NotIndexed
from libtool.features import index
from libtool.storage.search_db import SearchDb
from libtool.storage.session_db import SessionDb
from libtool.storage.store import Damaged

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config


def problems(config: Config, environ: Mapping[str, str]) -> list[str]:
    """What is wrong, a line each, with what to do; none when all is well. Raises NotIndexed when there is nothing to check."""
    database = SessionDb(config.store_db)
    try:
        found = _store_problems(database)
        newest = database.rows("SELECT ifnull(max(id), 0) FROM chunk")[0][0]
        removed = database.rows("SELECT ifnull(max(rev), 0) FROM gone")[0][0]
    finally:
        database.close()
    found += _search_problems(config, newest, removed)
    changed = index.changed_files(config, environ)
    if changed:
        found.append(f"{changed} transcripts or notes are new or changed since the last index: run `lib index`")
    return found


def _store_problems(database: SessionDb) -> list[str]:
    try:
        answer = str(database.rows("PRAGMA quick_check(1)")[0][0])
    except Damaged as error:
        answer = str(error)
    return [] if answer == "ok" else [f"the store is damaged ({answer}): run `lib index`, it sets it aside"]


def _search_problems(config: Config, newest: int, removed: int) -> list[str]:
    try:
        search = SearchDb(config.search_db, config.store_db)
    except NotIndexed as error:
        return [f"{error.message}: run `lib index`"]
    try:
        answer = str(search.db.execute("PRAGMA main.quick_check(1)").fetchone()[0])
        marks = dict(search.db.execute("SELECT name, value FROM mark").fetchall())
    except Damaged as error:
        return [f"the search db is damaged ({error}): run `lib build-index`"]
    finally:
        search.close()
    if answer != "ok":
        return [f"the search db is damaged ({answer}): run `lib build-index`"]
    if marks.get("chunk", 0) < newest or marks.get("gone", 0) < removed:
        return ["the search db is behind the store: run `lib index`"]
    return []
