"""`lib search`: the best chunks for a query, honestly graded, and what they were searched in."""

from __future__ import annotations

import os

from libtool.domain import rank
from libtool.domain.body import decode
from libtool.domain.chance import Chance
from libtool.domain.excerpt import SNIPPETS, excerpt, snippet_lengths
from libtool.domain.query import WORD, Term, parse, rarest
from libtool.domain.rank import FAIR, STRONG, WEAK, Matcher, View
from libtool.storage.migrations import DIGEST_ROWS
from libtool.storage.search_db import Coverage, Filter, SearchDb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from libtool.config import Config
    from libtool.domain.query import Query

ATTEMPTS_ALLOWED = 3
CANDIDATES = 60
"""Chunks taken by bm25 before the filter; when it holds back most of them, it is applied inside the index instead."""
ROWS = 6_000
"""Chunks that the ranked words of a query may stand in, added up: what a search may cost."""
LOOKED_AT = 45
"""Chunks whose text is looked at: for nearness, tier and snippet."""
_KIND_WEIGHT = {"entry": 1.25, "note": 0.9, "digest": 0.95}
"""An entry goes before a session that is up to a quarter stronger, which one is that says the same in fewer words: the entry says what was
decided. A boost over 1.3 was measured to push out answers that only sessions hold. Of a digest and what it was made of, the latter
goes first."""
_NOTE, _ENTRY, _DIGEST = "note", "entry", "digest"
_MOST_TOGETHER = 12
"""Words beyond which no chunk is expected to hold all of them."""


class Hit:
    """One chunk that answers."""

    __slots__ = (
        "agent",
        "branch",
        "checked",
        "kind",
        "line",
        "machine",
        "parent",
        "path",
        "project",
        "ref",
        "score",
        "session",
        "session_class",
        "snippet",
        "tier",
        "time",
        "title",
        "turn",
    )

    kind: str
    tier: str
    ref: str
    title: str
    agent: str
    session: str
    """Full session id; for a note its path, for an entry its topic."""
    parent: str
    """REF of the parent session, for a sub-agent's."""
    turn: int
    project: str
    branch: str
    machine: str
    time: str
    snippet: str
    path: str
    score: float
    session_class: str
    checked: str
    """Of an entry, what `lib verify` found last: `holds, at 9f3c2d1`; '' when it was never checked."""

    def __init__(self, **values: object) -> None:
        self.checked = ""
        for name, value in values.items():
            setattr(self, name, value)


class Result:
    """What a search found, and in what."""

    __slots__ = ("coverage", "hits", "query", "tried")

    def __init__(self, query: str, hits: list[Hit], coverage: Coverage, tried: list[str]) -> None:
        """`tried` is empty when there was no word to search for."""
        self.query = query
        self.hits = hits
        self.coverage = coverage
        self.tried = tried

    @property
    def has_strong(self) -> bool:
        """Whether there is prior work by these words: only strong hits count."""
        return any(hit.tier == STRONG for hit in self.hits)


def search(config: Config, text: str, chosen: Filter, *, limit: int, also: Sequence[int] = ()) -> Result:
    """The best `limit` hits for a text (0: all), best first. Raises NotIndexed; never fails on what is typed.

    `also`: rows of the index as another ranking has them, best first, to be fused with ours (`lib eval` compares so).
    """
    database, behind = caught_up(config)
    with database:
        result = _Search(database, parse(text), chosen, config).run(limit, also)
    result.coverage.behind = behind
    return result


def caught_up(config: Config) -> tuple[SearchDb, int]:
    """The search db, with the library as it lies there taken in; and how many of its entries are not, see `Coverage.behind`."""
    database = SearchDb(config.search_db, config.store_db)
    try:
        taken = database.taken()
        if not taken and not os.path.isdir(config.library):
            return database, 0
        from libtool.features import freshness  # noqa: PLC0415 - half of what the library costs a search, where there is one

        lag = freshness.look(config.library, taken, database.watermark)
    except BaseException:
        database.close()
        raise
    if not lag:
        return database, lag.entries()
    from libtool.features import library_index  # noqa: PLC0415 - redactor and writer, only when the library has changed

    database.close()
    behind = library_index.in_search(config, lag)
    return SearchDb(config.search_db, config.store_db), behind


