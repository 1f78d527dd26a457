"""`lib promote`: the digest of a session as a block, put into an entry as a review is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.domain.digest.compose import CONTINUES, EDITED
from libtool.domain.ref import Ref, parse
from libtool.domain.review.block import Block, Reading
from libtool.domain.schema import ANSWER, POINTERS
from libtool.errors import LibError
from libtool.features import digest as digests
from libtool.features import review
from libtool.features.drafts import named_sessions
from libtool.features.review_session import source_from
from libtool.features.show import find
from libtool.storage.digests import Digests
from libtool.storage.session_db import SessionDb, tail

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Mapping

    from libtool.config import Config
    from libtool.domain.digest import Digest, Item
    from libtool.features.review import Outcome

_OUTSIDE = ("/", "~", "..")
"""How a path begins that is not in the folder where the session ran."""


def promote(config: Config, environ: Mapping[str, str], text: str, today: dt.date, *, topic: str = "") -> Outcome:
    """Make an entry of the digest of the session that a REF (`digest:` before it or not) names, or add it to the one on `topic`.

    Raises as `show.find` and `review.take` do, LibError for a session that has no digest.
    """
    ref = parse(text)
    with SessionDb(config.store_db) as database:
        facts = find(database, Ref("session", ref.agent, ref.name, 0) if ref.kind == "digest" else ref, config.home)
        made = digests.look(Digests(database.db), facts) if facts["agent"] != "note" else None
        short = tail(database.rows, facts["agent"], facts["sid"])
    if made is None or made.digest is None:
        raise LibError(f"no digest of {text[:80]}: nothing in it can stand in an entry", hint="`lib show` shows what the session holds")
    source = source_from(config, environ, facts, short, today)
    block = block_of(made.digest, placed=bool(source.place))
    # Its entry may have been deleted, or renamed without it: who promotes once more wants it back.
    again = (source.agent, source.sid) not in named_sessions(config)
    return review.take(config, environ, Reading([block], "", says_nothing=False), source, topic=topic, again=again)


def block_of(digest: Digest, *, placed: bool) -> Block:
    """A digest as a reviewer would have written it; `placed`: whether its session ran in a project that files can be pointed to in."""
    sections = {name: tuple(map(_item, items)) for name, items in digest.sections.items()}
    answer = (f"{digest.answer.text} ({digest.answer.date})" if digest.answer.date else digest.answer.text,)
    pointers = tuple(text for item in digest.pointers for text in _pointed(item.text, placed=placed))
    return Block("", digest.title, {ANSWER: answer, **sections, POINTERS: pointers})


def _pointed(text: str, *, placed: bool) -> Iterator[str]:
    """The pointers in one line of a digest: the session that it continues, each edited file of the project; else the line as it is."""
    kind, _, rest = text.partition(" ")
    if kind == CONTINUES:
        yield rest
    elif kind == EDITED and placed:
        paths = rest.split(", ")
        yield from (path for path in paths if not path.startswith(_OUTSIDE))
        if outside := [path for path in paths if path.startswith(_OUTSIDE)]:
            yield f"{EDITED} {', '.join(outside)}"
    else:
        yield text


def _item(item: Item) -> str:
    day = f"{item.date}: " if item.date else ""
    return f"{day}{item.text}{f' (#{item.turn})' if item.turn else ''}"
