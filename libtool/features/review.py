"""`lib capture --review`: what a reviewer wrote, into the entries of the library.

What was understood waits in the store first, is committed then, and leaves the store at last: killed anywhere, the next event goes on.
What cannot be committed now goes on waiting; what was not understood is kept beside the log.
"""

from __future__ import annotations

import json
import os
import time
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.dates import moment
from libtool.domain.entry import is_topic
from libtool.domain.review.parse import read
from libtool.domain.text import clean
from libtool.errors import LibError, UsageError
from libtool.features import index, redact, review_kept
from libtool.features.review_landing import Landing, Result
from libtool.storage.reviews import Reviews, Waiting, anything_waits, digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.domain.review.block import Reading
    from libtool.domain.review.entries import Source

LOCK_SECONDS = 30.0
SHORTEST = 12
"""Characters of text around the blocks that are worth keeping."""


class ForgottenError(LibError):
    """Its owner dropped the session for good."""


class Outcome(NamedTuple):
    """What became of a review."""

    results: list[Result]
    """One for each block, and for what had waited and was tried again."""
    kept: str = ""
    """The file with what no entry took; '' when there was nothing of the kind."""
    unusable: bool = False
    """Whether nothing in it could be used."""
    repeated: bool = False
    """Whether the very same review of the session had landed before."""


def review(config: Config, environ: Mapping[str, str], text: bytes, source: Source, *, topic: str = "") -> Outcome:
    """Put a review of a session into the library; `topic` names the one entry that all of it goes to.

    Raises UsageError for what is no topic, ForgottenError, Locked and DataDirUnusable before anything is lost.
    """
    said = redact.redactor(config).redact(clean(text.decode("utf-8", "replace")))
    return take(config, environ, read(said), source, said=said, topic=topic)


def take(
    config: Config,
    environ: Mapping[str, str],
    reading: Reading,
    source: Source,
    *,
    said: str = "",
    topic: str = "",
    again: bool = False,
) -> Outcome:
    """The same of a review that was read already; `said` is its redacted text, which is kept where nothing in it can be used.

    `again`: also where it has landed before, since what it became is there no longer.
    """
    if topic and not is_topic(topic):
        raise UsageError(f"not a topic: {topic[:80]}", hint="small letters and digits, joined by `-`, such as auth-rotation")
    key = digest(source.agent, source.sid, topic, said or json.dumps(reading.blocks))
    if not _wait(config, reading, source, topic, key, again=again):
        return Outcome([], repeated=True)
    kept = _keep(config, reading, said, source)
    if not reading.blocks:
        return Outcome([], kept, unusable=not reading.says_nothing)
    results = land_waiting(config, environ, redact.redactor(config))
    # Where there are none, another process has put these blocks in meanwhile.
    return Outcome(results, kept, repeated=not results)


def retry(config: Config, environ: Mapping[str, str]) -> list[Result]:
    """Try again to put into the library what waits for it. Cheap when nothing does; for the events of agents, and after a sync."""
    return land_waiting(config, environ, redact.redactor(config)) if anything_waits(config) else []


def land_waiting(config: Config, environ: Mapping[str, str], redactor: Redactor) -> list[Result]:
    """Put into the library what waits for it, a commit for each session; what cannot be put there yet goes on waiting."""
    landing = Landing(config, environ, redactor, datetime.now().astimezone().date())
    with landing.opened() as reason:
        rows = _rows(config)
        results = landing.refused(rows, reason) if reason else landing.land(rows)
        _settle(config, rows, results)
    if any(result.changed for result in results):
        from libtool.features import sync_after  # noqa: PLC0415 - most captures at most once

        sync_after.take_in(config)
    return results


def _wait(config: Config, reading: Reading, source: Source, topic: str, key: str, *, again: bool) -> bool:
    """Let the blocks wait; False when this very review has landed. A review that says that there is nothing has landed with that."""
    now = moment(time.time())
    with index.writing(config, LOCK_SECONDS, task="lib capture") as store:
        reviews = Reviews(store.db)
        if reviews.is_forgotten(source.agent, source.sid):
            raise ForgottenError("that session was forgotten: nothing of it is captured", hint="`lib forget` dropped it for good")
        if reviews.has_landed(key) and not again:
            return False
        store.begin()
        for block in reading.blocks:
            body = json.dumps({"block": block, "source": source, "key": key}, ensure_ascii=False)
            row = Waiting(0, source.agent, source.sid, topic, body, "not tried yet", now)
            reviews.wait(row, digest(source.agent, source.sid, topic, json.dumps(block)))
        if reading.says_nothing:
            reviews.land(source.agent, source.sid, [key], now)
        store.commit()
    return True


def _rows(config: Config) -> list[Waiting]:
    with index.writing(config, LOCK_SECONDS, task="lib capture") as store:
        return Reviews(store.db).waiting()


def _settle(config: Config, rows: Sequence[Waiting], results: Sequence[Result]) -> None:
    """Note what became of each row, in the same order."""
    now = moment(time.time())
    with index.writing(config, LOCK_SECONDS, task="lib capture") as store:
        reviews = Reviews(store.db)
        store.begin()
        for row, result in zip(rows, results, strict=True):
            if result.waits:
                reviews.renew(row.id, result.reason)
                continue
            reviews.done(row.id)
            if not result.kept:
                reviews.land(row.agent, row.sid, [json.loads(row.block)["key"]], now)
        store.commit()


def _keep(config: Config, reading: Reading, said: str, source: Source) -> str:
    """Keep what belongs to no block; of a review without blocks all of it."""
    text = reading.leftover if reading.blocks else said
    if reading.says_nothing or len(text.strip()) < SHORTEST:
        return ""
    return os.path.abspath(review_kept.keep(config, source.agent, source.sid, text))
