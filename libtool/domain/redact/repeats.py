"""What a rule says of text that repeats itself, asked once: no megabyte of one label after the other costs more than it is worth.

Most rules look at a bounded stretch around their trigger, so where the same stretch comes again, they find the same again.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from libtool.domain.redact.rule import Rule, Span

BEFORE, BEHIND = 200, 600
"""Characters around the start of a trigger that a rule may look at."""
LEAST, DENSE = 500, 48
"""Triggers of a text, and characters for each of them, from which on it is worth to remember."""
REMEMBERED = 20_000
"""Stretches that are remembered, at most."""


def is_dense(text: str, triggers: Sequence[object]) -> bool:
    """Whether a text has so many triggers that asking every rule at each would be slow."""
    return len(triggers) > LEAST and len(triggers) * DENSE > len(text)


class Repeats:
    """Asks the rules about one text, and remembers what they say of each stretch of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._said: dict[tuple[int, int, str], tuple[list[Span], int]] = {}
        self._start = -1
        self._stretch = ""

    def spans(self, index: int, rule: Rule, start: int, end: int) -> tuple[list[Span], int]:
        """As `Rule.spans`; `index` stands for the rule."""
        low = max(0, start - BEFORE)
        if start != self._start:
            self._start, self._stretch = start, self._text[low : start + BEHIND]
        if rule.far and (rule.far == "always" or "\n" in self._stretch):
            return rule.spans(self._text, start, end)
        key = (index, end - low, self._stretch)
        said = self._said.get(key)
        if said is not None:
            return [(start + a, start + b) for a, b in said[0]], start + said[1]
        found, upto = rule.spans(self._text, start, end)
        if max((upto, *(b for _, b in found))) < start + BEHIND:
            if len(self._said) >= REMEMBERED:
                self._said.clear()
            self._said[key] = [(a - start, b - start) for a, b in found], upto - start
        return found, upto
