"""`lib drafts`: digests of sessions that no entry names yet, the best first."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.domain import cited
from libtool.domain.dates import DAY, days_between
from libtool.domain.digest import body
from libtool.domain.schema import DECIDED, MEASURED
from libtool.errors import LibError
from libtool.features.show import canonical
from libtool.storage import entry_files
from libtool.storage.digests import Digests
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.config import Config
    from libtool.domain.digest import Digest

APART = ("security-review", "automated", "trivial")
"""Classes whose sessions are only counted, sub-agents' too."""
HALF_LIFE_DAYS = 30.0
"""After so long a draft's newness counts half."""


class Draft(NamedTuple):
    """A session that may become an entry."""

    ref: str
    title: str
    answer: str
    project: str
    date: str
    turns: int
    decisions: int
    score: float


class Drafts(NamedTuple):
    """The drafts, best first, and what is not among them."""

    drafts: list[Draft]
    covered: int
    """Sessions that an entry names."""
    apart: dict[str, int]
    """Class, or `sub-agent`, to how many sessions without an entry are of it."""
    to_come: int
    """Sessions whose digest is not made yet."""


def drafts(config: Config, now: float, *, project: str = "") -> Drafts:
    """All of them; `project` narrows to those whose project's name holds it. Raises NotIndexed."""
    named = named_sessions(config)
    with SessionDb(config.store_db) as database:
        digests = Digests(database.db)
        found: list[Draft] = []
        covered = 0
        apart: dict[str, int] = {}
        for facts in _sessions(database):
            if project.lower() not in str(facts["project"]).lower():
                continue
            if (facts["agent"], facts["sid"]) in named:
                covered += 1
            elif facts["subagent"] or facts["class"] in APART:
                name = "sub-agent" if facts["subagent"] else str(facts["class"])
                apart[name] = apart.get(name, 0) + 1
            elif (kept := digests.get(facts["id"])) is not None:
                found.append(_draft(database, facts, body.read(kept.segments), now))
        to_come = digests.count_due()
    return Drafts(sorted(found, key=lambda one: (-one.score, one.ref)), covered, apart, to_come)


def named_sessions(config: Config) -> set[tuple[str, str]]:
    """(agent, id) of the sessions that an entry of the work tree names; none without a library."""
    try:
        contents = entry_files.contents(config.library)
    except (LibError, OSError):
        return set()
    return {one[:2] for data in contents.values() for one in cited.of_data(data)}


def _sessions(database: SessionDb) -> list[dict[str, Any]]:
    names = "id agent sid project title ended turns human prose class subagent".split()
    rows = database.rows(f"SELECT {', '.join(names)} FROM session WHERE agent <> 'note'")  # noqa: S608 - our own names
    return [dict(zip(names, row, strict=True)) for row in rows]


def _draft(database: SessionDb, facts: Mapping[str, Any], digest: Digest, now: float) -> Draft:
    decisions = len(digest.sections.get(DECIDED, ())) + len(digest.sections.get(MEASURED, ()))
    date = str(facts["ended"])[:10]
    score = 2.0 * decisions + math.log2(1 + (facts["human"] + facts["prose"]) / 1000) + 4.0 * 0.5 ** (_age(date, now) / HALF_LIFE_DAYS)
    return Draft(
        canonical(database, dict(facts)),
        digest.title,
        digest.answer.text,
        str(facts["project"]),
        date,
        int(facts["turns"]),
        decisions,
        round(score, 2),
    )


def _age(date: str, now: float) -> float:
    """Days since a date; a long time for one that is not known."""
    if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", date):
        return 10 * HALF_LIFE_DAYS
    return max(0.0, now / DAY - days_between("1970-01-01", date))
