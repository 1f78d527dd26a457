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
        self._below: dict[tuple[States, str], States] = {}

    def agent_of(self, states: States, name: str) -> str:
        """The agent whose pattern a file of this name completes; empty when none."""
        for number, at in sorted(states):
            parts = self.parts[number]
            if at == len(parts) - 1 and name_matcher(parts[at])(name):
                return self.agents[number]
        return ""

    def below(self, states: States, name: str, *, fresh: bool) -> States:
        """The states in the subfolder `name`; `fresh` adds the beginnings of all patterns."""
        key = states, name
        if key not in self._below:
            self._below[key] = self._opened(
                {
                    (number, at if self.parts[number][at] == "**" else at + 1)
                    for number, at in states
                    if at < len(self.parts[number]) - 1 and self._leads(self.parts[number][at], name)
                }
            )
        return self._below[key] | self.start if fresh else self._below[key]

    def _leads(self, part: str, name: str) -> bool:
        return not name.startswith(".") if part == "**" else name_matcher(part)(name)

    def _opened(self, states: set[tuple[int, int]]) -> States:
        """States, and those reached by letting `**` stand for no folder."""
        opened = set(states)
        for number, first in states:
            at = first
            while self.parts[number][at] == "**" and at < len(self.parts[number]) - 1:
                at += 1
                opened.add((number, at))
        return frozenset(opened)
