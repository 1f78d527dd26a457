"""`lib logins review`: what the redactor nearly took for a login, for its owner to decide. Found in the store each time, never kept."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.body import decode
from libtool.domain.redact import Redactor
from libtool.domain.redact.nearly import nearly
from libtool.domain.redact.shape import shape
from libtool.errors import LibError, UsageError
from libtool.features import login_key, login_store
from libtool.features.login_ledger import prefix
from libtool.features.show import canonical
from libtool.storage import logins
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Iterator

    from libtool.config import Config

MOST = 1000
"""Candidates that a look at the store gathers at most, the newest first."""
_PAGE = 2000
_CHUNKS = (
    "SELECT chunk.id, body, session.agent, sid FROM chunk JOIN source ON source.chunk = chunk.id JOIN part ON part.id = source.part"
    " JOIN session ON session.id = part.session WHERE chunk.id < ? GROUP BY chunk.id ORDER BY chunk.id DESC LIMIT ?"
)


class Candidate(NamedTuple):
    """A text that may be a login; itself it is not told."""

    fingerprint: str
    shape: str
    near: bool
    """Whether a word about logins stands near it."""
    ref: str
    """Where it stands: `agent:session#turn`."""
    times: int


def review(config: Config) -> list[Candidate]:
    """What is to be decided: first what stands near a word about logins, the newest first. Raises NotIndexed."""
    with SessionDb(config.store_db) as database:
        settled = _settled(config, database)
        print_of = Redactor(login_key.at_hand(config), learn=False).fingerprint
        found: dict[str, Candidate] = {}
        for text, agent, sid, turn in _texts(database):
            for start, end, near in nearly(text):
                value = text[start:end]
                fingerprint = print_of(value)
                if fingerprint in settled:
                    continue
                known = found.get(fingerprint)
                if known is not None:
                    found[fingerprint] = known._replace(times=known.times + 1, near=known.near or near)
                elif len(found) < MOST:
                    ref = f"{canonical(database, {'agent': agent, 'sid': sid})}#{turn}"
                    found[fingerprint] = Candidate(fingerprint, shape(value), near, ref, 1)
    return sorted(found.values(), key=lambda one: not one.near)


def value_of(config: Config, text: str) -> tuple[str, str]:
    """(fingerprint, value) of the one candidate that a part of a fingerprint names; the value must not be shown or kept.

    Raises LibError when there is none, UsageError when there are several, NotIndexed.
    """
    start = prefix(text)
    with SessionDb(config.store_db) as database:
        settled = _settled(config, database)
        print_of = Redactor(login_key.at_hand(config), learn=False).fingerprint
        found: dict[str, str] = {}
        for said, *_ in _texts(database):
            for low, high, _near in nearly(said):
                fingerprint = print_of(said[low:high])
                if fingerprint.startswith(start) and fingerprint not in settled:
                    found[fingerprint] = said[low:high]
    if not found:
        raise LibError(f"nothing with the fingerprint {start} is to be decided", hint="`lib logins review` lists what is")
    if len(found) > 1:
        raise UsageError(f"{start} may be one of several", hint=f"say which: {', '.join(sorted(found)[:8])}")
    return next(iter(found.items()))


def dismiss(config: Config, fingerprint: str) -> None:
    """Note that a candidate is no login: it is not listed again. Raises Locked."""
    with login_store.locked(config, "lib logins review") as store:
        store.begin()
        logins.judge(store, fingerprint)
        store.commit()


def _settled(config: Config, database: SessionDb) -> set[str]:
    """Fingerprints that need no decision any more."""
    return logins.judged(database.rows) | {row[0] for row in logins.all_rows(database.rows)} | set(config.logins_allow)


def _texts(database: SessionDb) -> Iterator[tuple[str, str, str, int]]:
    """(text, agent, session id, turn) of all that is stored, the newest first."""
    before = 1 << 62
    while rows := database.rows(_CHUNKS, (before, _PAGE)):
        for _, body, agent, sid in rows:
            for _, turn, text in decode(zlib.decompress(body).decode("utf-8")):
                yield text, agent, sid, turn
        before = rows[-1][0]
