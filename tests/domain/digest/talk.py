"""Made-up sessions as segments, and their digests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from libtool.domain.chunk import Segment
from libtool.domain.digest import Collector, Facts, compose, render

if TYPE_CHECKING:
    from collections.abc import Iterable

    from libtool.domain.digest import Digest

FACTS = Facts("claude-code", "5f0c2a10-11aa-4b6c-9d01-0a1b2c3d4e5f", "2c3d4e5f", "/home/ada/kiln")
TIME = "2026-03-{:02}T09:00:00Z"

Said = tuple[str, int, str]
# Code, turn, text.


def collected(said: Iterable[Said], *, by_json: bool = False) -> Collector:
    """The pool of a session; `by_json` carries the state over as JSON after each segment."""
    pool = Collector()
    for code, turn, text in said:
        pool.add(Segment(code, turn, text), TIME.format(turn % 28 + 1))
        if by_json:
            pool = Collector(json.loads(json.dumps(pool.state(), sort_keys=True)))
    return pool


def digest(said: Iterable[Said], facts: Facts = FACTS) -> Digest:
    made = compose(collected(said), facts)
    assert made is not None
    return made


def rendered(said: Iterable[Said], facts: Facts = FACTS) -> str:
    return render(digest(said, facts), facts)
