"""A session's digest: what it decided, concluded, measured and left open, in at most 2,000 bytes and without a model.

`Collector` takes condensed, redacted segments one by one and keeps a bounded pool of sentences; `compose` chooses among them and puts
them into the sections of an entry. Both are pure, so a session taken turn by turn gives the digest of one pass over the whole.
"""

from libtool.domain.digest.collect import Collector
from libtool.domain.digest.compose import LIMIT, Digest, Facts, Item, compose, render

__all__ = ["LIMIT", "Collector", "Digest", "Facts", "Item", "compose", "render"]
