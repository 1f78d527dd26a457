"""The long tail of providers: a second pass by `kingfisher-secret-scanner`, where it is installed (`lib-sessions[providers]`).

It knows formats of hundreds of providers that nobody meets often, and costs 0.4 s to start (more at the first time, when it compiles its
rules into `cache`), so it is for bulk work. It only looks: its validation, which asks providers over the network, is never called.
"""

from __future__ import annotations

import importlib
from itertools import pairwise

from libtool.domain.redact.providers import issued

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from libtool.domain.redact.rule import Span

_CONFIDENT = frozenset({"high", "medium"})


def load(cache: str) -> LongTail | None:
    """The second pass, its compiled rules kept in the folder `cache`; None where the package is not installed."""
    try:
        sdk = importlib.import_module("kingfisher_sdk")
    except ImportError:
        return None
    # Encoded text is decoded by us; comments that say `ignore` switch nothing off without a DetectionPolicy.
    return LongTail(sdk.Scanner(sdk.Rules(cache_dir=cache), base64=False).scan)


class LongTail:
    """Finds tokens of providers with a scanner of bytes."""

    def __init__(self, scan: Callable[[bytes], list[Any]]) -> None:
        self._scan = scan

    def spans(self, text: str) -> list[Span]:
        """Where tokens stand, in code points and in order."""
        data = text.encode("utf-8", "surrogatepass")
        found = sorted(
            (one.location["start_offset"], one.location["end_offset"])
            for one in self._scan(data)
            if one.visible and one.confidence in _CONFIDENT and issued(one.secret)
        )
        places = _points(data, sorted({0, *(edge for span in found for edge in span)}))
        return [(places[start], places[end]) for start, end in found]


def _points(data: bytes, offsets: list[int]) -> dict[int, int]:
    """Offsets of UTF-8 bytes, in order and from 0, as code points; every byte is decoded once at most."""
    points = {0: 0}
    for low, high in pairwise(offsets):
        points[high] = points[low] + len(data[low:high].decode("utf-8", "surrogatepass"))
    return points
