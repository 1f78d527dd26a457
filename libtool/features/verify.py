"""`lib verify`: whether what entries claim and point to still holds, in the repositories that are on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import cited
from libtool.domain.entry import identity
from libtool.domain.mend import recover
from libtool.domain.pointers import Claim, CodePlace, Link, SessionPointer, pointer
from libtool.domain.schema import POINTERS, SESSION
from libtool.domain.text import clean, one_line
from libtool.errors import LibError, NotIndexed, Unproved
from libtool.features import redact, sources
from libtool.features.absent import answer
from libtool.features.clones import Clones
from libtool.features.code_places import CHANGED, GONE, MOVED, SAME, UNKNOWN, CodePlaces, Outcome
from libtool.storage import checked, library, watermark
from libtool.storage.git import GitFailed
from libtool.storage.lock import writer_lock
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from libtool.config import Config
    from libtool.storage.git_read import Checkout

__all__ = ["CHANGED", "HOLDS", "UNKNOWN", "Check", "Verified", "verify"]

HOLDS = "holds"
ABSENT, PRESENT, HERE, ELSEWHERE = "absent", "present", "here", "elsewhere"
_STATES = {SAME: HOLDS, MOVED: HOLDS, ABSENT: HOLDS, HERE: HOLDS, CHANGED: CHANGED, GONE: CHANGED, PRESENT: CHANGED}
LOCK_SECONDS = 10.0
_LONGEST = 160


class Check(NamedTuple):
    """One pointer, claim or session: its text (redacted, on one line), what became of it, and where or why."""

    item: str
    outcome: str
    detail: str

    @property
    def state(self) -> str:
        """`holds`, `changed` or `unknown`."""
        return _STATES.get(self.outcome, UNKNOWN)


class Verified(NamedTuple):
    """One entry."""

    topic: str
    checks: tuple[Check, ...]
    commits: tuple[str, ...]
    """Of the repositories that were looked at."""

    @property
    def state(self) -> str:
        """`changed` when anything is, else `holds` when anything does, else `unknown`."""
        states = {one.state for one in self.checks}
        return next((state for state in (CHANGED, HOLDS) if state in states), UNKNOWN)


class Report(NamedTuple):
    """What was found, and why it could not be kept for `lib search` and `lib show` ('' when it is)."""

    entries: list[Verified]
    unkept: str


def verify(
    config: Config,
    environ: Mapping[str, str],
    topics: Sequence[str],
    repositories: Sequence[str],
    here: str,
    *,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Report:
    """Check these entries (none named: all), and keep the outcome for `lib search` and `lib show`.

    `repositories` are folders of repositories to look in first, `here` one that may be none. Raises LibraryNotFound, LibError for no
    such entry, UsageError for a folder in no repository, Unproved for a damaged one and without git.
    """
    known = library.topics(config.library)
    contents = {topic: library.read(config.library, topic) for topic in topics or known}
    try:
        clones = Clones(config, environ, repositories, here)
    except GitFailed as error:
        raise Unproved(error.message, hint=error.hint) from error
    work = _Work(config, environ, clones, frozenset(known))
    found = []
    rows: dict[str, checked.Row | None] = {}
    try:
        for at, (topic, data) in enumerate(contents.items()):
            progress(at, len(contents))
            one, places = work.entry(topic, data)
            found.append(one)
            # Where no clone is here today, what was found when there was one stays.
            if places or places is None:
                rows[topic] = checked.Row(checked.crc(data), _summary(one), places) if places else None
    finally:
        work.close()
    try:
        with writer_lock(config, LOCK_SECONDS, task="lib verify"):
            checked.save(config, rows, known)
    except (LibError, OSError) as error:
        return Report(found, str(error))
    return Report(found, "")


def _summary(one: Verified) -> str:
    unknown = sum(check.outcome == UNKNOWN for check in one.checks)
    return one.state + (f" ({unknown} of {len(one.checks)} not checked)" if unknown else "")


class _Work:
    """What is the same for all entries."""

    def __init__(self, config: Config, environ: Mapping[str, str], clones: Clones, topics: frozenset[str]) -> None:
        self._config = config
        self._environ = environ
        self._clones = clones
        self._topics = topics
        self._redactor = redact.redactor(config)
        try:
            self._sessions: SessionDb | None = SessionDb(config.store_db)
        except NotIndexed:
            self._sessions = None
        self._claims: dict[tuple[str, str], Outcome] = {}

    def close(self) -> None:
        """Close the store."""
        if self._sessions is not None:
            self._sessions.close()

    def entry(self, topic: str, data: bytes) -> tuple[Verified, list[tuple[str, str, str]] | None]:
        """An entry's checks, and (git folder, head, commit) of the repositories that were looked at; None where it points to no code."""
        entry = recover(data, topic=topic)
        pointers = [(item, found) for item in entry.items[POINTERS] if (found := pointer(item)) is not None]
        named = filter(None, (cited.of_item(identity(item)) for item in entry.items[SESSION]))
        pointers += [(f"{one.agent}:{one.sid} {one.machine}", SessionPointer(*one[:3])) for one in named]
        places: dict[str, Checkout] = {}
        projects = dict.fromkeys(found.project for _, found in pointers if isinstance(found, Claim | CodePlace))
        for project in projects:
            if (place := self._clones.find(project)) is not None and place.commit:
                places[project] = place
        # Before anything is looked at: a commit made meanwhile makes the outcome stale.
        heads = {place.git_dir: (watermark.head(place.git_dir), place.commit) for place in places.values()}
        outcomes = self._code(places, [found for _, found in pointers if isinstance(found, CodePlace)])
        checks = []
        for item, found in pointers:
            outcome = outcomes[found] if isinstance(found, CodePlace) else self._other(found, places)
            checks.append(Check(self._safe(item), outcome.state, self._safe(outcome.detail)))
        rows = [(folder, head, commit) for folder, (head, commit) in heads.items()]
        return Verified(topic, tuple(checks), tuple(dict.fromkeys(commit for _, _, commit in rows))), rows if projects else None

    def _code(self, places: Mapping[str, Checkout], wanted: Sequence[CodePlace]) -> dict[CodePlace, Outcome]:
        outcomes = {one: _no_clone(one.project) for one in wanted}
        for project, place in places.items():
            mine = [one for one in wanted if one.project == project]
            outcomes.update(zip(mine, CodePlaces(place, self._environ).look(mine), strict=True))
        return outcomes

    def _other(self, found: Claim | Link | SessionPointer, places: Mapping[str, Checkout]) -> Outcome:
        """The outcome of anything but a place in code."""
        if isinstance(found, Link):
            return Outcome(HERE) if found.topic in self._topics else Outcome(GONE, "there is no such entry")
        if isinstance(found, SessionPointer):
            return self._session(found)
        place = places.get(found.project)
        return self._claim(found, place) if place is not None else _no_clone(found.project)

    def _claim(self, claim: Claim, place: Checkout) -> Outcome:
        name = place.git_dir, claim.keywords
        if name not in self._claims:
            try:
                said = answer.in_repository(self._config, self._environ, claim.keywords, place, history_seconds=0.0)
            except LibError as error:
                # One claim that cannot be looked for, or one broken repository, does not stop the rest.
                return Outcome(UNKNOWN, error.message)
            first = next(iter(said.tree.places), None)
            where = f"{first.path}:{first.line}" if first is not None and first.line else first.path if first is not None else ""
            self._claims[name] = (
                Outcome(ABSENT) if said.absent else Outcome(PRESENT, f"{said.found} place{'s' * (said.found > 1)}, the first {where}")
            )
        return self._claims[name]

    def _session(self, one: SessionPointer) -> Outcome:
        if sources.is_here(self._config.home, self._sessions, one.agent, one.sid):
            return Outcome(HERE)
        if one.machine not in ("", self._config.machine):
            return Outcome(ELSEWHERE, f"on {one.machine}")
        if self._sessions is None:
            return Outcome(UNKNOWN, "nothing is indexed on this machine")
        return Outcome(GONE) if one.machine else Outcome(ELSEWHERE, "not on this machine")

    def _safe(self, text: str) -> str:
        return one_line(self._redactor.redact(clean(text)), _LONGEST)


def _no_clone(project: str) -> Outcome:
    return Outcome(UNKNOWN, f"no clone of {project} is known here: --repo PATH names one")
