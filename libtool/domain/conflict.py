"""Conflict markers of git: which lines they are, and the versions that they hold."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKS = (re.compile(r"<{7}(?: |$)"), re.compile(r"\|{7}(?: |$)"), re.compile(r"={7}$"), re.compile(r">{7}(?: |$)"))
_OURS, _BASE, _MIDDLE, _THEIRS = range(4)


def markers(lines: Sequence[str]) -> list[int]:
    """The indices of the lines that are markers; `=======` only between two others, since it may underline a heading."""
    return [at for at, _ in _kinds(lines)]


def versions(lines: Sequence[str]) -> list[list[str]]:
    """The texts that the markers stand for: ours, theirs, and the base where git wrote it; one when the markers make no sense."""
    found = dict(_kinds(lines))
    if not found:
        return [list(lines)]
    texts: list[list[str]] = [[], [], []]
    writes_to: tuple[int, ...] = (0, 1, 2)
    expected = {_OURS}
    for at, line in enumerate(lines):
        kind = found.get(at)
        if kind is None:
            for number in writes_to:
                texts[number].append(line)
        elif kind not in expected:
            return [[text for place, text in enumerate(lines) if place not in found]]
        else:
            writes_to = ((0,), (2,), (1,), (0, 1, 2))[kind]
            expected = ({_BASE, _MIDDLE}, {_MIDDLE}, {_THEIRS}, {_OURS})[kind]
    if expected != {_OURS}:
        return [[text for place, text in enumerate(lines) if place not in found]]
    return texts if _BASE in found.values() else texts[:2]


def _kinds(lines: Sequence[str]) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    inside = False
    for at, line in enumerate(lines):
        kind = next((kind for kind, mark in enumerate(_MARKS) if line[:1] in "<|=>" and mark.match(line)), None)
        if kind is None or (kind == _MIDDLE and not inside):
            continue
        inside = kind != _THEIRS
        found.append((at, kind))
    return found
