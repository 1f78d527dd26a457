"""The top-level headings of a markdown text as mistune reads them. Imports mistune (37 ms) when it is first used.

Source: mistune 3.4, `BlockParser`; its tokens hold no positions, so the parser's own methods note where they matched.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from mistune.block_parser import BlockParser
    from mistune.core import BlockState


_PLAIN = re.compile(r"(?:(?:##? [A-Za-z0-9][^\n]*\n)?\n|(?:- (?:[0-9]{4}-[0-9]{2}-[0-9]{2}: )?|  )?[A-Za-z][^\n]*(?:\n|\Z))*")
"""Headings before blank lines, items, and lines that begin with a letter: whatever stands in them, no parser can find other headings there.
Most entries are no more than that, and are spared 37 ms."""


def outline(text: str) -> list[tuple[int, int]]:
    """(line from 1, level) of each heading of level 1 or 2 that stands in no quote, list, fence or HTML block."""
    if _PLAIN.fullmatch(text):
        return [(at, line.index(" ")) for at, line in enumerate(text.split("\n"), 1) if line.startswith("#")]
    parser, found = _parser()
    state = parser.state_cls()
    state.process(text if text.endswith("\n") else text + "\n")
    found.clear()
    parser.parse(state)
    starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
    return [(bisect_right(starts, at), level) for at, level in sorted(found) if level <= 2]


@lru_cache(maxsize=1)
def _parser() -> tuple[BlockParser, list[tuple[int, int]]]:
    """A parser, and the list in which it notes (offset, level)."""
    from mistune.block_parser import BlockParser

    found: list[tuple[int, int]] = []

    class Noting(BlockParser):
        """Notes the headings of the outermost level."""

        def parse_atx_heading(self, m: re.Match[str], state: BlockState) -> int:
            if state.parent is None:
                found.append((m.start(), len(m["atx_1"])))
            return super().parse_atx_heading(m, state)

        def parse_setex_heading(self, m: re.Match[str], state: BlockState) -> int | None:
            last = state.last_token()
            if state.parent is None and last and last["type"] == "paragraph":
                found.append((m.start(), 1 if m["setext_1"] == "=" else 2))
            return super().parse_setex_heading(m, state)

    return Noting(), found
