"""Path patterns such as `.specstory/history/*.md`, matched one name at a time while a tree is walked.

A pattern may begin in any folder. What is carried from a folder to its subfolder is the set of states: (pattern, part to match next).
"""

from __future__ import annotations

import fnmatch
import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

States = frozenset[tuple[int, int]]
"""(number of a pattern, number of its part that comes next)."""


@cache
def name_matcher(part: str) -> Callable[[str], bool]:
    """Whether a name matches one part of a pattern. Case matters; a wildcard at the start does not match a hidden name."""
    fullmatch = re.compile(fnmatch.translate(part)).match
    if part.startswith("."):
        return lambda name: fullmatch(name) is not None
    return lambda name: not name.startswith(".") and fullmatch(name) is not None


class PatternSet:
    """The project patterns of all agents."""

    def __init__(self, patterns: Mapping[str, tuple[str, ...]]) -> None:
        pairs = [(agent, pattern) for agent, each in patterns.items() for pattern in each]
        self.agents = [agent for agent, _ in pairs]
        self.parts = [tuple(pattern.split("/")) for _, pattern in pairs]
        self.sign = "|".join(f"{agent}:{pattern}" for agent, pattern in pairs)
        """Changes when the patterns change."""
        self.start = self._opened({(number, 0) for number in range(len(pairs))})
        self._branches: dict[States, tuple[_Branch, _Branch]] = {}

    def agent_of(self, states: States, name: str) -> str:
        """The agent whose pattern a file of this name completes; empty when none."""
        found = self._branch(states)[0].matching(name)
        return self.agents[min(found)[0]] if found else ""

    def below(self, states: States, name: str, *, fresh: bool) -> States:
        """The states in the subfolder `name`; `fresh` adds the beginnings of all patterns."""
        begun = self._branch(states)[1].matching(name)
        if not begun:
            return self.start if fresh else frozenset()
        opened = self._opened({(number, at if self.parts[number][at] == "**" else at + 1) for number, at in begun})
        return opened | self.start if fresh else opened

    def _branch(self, states: States) -> tuple[_Branch, _Branch]:
        """The states that a file's name may complete, and those that a folder's name may carry on."""
        if states not in self._branches:
            final, leading = _Branch(), _Branch()
            for number, at in sorted(states):
                (final if at == len(self.parts[number]) - 1 else leading).add(self.parts[number][at], (number, at))
            self._branches[states] = final, leading
        return self._branches[states]

    def _opened(self, states: set[tuple[int, int]]) -> States:
        """States, and those reached by letting `**` stand for no folder."""
        opened = set(states)
        for number, first in states:
            at = first
            while self.parts[number][at] == "**" and at < len(self.parts[number]) - 1:
                at += 1
                opened.add((number, at))
        return frozenset(opened)


class _Branch:
    """States by the part that they wait for: plain names are looked up, only wildcards are tried one after the other."""

    def __init__(self) -> None:
        self.named: dict[str, list[tuple[int, int]]] = {}
        self.wild: list[tuple[Callable[[str], bool], tuple[int, int]]] = []

    def add(self, part: str, state: tuple[int, int]) -> None:
        if part == "**":
            self.wild.append((lambda name: not name.startswith("."), state))
        elif any(mark in part for mark in "*?["):
            self.wild.append((name_matcher(part), state))
        else:
            self.named.setdefault(part, []).append(state)

    def matching(self, name: str) -> list[tuple[int, int]]:
        return [*self.named.get(name, ()), *(state for matches, state in self.wild if matches(name))]
