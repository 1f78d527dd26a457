"""`lib promote`: the digest of a session as a block, put into an entry as a review is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.domain.ref import Ref, parse
from libtool.domain.review.block import Block, Reading
from libtool.domain.schema import ANSWER, POINTERS
from libtool.errors import LibError
from libtool.features import digest as digests
from libtool.features import review
from libtool.features.review_session import source_from
from libtool.features.show import canonical, find
from libtool.storage.digests import Digests
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from libtool.config import Config
    from libtool.domain.digest import Digest, Item
    from libtool.features.review import Outcome


def promote(config: Config, environ: Mapping[str, str], text: str, today: dt.date, *, topic: str = "") -> Outcome:
    """Make an entry of the digest of the session that a REF (`digest:` before it or not) names, or add it to the one on `topic`.

    Raises as `show.find` and `review.take` do, LibError for a session that has no digest.
    """
    ref = parse(text)
    database = SessionDb(config.store_db)
    try:
        facts = find(database, Ref("session", ref.agent, ref.name, 0) if ref.kind == "digest" else ref, config.home)
        made = digests.look(Digests(database.db), facts) if facts["agent"] != "note" else None
        short = canonical(database, facts).partition(":")[2]
    finally:
        database.close()
    if made is None or made.digest is None:
        raise LibError(f"no digest of {text[:80]}: nothing in it can stand in an entry", hint="`lib show` shows what the session holds")
    source = source_from(config, environ, facts, short, today)
    return review.take(config, environ, Reading([block_of(made.digest)], "", says_nothing=False), source, topic=topic)


def block_of(digest: Digest) -> Block:
    """A digest as a reviewer would have written it."""
    sections = {name: tuple(map(_item, items)) for name, items in digest.sections.items()}
    answer = (f"{digest.answer.text} ({digest.answer.date})" if digest.answer.date else digest.answer.text,)
    return Block("", digest.title, {ANSWER: answer, **sections, POINTERS: tuple(item.text for item in digest.pointers)})


def _item(item: Item) -> str:
    day = f"{item.date}: " if item.date else ""
    return f"{day}{item.text}{f' (#{item.turn})' if item.turn else ''}"
