"""The rotation ledger: which logins were met, where, what is still in agents' files, and what their owner has done about it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from libtool.config import FINGERPRINT_DIGITS
from libtool.errors import LibError, UsageError
from libtool.features import login_files, login_key, login_store
from libtool.features.login_sharing import shared, take_shared
from libtool.storage import config_file, logins
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Iterable

    from libtool.config import Config

__all__ = ["Entry", "Ledger", "ignore", "ledger", "named", "prefix", "rotated", "shared", "take_shared"]

LEAST = 4
"""Digits of a fingerprint that are enough where they are unambiguous."""
_DECORATED = re.compile(r"\[?(?:REDACTED:)?(?:[a-z0-9-]{1,12}-)?([0-9a-f]+)\]?", re.IGNORECASE)
_CANDIDATES = 8


class Entry(NamedTuple):
    """One login."""

    fingerprint: str
    kind: str
    shape: str
    """Roughly how long, of what characters; no character of the login but a public prefix."""
    first: str
    last: str
    """First and last time seen, RFC 3339 UTC; '' when unknown or only enrolled."""
    times: int
    """How often records hold it."""
    sessions: tuple[str, ...]
    """`agent:id` of each session."""
    projects: tuple[str, ...]
    machines: tuple[str, ...]
    """Where its sessions are of, and what other machines' ledgers say."""
    files: tuple[str, ...]
    """Agents' files that hold it now, in plaintext."""
    rotated: str
    """Date or time; '' when it was not."""
    again: bool
    """Whether it was seen again after that."""
    ignored: bool
    """Whether `logins.allow` holds it."""
    spreads: bool
    """Whether it is recognised wherever it stands."""
    current: bool
    """Whether the key in use made the fingerprint: otherwise the login is not recognised again under it."""

    @property
    def is_open(self) -> bool:
        """Whether there is something to do about it."""
        return not self.ignored and (not self.rotated or self.again)


class Ledger(NamedTuple):
    """All of them, the worst first."""

    entries: tuple[Entry, ...]
    strangers: tuple[str, ...]
    """Machines with another key: what they tell cannot be matched."""
    alerts: tuple[str, ...]
    """What must be said loudly."""


def ledger(config: Config) -> Ledger:
    """The ledger. What is on disk is looked at now. Raises NotIndexed without a store."""
    with SessionDb(config.store_db) as database:
        rows = logins.all_rows(database.rows)
        seen: dict[str, list[login_files.Place]] = {}
        for fingerprint, *place in logins.sightings(database.rows):
            seen.setdefault(fingerprint, []).append(login_files.Place(*place))
        others = logins.elsewhere(database.rows)
        again = {row[0] for row in logins.again(database.rows)}
        used = login_key.used(database.rows)
        alerts = login_key.alerts(config, database.rows)
    told: dict[str, set[str]] = {}
    for machine, made_with, fingerprint, _ in others:
        if made_with == used:
            told.setdefault(fingerprint, set()).add(machine)
    holding = login_files.holding(config, seen)
    entries = [
        _entry(row, seen.get(row[0], []), holding.get(row[0], ()), told.get(row[0], set()))._replace(
            again=row[0] in again, ignored=row[0] in config.logins_allow
        )
        for row in rows
    ]
    entries.sort(key=lambda one: one.last, reverse=True)
    entries.sort(key=lambda one: (not one.is_open, not one.again, not one.files))
    strangers = sorted({machine for machine, made_with, *_ in others if made_with != used})
    return Ledger(tuple(entries), tuple(strangers), alerts)


def _entry(row: tuple[str, str, str, str, str, int], places: list[login_files.Place], files: Iterable[str], told: set[str]) -> Entry:
    fingerprint, kind, shape, rotated, made_with, spreads = row
    return Entry(
        fingerprint,
        kind,
        shape,
        first=min((place.first for place in places if place.first), default=""),
        last=max((place.last for place in places), default=""),
        times=sum(place.times for place in places),
        sessions=tuple(dict.fromkeys(f"{place.agent}:{place.sid}" for place in places)),
        projects=tuple(sorted({place.project for place in places} - {""})),
        machines=tuple(sorted({place.machine for place in places} | told)),
        files=tuple(files),
        rotated=rotated,
        again=False,
        ignored=False,
        spreads=bool(spreads),
        current=not made_with,
    )


def named(config: Config, text: str) -> str:
    """The fingerprint that a person means by a part of it, or by a whole placeholder.

    Raises UsageError for what is none or is ambiguous, LibError for one that was never met, NotIndexed without a store.
    """
    with SessionDb(config.store_db) as database:
        known = [row[0] for row in logins.all_rows(database.rows)]
    start = prefix(text)
    found = [one for one in known if one.startswith(start)]
    if not found:
        raise LibError(f"no login with the fingerprint {start} was met", hint="`lib logins` lists those that were")
    if len(found) > 1:
        shown = ", ".join(found[:_CANDIDATES]) + (", ..." if len(found) > _CANDIDATES else "")
        raise UsageError(f"{start} may be one of several", hint=f"say which: {shown}")
    return str(found[0])


def prefix(text: str) -> str:
    """The beginning of a fingerprint in what a person pasted; raises UsageError where there is none."""
    match = _DECORATED.fullmatch(text.strip())
    if match is None or not LEAST <= len(match[1]) <= FINGERPRINT_DIGITS:
        # It may be a login that somebody pasted here by mistake: it is not quoted.
        raise UsageError(
            "this is no fingerprint",
            hint=f"it has {FINGERPRINT_DIGITS} hexadecimal digits, of which {LEAST} may be enough: see `lib logins`",
        )
    return match[1].lower()


def rotated(config: Config, fingerprints: Iterable[str], when: str) -> None:
    """Note that the owner changed these logins on this day, or at this time; '' takes it back. Raises Locked."""
    with login_store.locked(config, "lib logins") as store:
        store.begin()
        for fingerprint in fingerprints:
            logins.rotate(store, fingerprint, when)
        store.commit()


def ignore(config: Config, fingerprint: str, why: str) -> bool:
    """Have a text that only looks like a login left alone from now on; False when it is already.

    It is an entry of `logins.allow` in the configuration, `why` a comment behind it. Where it was met is read again by the next run.
    Raises UsageError for a configuration that cannot be changed, Locked.
    """
    from libtool.domain.redact import Redactor  # noqa: PLC0415 - 8 ms

    redactor = Redactor(login_key.at_hand(config), known=logins.known(config), allow=config.logins_allow)
    with login_store.locked(config, "lib logins") as store:
        store.begin()
        logins.read_again(store, fingerprint)
        # Before the commit: a configuration that cannot be changed leaves all as it was.
        added = config_file.add_to_list(config.config_file, "logins.allow", fingerprint, redactor.redact(why))
        store.commit()
    return added
