"""Patterns that are compiled when they are first used: a large character class costs milliseconds, and most runs need few of them."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_METHODS = ("match", "search", "fullmatch", "findall", "finditer", "sub", "split")


class _Lazy:
    """Stands for a pattern; after the first use its methods are the pattern's own, at their full speed."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the pattern has there
        pattern = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(pattern, method))
        return getattr(pattern, name)


def lazy(source: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, but compiled at its first use."""
    return _Lazy(source, flags)  # type: ignore[return-value]  # it stands for one
