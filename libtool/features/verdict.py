"""What a search amounts to: hits, none by these words, or, the third time, no prior work; and the receipt of what was covered."""

from __future__ import annotations

import os

from libtool.domain.dates import moment
from libtool.errors import NotIndexed
from libtool.features import search
from libtool.storage import attempts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from libtool.config import Config
    from libtool.features.search import Hit, Result
    from libtool.storage.search_db import Coverage

HITS, NO_HITS, NO_PRIOR_WORK, NOT_INDEXED = "hits", "no-hits", "no-prior-work", "not-indexed"


def judge(config: Config, result: Result, *, searched: int, attempt: int, caller: str, now: float) -> tuple[str, int]:
    """(verdict, number of this search in its row). `attempt` 0: count the empty searches of `caller` in a row.

    `searched` sessions and notes were looked through. Raises NotIndexed for a search without prior work before anything was ever indexed
    to its end: that would be no honest no.
    """
    path = os.path.join(config.data_dir, "attempts")
    strong = result.has_strong
    if not strong and not search.indexed_at(config):
        raise NotIndexed("the first `lib index` has not come to its end", hint="run `lib index`, then search again")
    if not searched or not result.tried:
        # Nothing matches the filters, or no word is in the query: that says nothing of what was done, and is no search of the row.
        return NO_HITS, max(attempt, 1)
    counted = attempt or attempts.count(path, attempts.caller_of(caller), now, empty=not strong) or 1
    if strong:
        return HITS, counted
    if counted < search.ATTEMPTS_ALLOWED:
        return NO_HITS, counted
    if not attempt:
        attempts.end(path, attempts.caller_of(caller), now)
    return NO_PRIOR_WORK, counted


def coverage(config: Config, found: Coverage, withheld: Iterable[str], tried: Sequence[str] = ()) -> dict[str, Any]:
    """The `coverage` object of the contract: what was searched, what was left out, on which machines it holds."""
    out = sorted(withheld)
    return {
        "entries": found.entries,
        "sessions": sum(count for name, count in found.classes.items() if name not in out),
        "indexed_at": moment(search.indexed_at(config)),
        "tried": list(tried),
        "withheld": {name: found.classes.get(name, 0) for name in out},
        "machines": machines(config, found),
        "behind": found.behind,
    }


def machines(config: Config, found: Coverage) -> list[dict[str, Any]]:
    """What each machine covers, this one first: those whose sessions are here, then those that only the library tells of.

    `last_capture` of a machine whose sessions are not here is a day as it told it at its last sync, null for never.
    """
    here = [
        {"name": name, "last_capture": last, "sessions": sessions, "searchable": True}
        for name, sessions, last in sorted(found.machines, key=lambda row: (row[0] != config.machine, row[0]))
    ]
    known = {config.machine, *(name for name, _, _ in found.machines)}
    return here + [
        {"name": name, "last_capture": captured or None, "sessions": sessions, "searchable": False}
        for name, sessions, captured, _ in found.others
        if name not in known
    ]


def nothing_indexed(withheld: Iterable[str]) -> dict[str, Any]:
    """The `coverage` object of a machine where nothing is indexed."""
    names = dict.fromkeys(sorted(withheld), 0)
    return {"entries": 0, "sessions": 0, "indexed_at": "", "tried": [], "withheld": names, "machines": [], "behind": 0}


def hit_json(rank: int, hit: Hit) -> dict[str, Any]:
    """A hit as the contract has it."""
    return {
        "rank": rank,
        "kind": hit.kind,
        "tier": hit.tier,
        "ref": hit.ref,
        "title": hit.title,
        "agent": hit.agent,
        "session": hit.session if hit.kind == "session" else None,
        "turn": hit.turn,
        "project": hit.project,
        "branch": hit.branch,
        "machine": hit.machine,
        "time": hit.time,
        "snippet": hit.snippet,
        "path": hit.path,
        "score": hit.score,
        "class": hit.session_class,
        "checked": hit.checked or None,
    }
