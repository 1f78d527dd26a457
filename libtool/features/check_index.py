"""`lib build-index --check`: is the search db sound, does it follow the store, does the store follow the disk? Writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.errors import NotIndexed
from libtool.features import freshness
from libtool.features.changes import survey
from libtool.storage.migrations import DIGEST_ROWS, ENTRY_ROWS
from libtool.storage.search_build import rules
from libtool.storage.search_db import SearchDb
from libtool.storage.session_db import SessionDb
from libtool.storage.store import Damaged

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from libtool.config import Config


def problems(config: Config, environ: Mapping[str, str]) -> list[str]:
    """What is wrong, a line each, with what to do; none when all is well. Raises NotIndexed when there is no store to check."""
    with SessionDb(config.store_db) as database:
        if (answer := _answer(database.rows)) != "ok":
            # Nothing else that is asked of it could be believed.
            return [f"the store is damaged ({answer}): run `lib index`, it sets it aside"]
        newest = database.rows("SELECT (SELECT max(id) FROM chunk), (SELECT max(rev) FROM gone)")[0]
        identity = int(database.rows("SELECT value FROM fact WHERE name = 'identity'")[0][0])
    found = _search_problems(config, identity, newest)
    if changed := survey(config, environ).changed:
        found.append(f"{changed} transcripts or notes are new or changed since the last index: run `lib index`")
    return found


def _answer(rows: Callable[[str], list[tuple[Any, ...]]]) -> str:
    """What SQLite's own check says; `ok` when all is well."""
    try:
        return str(rows("PRAGMA main.quick_check(1)")[0][0])
    except (Damaged, NotIndexed) as error:
        return str(error)


def _search_problems(config: Config, identity: int, newest: tuple[Any, ...]) -> list[str]:
    try:
        search = SearchDb(config.search_db, config.store_db)
    except NotIndexed as error:
        return [f"{error.message}: run `lib index`"]
    try:
        if (answer := _answer(search.rows)) != "ok":
            return [f"the search db is damaged ({answer}): run `lib index`, it sets it aside"]
        return _lag(search, identity, newest, config.library)
    except NotIndexed as error:
        return [f"{error.message}: run `lib index`"]
    finally:
        search.close()


def _lag(search: SearchDb, identity: int, newest: tuple[Any, ...], library: str) -> list[str]:
    """What a sound search db has not of its store and the library."""
    marks = dict(search.rows("SELECT name, value FROM mark"))
    if (marks.get("store"), marks.get("rules")) != (identity, rules()):
        return ["the search db was made from another store or by another lib: run `lib index`"]
    if any(marks.get(name, 0) < (last or 0) for name, last in zip(("chunk", "gone"), newest, strict=True)):
        return ["the search db is behind the store: run `lib index`"]
    held = search.rows(
        "SELECT count(*) FILTER (WHERE id < ?1), count(*) FILTER (WHERE id >= ?1 AND id < ?2), count(*) FILTER (WHERE id >= ?2)"
        " FROM fts_docsize",
        (ENTRY_ROWS, DIGEST_ROWS),
    )
    wanted = "SELECT (SELECT count(*) FROM store.chunk), (SELECT count(*) FROM passage), (SELECT count(*) FROM store.digest WHERE searched)"
    if held != search.rows(wanted):
        return ["the search db holds other rows than the store and the library: run `lib build-index`"]
    lag = freshness.look(library, search.taken(), search.watermark, seconds=60.0)
    if lag.changed or lag.gone:
        return [f"{lag.entries()} entries are new, changed or gone since the last index: run `lib index`"]
    return []
