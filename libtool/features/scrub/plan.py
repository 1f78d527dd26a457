"""What a scrub would do: every file of the agents looked at, nothing changed."""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from libtool.adapters.base import Source
from libtool.domain.redact import Redactor
from libtool.domain.ref import meant, parse
from libtool.errors import NotIndexed, UsageError
from libtool.features import login_key, redact
from libtool.features.reading import Task, Transcripts
from libtool.features.scrub import content, rewrite, targets
from libtool.features.scrub.content import DATABASE, ROWS
from libtool.features.scrub.rewrite import LeftAlone
from libtool.features.scrub.scratch import folder
from libtool.storage import database
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from libtool.config import Config
    from libtool.features.scrub.live import Watch
    from libtool.features.scrub.targets import Target

    Progress = Callable[[int, int], None]
    # (bytes looked at, bytes in all)

UNKNOWN = "its content is not that of a transcript"


class Item(NamedTuple):
    """A file, and what is to be done with it."""

    target: Target
    logins: Counter[str] = Counter()  # noqa: RUF012 - never changed
    """Fingerprint to how often it stands there."""
    before: int = 0
    after: int = 0
    """Bytes; of a database 0 until it is done."""
    left: int = 0
    """Strings that look like logins and stay: ids, opaque data."""
    why: str = ""
    """Why the file is left as it is; '' when it may be scrubbed."""
    unread: bool = False
    """Whether nobody knows what it holds."""
    sha256: str = ""
    """Of the content that was looked at; of a database '' (see `state`)."""
    state: tuple[tuple[int, int, int], ...] = ()
    """Of a database and its WAL: size, time, inode."""


@dataclass(slots=True)
class Plan:
    """What was found. `redactor` knows every login that was met: it replaces the same everywhere."""

    redactor: Redactor
    items: list[Item] = field(default_factory=list)
    """Files that hold logins, in the order of their paths."""
    clean: int = 0
    beside: list[tuple[Target, str]] = field(default_factory=list)
    """(file, why) of those that hold logins and are never rewritten."""
    sessions: tuple[str, ...] = ()

    @property
    def ready(self) -> list[Item]:
        """What may be scrubbed."""
        return [one for one in self.items if one.logins and not one.why]


def plan(
    config: Config,
    environ: Mapping[str, str],
    watch: Watch,
    *,
    agents: tuple[str, ...] = (),
    session: str = "",
    progress: Progress = lambda _done, _total: None,
) -> Plan:
    """Look at everything. Raises UsageError for an unknown agent, and for a REF that names no session or several."""
    ref = parse(session) if session else None
    if ref is not None and ref.agent:
        agents = (ref.agent,)
    names = targets.agents_of(agents)
    with database.failures(config.data_dir), folder(config.data_dir) as scratch:
        secret = login_key.at_hand(config)
        reader = _Reader(config, secret, scratch)
        known = reader.known(targets.transcripts(config, environ, names), progress)
        # It learns between two looks, not at each login: to look for all it knows anew each time would take for ever.
        kinds = {**reader.kinds, **_kinds(config)}
        found = Plan(Redactor(secret, known=kinds, allow=config.logins_allow, learn=False))
        chosen = known
        if ref is not None:
            found.sessions = _family(known, ref.name, session)
            chosen = [one for one in known if set(one.target.sessions) & set(found.sessions)]
            # A database holds many sessions.
            chosen = [one._replace(target=one.target._replace(only=found.sessions * (one.target.form == DATABASE))) for one in chosen]
        taken = {one.target.real for one in known}
        sides = targets.side_files(config, environ, names)
        chosen += [_Known(one) for one in _of(sides, found.sessions) if one.real not in taken]
        _look(found, chosen, watch, scratch, set(kinds))
        left = [(one, why) for one, why in targets.left_files(config, environ, names) if _is_of(one, found.sessions)]
        found.beside = [(one, why) for one, why in left if _holds_logins(one, found.redactor)]
    return found


def _kinds(config: Config) -> dict[str, str]:
    """Fingerprints of the logins that the store knows, with their kinds: a placeholder must be the one that the index already holds."""
    try:
        store = SessionDb(config.store_db)
    except NotIndexed:
        return {}
    with store:
        return dict(store.rows("SELECT fingerprint, kind FROM login WHERE spreads AND key = ''"))


