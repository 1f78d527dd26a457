"""Patterns that are compiled when they are first used: a large character class costs milliseconds, and a cold search needs few of them."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class _Lazy:
    """Stands for a compiled pattern."""

    __slots__ = ("_compiled", "_flags", "_source")

    def __init__(self, source: str, flags: int) -> None:
        self._source = source
        self._flags = flags
        self._compiled: re.Pattern[str] | None = None

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the pattern has
        if self._compiled is None:
            self._compiled = re.compile(self._source, self._flags)
        return getattr(self._compiled, name)


def pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """What `re.compile` gives, but compiled at its first use."""
    return _Lazy(source, flags)  # type: ignore[return-value]
