"""What a rule says of text that repeats itself, asked once: no megabyte of one label after the other costs more than it is worth.

Most rules look at a bounded stretch around their trigger, so where the same stretch comes again, they find the same again.
"""

from __future__ import annotations

from libtool.domain.redact.table import ISSUED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.domain.redact.rule import Rule, Span
    from libtool.domain.redact.table import Wake

BEFORE, BEHIND = 200, 600
"""Characters around the start of a trigger that a rule may look at."""
REMEMBERED = 20_000
"""Stretches that are remembered, at most."""


class Repeats:
    """Asks the rules about one text, and remembers what they say of each stretch of it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._said: dict[tuple[int, int, str], tuple[list[Span], int]] = {}
        self._woken: dict[tuple[Wake, int, str], list[tuple[int, Rule]]] = {}
        self._start = self._low = -1
        self._stretch = ""

    def _look_at(self, start: int) -> int:
        """Take the stretch around a place; returns where it begins."""
        if start != self._start:
            self._start, self._low = start, max(0, start - BEFORE)
            self._stretch = self._text[self._low : start + BEHIND]
        return self._low

    def woken(self, wake: Wake, start: int, end: int) -> list[tuple[int, Rule]]:
        """Those of the rules that a literal wakes at its place which may find something there; the others are asked at its first time."""
        key = (wake, end - self._look_at(start), self._stretch)
        known = self._woken.get(key)
        if known is None:
            known = [one for one in wake.rules or wake.load() if self._matters(*one, start, end)]
            if len(self._woken) >= REMEMBERED:
                self._woken.clear()
            self._woken[key] = known
        return known

    def _matters(self, index: int, rule: Rule, start: int, end: int) -> bool:
        if rule.far or index < ISSUED:
            return True
        found, upto = self.spans(index, rule, start, end)
        return bool(found) or upto > end

    def spans(self, index: int, rule: Rule, start: int, end: int) -> tuple[list[Span], int]:
        """As `Rule.spans`; `index` stands for the rule."""
        low = self._look_at(start)
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