class _Known(NamedTuple):
    """A file, and the sessions (id, parent) in it; `why` it cannot be scrubbed."""

    target: Target
    told: tuple[tuple[str, str], ...] = ()
    why: str = ""


class _Reader:
    """Reads transcripts as the index does, so that what was asked for in one message is known as a login in the next."""

    def __init__(self, config: Config, secret: bytes, scratch: str) -> None:
        self._transcripts = Transcripts(secret, scratch, thinking=True, allow=config.logins_allow)
        self.kinds: dict[str, str] = {}
        """Fingerprint to kind of the logins that are to be looked for everywhere."""

    def known(self, found: Iterable[Target], progress: Progress) -> list[_Known]:
        """The transcripts that their agent's adapter knows by content, or that cannot be read."""
        all_of_them = list(found)
        total, done = sum(_size(one.real) for one in all_of_them), 0
        out = []
        for one in all_of_them:
            progress(done, total)
            done += _size(one.real)
            reading = self._transcripts.read(Task(one.path, one.root, one.agent))
            met = {fingerprint for _, fingerprint in reading.met}
            self.kinds.update((fingerprint, kind) for fingerprint, kind, *_ in reading.logins if fingerprint in met)
            if reading.agent == one.agent:
                told = tuple((session.sid, session.facts["parent"]) for session in reading.sessions)
                out.append(_Known(one._replace(sessions=tuple(sid for sid, _ in told)), told))
            elif one.form != content.TEXT:
                # Of text files in projects most are no transcripts at all.
                out.append(_Known(one, why=reading.error or UNKNOWN))
        progress(total, total)
        return out


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _family(known: list[_Known], name: str, session: str) -> tuple[str, ...]:
    """Ids of the one session that is meant, and of its sub-agents of every depth."""
    parents = {sid: parent for one in known for sid, parent in one.told}
    named = meant(parents, name)
    if len(named) != 1:
        hint = f"it may be one of: {', '.join(sorted(named)[:8])}" if named else "`lib search` prints the REFs of sessions"
        raise UsageError(f"{session} names {'several sessions' if named else 'no session whose transcript is on this machine'}", hint=hint)
    family = named
    for member in family:
        family += [sid for sid, parent in parents.items() if parent == member and sid not in family]
    return tuple(family)


def _is_of(target: Target, sessions: tuple[str, ...]) -> bool:
    return not sessions or any(one in target.real for one in sessions)


def _of(found: Iterable[Target], sessions: tuple[str, ...]) -> Iterable[Target]:
    """The side files of some sessions: those named after one, and of shared rows and databases those that are theirs."""
    for one in found:
        if _is_of(one, sessions):
            yield one
        elif one.form in (ROWS, DATABASE):
            yield one._replace(only=sessions)


def _look(found: Plan, chosen: list[_Known], watch: Watch, scratch: str, looked_for: set[str]) -> None:
    """Look at each file, and again as long as a look met logins that were not looked for before: fingerprints."""
    items: dict[str, Item] = {}
    fresh = True
    while fresh:
        for one in chosen:
            items[one.target.real] = _looked(one, found, scratch)
        fresh = not looked_for.issuperset(found.redactor.met.values())
        looked_for.update(found.redactor.met.values())
        found.redactor.learn(found.redactor.met)
    for path, item in sorted(items.items()):
        if not (item.logins or item.left or item.unread):
            found.clean += 1
            continue
        target = item.target
        why = item.why or rewrite.refusal(path) or watch.reason(target.agent, target.root, path, target.sessions, target.beside)
        found.items.append(item._replace(why=why))


def _looked(known: _Known, found: Plan, scratch: str) -> Item:
    target = known.target
    if target.form == DATABASE:
        from libtool.features.scrub import databases  # noqa: PLC0415 - sqlite3, for those who have one

        return databases.look(target, found.redactor, scratch)
    try:
        data = rewrite.content(target.real)
    except LeftAlone as error:
        return Item(target, why=str(error), unread=True)
    new = content.scrubbed(data, target.form, found.redactor, only=target.only)
    return Item(target, new.logins, len(data), len(new.data), new.left, known.why, sha256=hashlib.sha256(data).hexdigest())


def _holds_logins(target: Target, redactor: Redactor) -> bool:
    """Whether a file that is never rewritten holds logins; a database is looked through as it lies there."""
    try:
        source = Source.open(target.real)
    except OSError:
        return False
    with source.file:
        return bool(redact.stream(redactor, source.file, redact.nowhere))
