"""Patterns that are compiled when they are first used: most runs need few of them, and compiling all costs 30 ms."""

from __future__ import annotations

import re
from typing import Any, cast

_METHODS = ("match", "search", "fullmatch", "findall", "finditer", "sub", "split")


class _Lazy:
    """Stands for a pattern; after the first use its methods are the pattern's own, at their full speed."""

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the pattern has there
        if name not in _METHODS:
            raise AttributeError(name)
        pattern = re.compile(self._source, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(pattern, method))
        return getattr(self, name)


def lazy(source: str, flags: int = 0) -> re.Pattern[str]:
    """Like `re.compile`, for the methods in `_METHODS`."""
    return cast("re.Pattern[str]", _Lazy(source, flags))
