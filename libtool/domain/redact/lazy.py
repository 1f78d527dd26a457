"""Patterns that are compiled when they are first used: most runs need few of them, and compiling all costs 30 ms."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

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
    return _Lazy(source, flags)  # type: ignore[return-value]  # it stands for one


_BEFORE_A_LETTER = lazy(r"\(\?-i:|\(\?<[!=]\[[^\]]*\]\)|\(\?:|\\")


def by_first_letter(forms: Callable[[], Iterable[str]], rest: str = "") -> Callable[[str, int], re.Match[str] | None]:
    """A matcher of alternatives, case ignored, that tries only those which can begin with the letter at the place.

    `forms` makes them when the first is asked for. Each begins with a letter, behind groups that open and looks behind. `rest` follows
    them all.
    """
    patterns: dict[str, re.Pattern[str]] = {}

    def match(text: str, at: int) -> re.Match[str] | None:
        if not patterns:
            by_letter: dict[str, list[str]] = {}
            for form in forms():
                by_letter.setdefault(_BEFORE_A_LETTER.sub("", form)[:1].lower(), []).append(form)
            patterns.update((first, lazy(f"(?i:{'|'.join(several)}){rest}")) for first, several in by_letter.items())
        pattern = patterns.get(text[at : at + 1].lower())
        return pattern.match(text, at) if pattern is not None else None

    return match
