"""The digest of a session that a REF names, out of the store. Writes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.digest import Digest, Facts, render
from libtool.errors import LibError
from libtool.features import digest
from libtool.features.show import canonical, find
from libtool.storage.digests import Digests
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from libtool.config import Config
    from libtool.domain.ref import Ref


class Printed(NamedTuple):
    """A digest and what it is of."""

    ref: str
    agent: str
    session: str
    """Full id."""
    digest: Digest
    text: str
    """As markdown, at most 2,000 bytes."""


def of_ref(config: Config, ref: Ref) -> Printed:
    """The digest of the session that a REF names. Raises as `show.find`, LibError when nothing was said in the session."""
    with SessionDb(config.store_db) as database:
        facts = find(database, ref, config.home)
        name = canonical(database, facts)
        made = digest.look(Digests(database.db), facts)
    if made.digest is None:
        raise LibError(f"{name} holds nothing that a digest could tell", hint=f"`lib show {name}` shows what there is")
    return printed(name, made.digest, made.facts)


def printed(name: str, made: Digest, facts: Facts) -> Printed:
    """A digest under the REF of its session."""
    return Printed(f"digest:{name}", facts.agent, facts.id, made, render(made, facts))
