"""What looks like a login and was left alone, since nothing around it says so or a filter turned it down: for a person to decide."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.domain.lazy import lazy
from libtool.domain.redact.fallback import is_certain
from libtool.domain.redact.values import LOGIN_WORD, is_random, plausible

if TYPE_CHECKING:
    from collections.abc import Iterator

_TOKEN = lazy(r"(?<![^\s\"'`<>(\[{=:,;|])[!#-&*-;=?-Z^_a-~]{8,200}")
_EDGES = ".,;:!?*_[](){}"
_BEFORE, _BEHIND = 80, 40
"""Characters around a token, on its line, in which a word about logins says more than the token itself."""


def nearly(text: str) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whether a word about logins stands near) of each token of a redacted text that no one would write by chance."""
    for match in _TOKEN.finditer(text):
        bare = match[0].strip(_EDGES)
        start = match.start() + match[0].index(bare)
        if "REDACTED" in bare or len(bare) < 8 or not is_certain(bare) or not plausible(bare):
            continue
        end = start + len(bare)
        before = text[max(0, start - _BEFORE) : start].rpartition("\n")[2]
        behind = text[end : end + _BEHIND].partition("\n")[0]
        near = LOGIN_WORD.search(before) is not None or LOGIN_WORD.search(behind) is not None
        if near or is_random(bare):
            yield start, end, near
