"""`lib logins enrol`: a login that its owner names is looked for everywhere from now on. Only its fingerprint is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.redact import Redactor
from libtool.domain.redact.known import PHRASE_KIND
from libtool.domain.redact.shape import shape
from libtool.errors import UsageError
from libtool.features import index, library_index, login_key, login_store, sweep
from libtool.storage import key

if TYPE_CHECKING:
    from libtool.config import Config
    from libtool.storage.store import Store

KIND = "own"
"""The kind of a login of which only its owner says what it is."""


class Enrolled(NamedTuple):
    """What came of it."""

    fingerprint: str
    new: bool
    """Whether it was not looked for before."""
    changed: int
    """Places in the store that held it."""
    wiped: bool
    """False when a reader was in the way: what is left of it goes with the next run."""
    told: tuple[str, ...]
    """What else the person must know: a key that was lost, a search db that was set aside."""


def enrol(config: Config, login: str) -> Enrolled:
    """Look for a login from now on, and take it out of what is stored. Raises UsageError for one that cannot be looked for, Locked."""
    with login_store.locked(config, "lib logins enrol") as store:
        told = login_key.follow(config, store)
        fingerprint = found_as(key.load(config), login)
        kind = kind_of(login)
        new = fingerprint not in store.logins()
        store.begin()
        store.save_logins([(fingerprint, kind, 1, shape(login))])
        store.commit()
        changed = sweep.sweep(config, store)
        wiped = _follow(config, store, told)
    return Enrolled(fingerprint, new, changed, wiped, tuple(told))


def _follow(config: Config, store: Store, told: list[str]) -> bool:
    """Have the search db follow; False when traces are left in it."""
    with index.open_search(config, told) as search:
        # One that does not follow this store is built anew by the next run.
        if not search.follows(store):
            return True
        search.catch_up(store)
        if sweep.follow_library(config, store, search):
            library_index.catch_up(config, search)
        return sweep.wipe(store, search)


def kind_of(login: str) -> str:
    """The kind of an enrolled login: a passphrase is looked for in another way than what has no spaces."""
    return PHRASE_KIND if " " in login else KIND


def found_as(secret: bytes, login: str) -> str:
    """The fingerprint of a login; raises UsageError, which does not quote it, when it could not be found in a text by that."""
    probe = Redactor(secret, learn=False)
    fingerprint = probe.fingerprint(login)
    known = Redactor(secret, known={fingerprint: kind_of(login)}, learn=False)
    if known.redact_known(login) in (login, "") or set(known.found) != {fingerprint}:
        raise UsageError(
            "this cannot be looked for everywhere: it would be found in innocent text too, or not at all",
            hint="6 to 199 characters with a digit, a symbol or capitals inside, and no space or quote; or four words or more",
        )
    return fingerprint