class _Search:
    def __init__(self, database: SearchDb, query: Query, chosen: Filter, config: Config) -> None:
        self._database = database
        self._config = config
        self._query = query
        self._chosen = chosen
        self._terms = query.terms
        self._tried: list[str] = []
        self._matcher = Matcher(())
        self._chance = Chance(0, 0, ())
        self._subjects: dict[str, frozenset[int]] = {}
        self._owners: dict[int, tuple[Any, ...]] = {}
        """Of the chunks that the filter lets through."""
        self._unknown = 0
        """Words that no chunk holds: with one of them missing, a hit is never strong by its words."""

    def run(self, limit: int, also: Sequence[int]) -> Result:
        """Weigh the terms, collect candidates, look at the best of them."""
        coverage = self._database.coverage(self._chosen)
        match, every = self._expressions()
        hits = self._look_at(self._candidates(match, every) if match else [], limit, also)
        return Result(self._query.text, hits, coverage, self._tried)

    def _expressions(self) -> tuple[str, str]:
        """The FTS5 expression that ranks, and one that demands all terms ('' when the first does so already)."""
        counts = {id(term): self._database.about(term.match(), ROWS + 1) for term in self._terms}
        terms: list[Term] = []
        for term in self._terms:
            if counts[id(term)]:
                terms.append(term)
                self._tried.append(term.shown)
            else:
                self._unknown += 1
                repaired = self._repair(term)
                if repaired is not None:
                    counts[id(repaired)] = self._database.about(repaired.match(), ROWS + 1)
                    terms.append(repaired)
                self._tried.append(f"{term.shown} (unknown{f', read as {repaired.shown}' if repaired else ''})")
        self._terms = terms
        stands_in = [counts[id(term)] for term in terms]
        self._chance = Chance(*self._database.size(), stands_in)
        rare = rarest(terms, stands_in, ROWS)
        must = [term.match() for term in terms if term.must]
        if len(must) < sum(term.must for term in self._query.terms) or not terms:
            return "", ""
        every = " AND ".join(term.match() for term in terms)
        match = " OR ".join(term.match() for term in rare)
        if must:
            match = f"{' AND '.join(must)} AND ({match})"
        excluded = " OR ".join(term.match() for term in self._query.excluded)
        if excluded:
            match, every = f"({match}) NOT ({excluded})", f"({every}) NOT ({excluded})"
        return match, every if 1 < len(terms) <= _MOST_TOGETHER else ""

    def _repair(self, term: Term) -> Term | None:
        """The known word that an unknown, probably misspelled one means, or None."""
        if term.kind != WORD or len(term.spellings[0]) > 1 or term.prefix:
            return None
        word = term.spellings[0][0]
        if not 5 <= len(word) <= 24 or not word.isalpha():
            return None
        from libtool.domain.spelling import closest, typed  # noqa: PLC0415 - most words are known

        known = closest(word, self._database.similar(word))
        return Term(WORD, known, [(typed(known),)], must=term.must) if known else None

    def _candidates(self, match: str, every: str) -> list[tuple[int, float]]:
        """(chunk, score), best first, filtered before anything is cut off."""
        found = self._filtered(match, CANDIDATES)
        best = found[:LOOKED_AT]
        if every:
            # A chunk that holds all words may stand below hundreds that repeat one of them.
            there = {chunk for chunk, _ in best}
            best += [row for row in self._filtered(every, LOOKED_AT // 2) if row[0] not in there]
        return best

    def _filtered(self, match: str, limit: int) -> list[tuple[int, float]]:
        """The best chunks that the filter lets through. Most often few are held back, and looking at what was found costs least."""
        if not self._chosen.is_narrow():
            found = self._database.best(match, limit, None)
            kept = self._database.owners([chunk for chunk, _ in found], self._chosen)
            self._owners.update(kept)
            if len(found) < limit or len(kept) >= limit // 3:
                return [row for row in found if row[0] in kept]
        return self._database.best(match, limit, self._chosen)

    def _look_at(self, candidates: list[tuple[int, float]], limit: int, also: Sequence[int]) -> list[Hit]:
        own = {chunk for chunk, _ in candidates}
        candidates = candidates + [(chunk, 0.0) for chunk in also if chunk not in own]
        owners = self._owners
        if unknown := [chunk for chunk, _ in candidates if chunk not in owners]:
            owners.update(self._database.owners(unknown, self._chosen))
        bodies = self._database.bodies([chunk for chunk, _ in candidates if chunk in owners])
        self._matcher = matcher = Matcher(self._terms)
        weighed = []
        for chunk, score in candidates:
            if chunk not in owners:
                continue
            view = View(decode(bodies[chunk]))
            found = matcher.find(view.text)
            if not found:
                # Only a part of an identifier, or the date, is in the index's own column.
                weighed.append((rank.TIERS.index(WEAK), -score * 0.5, chunk, view, found))
                continue
            granted = self._granted(_subject(owners[chunk]))
            tier = rank.tier(self._terms, found, self._chance, self._unknown, granted)
            weight = _KIND_WEIGHT.get(_kind(chunk, owners[chunk]), 1.0)
            weighed.append((rank.TIERS.index(tier), -score * rank.nearness(self._terms, found) * weight, chunk, view, found))
        weighed.sort(key=lambda row: row[:3])
        if also:
            order = {chunk: at for at, chunk in enumerate(rank.fused([row[2] for row in weighed if row[2] in own], also))}
            weighed.sort(key=lambda row: order[row[2]])
        return self._hits(weighed, owners, limit)

    def _granted(self, subject: str) -> frozenset[int]:
        """The terms that a document's subject answers for; not all of them, or any chunk of it would answer."""
        if len(self._terms) > 1 and subject not in self._subjects:
            found = {occurrence.term for occurrence in self._matcher.find(subject)}
            self._subjects[subject] = frozenset(found) if len(found) < len(self._terms) else frozenset()
        return self._subjects.get(subject, frozenset())

    def _hits(self, weighed: list[tuple[int, float, int, View, Any]], owners: dict[int, tuple[Any, ...]], limit: int) -> list[Hit]:
        hits: list[Hit] = []
        seen: set[object] = set()
        told = _best_of_session(weighed, owners)
        lengths = snippet_lengths(sum(row[0] == 0 for row in weighed))
        spare = 0
        for tier, score, chunk, view, found in weighed:
            if limit and len(hits) == limit:
                break
            kind = _kind(chunk, owners[chunk])
            if kind == _DIGEST and told.get(owners[chunk][0], tier + 1) <= tier:
                # What it was made of answers as well, and says more.
                continue
            # What a short entry leaves of its room helps the session behind it.
            length = min(lengths[min(len(hits), len(lengths) - 1)] + spare, SNIPPETS[0])
            snippet, at = excerpt(view.text, found, length)
            core = snippet[len(snippet) // 4 :][:80]
            # A fork that copied its history says the same at the same time, also where its chunk goes on with other words.
            said = _said(owners[chunk], view, at)
            if core in seen or said in seen:
                continue
            seen.update((core, said))
            spare = length - len(snippet) if len(snippet) < length // 2 else 0
            hits.append(self._hit(kind, owners[chunk], rank.TIERS[tier], -score, snippet, view.turn(at)))
        self._name(hits)
        return hits

    @staticmethod
    def _hit(kind: str, owner: tuple[Any, ...], tier: str, score: float, snippet: str, turn: int) -> Hit:
        row, agent, sid, parent, project, branch, machine, title, session_class, _, time = owner
        if kind == _ENTRY:
            snippet = f"{branch}: {snippet}" if branch else snippet
            agent = branch = ""
        return Hit(
            kind=kind,
            tier=tier,
            ref="",
            title=title,
            agent=agent,
            session=sid,
            parent=parent,
            turn=turn,
            project=project,
            branch=branch,
            machine=machine,
            time=f"{time}{'T00:00:00Z' if kind == _ENTRY else 'Z'}" if time else "",
            snippet=snippet,
            path=str(row),
            score=round(score, 3),
            session_class=session_class,
        )

    def _name(self, hits: Sequence[Hit]) -> None:
        """Give hits their REFs and paths."""
        names = {(hit.agent, hit.session) for hit in hits if hit.kind in ("session", _DIGEST)}
        names |= {(hit.agent, hit.parent) for hit in hits if hit.parent}
        tails = self._database.tails(sorted(names))
        paths = self._database.note_paths([int(hit.path) for hit in hits if hit.kind != _ENTRY])
        self._name_entries([hit for hit in hits if hit.kind == _ENTRY])
        for hit in hits:
            if hit.kind == _ENTRY:
                continue
            hit.path = paths.get(int(hit.path), "")
            if hit.kind == "note":
                hit.ref = f"note:{hit.session}#L{hit.turn}"
            elif hit.kind == _DIGEST:
                hit.ref = f"digest:{hit.agent}:{tails[hit.agent, hit.session]}"
            else:
                hit.ref = f"{hit.agent}:{tails[hit.agent, hit.session]}" + (f"#{hit.turn}" if hit.turn else "")
            if hit.parent:
                tail = tails[hit.agent, hit.parent]
                hit.parent = f"{hit.agent}:{tail}" if tail else ""

    def _name_entries(self, hits: Sequence[Hit]) -> None:
        """Give hits that are entries their REFs, paths and what `lib verify` found."""
        if not hits:
            return
        from libtool.storage.checked import Checks  # noqa: PLC0415 - only where there is a library

        checks = Checks(self._config)
        for hit in hits:
            hit.ref = f"entry:{hit.session}"
            hit.path = os.path.join(self._config.library, "entries", f"{hit.session}.md")
            hit.checked = checks.told(hit.session)


def _kind(row: int, owner: tuple[Any, ...]) -> str:
    """What a row of the index is: by its owner, and by its number."""
    return str(owner[1]) if owner[1] in (_NOTE, _ENTRY) else _DIGEST if row > DIGEST_ROWS else "session"


def _best_of_session(weighed: Sequence[tuple[Any, ...]], owners: dict[int, tuple[Any, ...]]) -> dict[int, int]:
    """The best tier of the chunks of each session, best first in `weighed`; digests do not count."""
    best: dict[int, int] = {}
    for tier, _, chunk, *_ in weighed:
        if chunk < DIGEST_ROWS:
            best.setdefault(owners[chunk][0], tier)
    return best


def _subject(owner: tuple[Any, ...]) -> str:
    """What a document is about as a whole, so that its passages need not say it: a session's project, an entry's topic, and the title."""
    return f"{owner[2] if owner[1] == _ENTRY else owner[4]} {owner[7]}"


def _said(owner: tuple[Any, ...], view: View, at: int) -> tuple[object, str]:
    """What tells a hit from others: an entry is told once, by its best section; a session by each thing that was said in it."""
    return (_ENTRY, owner[2]) if owner[1] == _ENTRY else (_origin(owner), view.piece(at))


def _origin(owner: tuple[Any, ...]) -> tuple[str, str, str]:
    """Agent, the session that a chunk comes from (the one that was forked), and the chunk's time."""
    _, agent, sid, *_, forked_from, time = owner
    return agent, forked_from or sid, time


def indexed_at(config: Config) -> float:
    """When everything was last looked at, in seconds since 1970; 0 when never."""
    try:
        return os.stat(os.path.join(config.data_dir, "indexed")).st_mtime
    except OSError:
        return 0.0


__all__ = ["FAIR", "STRONG", "WEAK", "Filter", "Hit", "Result", "indexed_at", "search"]
