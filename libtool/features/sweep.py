"""Logins that were recognised only later are taken out of what is stored already, and out of the search db, with nothing readable left.

One pass over all that is stored, and only when a login became known since the last one. A kill leaves the store as it was, or with a
note that traces are to be wiped: the next run does what is missing.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from libtool.features import review_kept
from libtool.features.reading import names_a_login, safe_name
from libtool.features.sightings import Sighting, Sightings
from libtool.storage import key, logins, rewrite, tombstones
from libtool.storage.purge import purge
from libtool.storage.store import dump_json

if TYPE_CHECKING:
    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.storage.search_build import SearchBuild
    from libtool.storage.store import Store

TRACES = "traces"
"""A fact of the store: not empty while freed pages may hold what was taken out."""
LIBRARY = "library"
"""A fact of the store: fingerprints for which what the search db holds of the library was not looked through yet."""


def sweep(config: Config, store: Store, redactor: Redactor | None = None) -> int:
    """Look through all that is stored for the logins that it was not looked through for yet; how many places were changed.

    `redactor` is one that knows them; by their values that is faster than by their fingerprints, which are all that we know without it.
    The search db follows with its next `catch_up`, then `wipe` ends it. No transaction may be open.
    """
    wanted = logins.unswept(store)
    if not wanted:
        return 0
    redactor = _redactor(config, store, wanted, redactor)
    # Before the note that all was looked through: a kill in between costs a second look.
    kept = review_kept.sweep(config, redactor.redact_known)
    store.begin()
    try:
        changed = _chunks(store, redactor) + _rest(store, redactor)
        logins.mark_swept(store, wanted)
        if changed:
            store.save_fact(TRACES, "1")
        store.save_fact(LIBRARY, " ".join(sorted(wanted | set(store.fact(LIBRARY).split()))))
        store.commit()
    finally:
        store.rollback()
    if changed:
        tombstones.rewrite(config.data_dir, store)
    return changed + kept


def follow_library(config: Config, store: Store, search: SearchBuild) -> int:
    """Have the entries whose text in the search db holds one of these logins taken in again; how many. No transaction may be open."""
    wanted = set(store.fact(LIBRARY).split())
    replace = _redactor(config, store, wanted).redact_known
    names = rewrite.entries_to_take_again(search.db, replace) if wanted else []
    if names:
        # First the note: a kill in between costs a look, not a trace.
        store.save_fact(TRACES, "1")
        rewrite.take_again(search.db, names)
    store.save_fact(LIBRARY, "")
    return len(names)


def wipe(store: Store, search: SearchBuild) -> bool:
    """Make unreadable what `sweep` freed, once the search db has followed; False when a reader is in the way: the next run tries again."""
    return not store.fact(TRACES) or wipe_store(store, wiped=search.settle(wipe=True))


def wipe_store(store: Store, *, wiped: bool) -> bool:
    """The store's part of it. `wiped`: whether the search db is done."""
    wiped = purge(store.db) and wiped
    if wiped:
        store.save_fact(TRACES, "")
    return wiped


def _redactor(config: Config, store: Store, wanted: set[str], redactor: Redactor | None = None) -> Redactor:
    """The one that is given, or one that looks for these alone; it calls each login what the ledger calls it."""
    from libtool.domain.redact import Login, Redactor  # noqa: PLC0415 - 8 ms that a run with nothing to look for need not pay

    redactor = redactor or Redactor(key.load(config), known=wanted, allow=config.logins_allow, learn=False)
    for fingerprint, kind in logins.kinds(store).items():
        redactor.found[fingerprint] = Login(fingerprint, kind, "known", spreads=True)
    return redactor


def _chunks(store: Store, redactor: Redactor) -> int:
    """Rewrite the chunks that hold one; noted as met there."""
    hit = []
    for rows in rewrite.bodies(store):
        texts = [text for _, _, words, body in rows for text in (body, words)]
        # Many at once, in one pass.
        redacted = redactor.redact_known_all(texts)
        for (one, time, words, body), new, named in zip(rows, redacted[::2], redacted[1::2], strict=True):
            if new is body and named is words:
                continue
            hit.append(one)
            met = Sightings()
            met.note(0, body, new, time)
            for file, session in rewrite.places(store, one):
                seen = {(session, fingerprint): Sighting(*sighting) for (_, fingerprint), sighting in met.items()}
                logins.save_sightings(store, file, session, seen, more=True)
    for one in hit:
        rewrite.rewrite_chunk(store, one, redactor.redact_known)
    return len(hit)


def _rest(store: Store, redactor: Redactor) -> int:
    """All else that is stored; how many places were changed."""
    replace = redactor.redact_known

    def rename(name: str) -> str:
        return safe_name(name, redactor)

    def in_json(text: str) -> str:
        # What JSON escapes would hide from a look at the text.
        if "\\" not in text or not text:
            return replace(text)
        parsed = json.loads(text)
        redacted = redactor.redact_json(parsed)
        return text if redacted == parsed else dump_json(redacted)

    changed = len(rewrite.rewrite_sessions(store, replace, rename))
    changed += rewrite.rewrite_files(store, replace, rename, in_json)
    changed += rewrite.rewrite_tombstones(store, rename)
    changed += rewrite.rewrite_rest(store, replace)
    walk = store.fact("walk")
    if in_json(walk) != walk or names_a_login(walk, replace):
        # The folders are listed anew, and those with a login in their name each time.
        store.save_fact("walk", "")
        changed += 1
    return changed
