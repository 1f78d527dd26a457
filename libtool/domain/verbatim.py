"""Where a code fence or an HTML block of markdown ends: inside one, `## x` is no heading.

Source: CommonMark 0.31.2, sections 4.5 (fenced code) and 4.6 (HTML blocks).
"""

from __future__ import annotations

import re
from bisect import bisect_right

from libtool.domain.lazy import lazy
from libtool.domain.schema import SECTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PLAIN = {f"## {name}": name for name in SECTIONS}
"""The one way to write the heading of each section."""
MAY_OPEN = ("```", "~~~", "<")
"""A text that holds none of these has no such block."""
_FENCE = lazy(r" {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$")
_RAW = lazy(r" {0,3}(?:<(script|pre|style|textarea)(?=[ \t>]|$)|(<!--)|(<\?)|(<!\[CDATA\[)|(<![A-Za-z]))", re.IGNORECASE)
_RAW_ENDS = ("-->", "?>", "]]>", ">")
_RAW_CLOSE = lazy(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav noframes ol "
    "optgroup option p param search section summary table tbody td tfoot th thead title tr track ul"
).split()
_BLOCK_TAG = lazy(rf" {{0,3}}</?(?:{'|'.join(_TAGS)})(?:[ \t]|/?>|$)", re.IGNORECASE)
_ATTRIBUTE = r"[ \t]+[A-Za-z_:][\w.:-]*(?:[ \t]*=[ \t]*(?:[^ \t\"'=<>`]+|'[^']*'|\"[^\"]*\"))?"
_ANY_TAG = lazy(rf" {{0,3}}(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*[ \t]*/?>|</[A-Za-z][A-Za-z0-9-]*[ \t]*>)[ \t]*$", re.ASCII)


def _raw_end(opening: re.Match[str]) -> tuple[re.Pattern[str], str]:
    """(what ends the block, as it may be written) of one of CommonMark's HTML blocks 1 to 5."""
    if opening[1]:
        return _RAW_CLOSE, f"</{opening[1]}>"
    end = _RAW_ENDS[(opening.lastindex or 0) - 2]
    return re.compile(re.escape(end)), end


def indent(line: str) -> int:
    """The spaces that a line begins with."""
    return len(line) - len(line.lstrip(" "))


class Verbatim:
    """The blocks of some lines (without trailing blanks). Each question costs what the block is long, never what the rest is."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._headings = [at for at, line in enumerate(lines) if line in PLAIN]
        self._unclosed: set[tuple[str, int]] = set()

    def end(self, at: int, *, within: int = 0, paragraph: bool = False) -> tuple[int, str]:
        """(the index behind the block that opens at a line, what is missing to close it); `at` itself when none opens there.

        `within` is the indent of the list item that the line stands in: a less indented line ends the block with the item. After a line
        of a `paragraph` not every tag opens a block. One that nothing closes ends before the next plain heading of a section.
        """
        line = self._lines[at][within:]
        if not line.lstrip(" ").startswith(MAY_OPEN):
            return at, ""
        fence = _FENCE.match(line)
        if fence is not None:
            mark = fence[1] or fence[2]
            closing = re.compile(rf"^ {{0,3}}{mark[0]}{{{len(mark)},}}$")
            return self._closed(at + 1, (mark, within), closing, " " * within + mark)
        raw = _RAW.match(line)
        if raw is not None:
            closing, name = _raw_end(raw)
            if closing.search(line, raw.end()):
                return at + 1, ""
            return self._closed(at + 1, (name.lower(), within), closing, " " * within + name)
        if _BLOCK_TAG.match(line) or (not paragraph and _ANY_TAG.match(line)):
            while at < len(self._lines) and self._lines[at] and indent(self._lines[at]) >= within:
                at += 1
        return at, ""

    def _closed(self, start: int, kind: tuple[str, int], closing: re.Pattern[str], closer: str) -> tuple[int, str]:
        within = kind[1]
        if kind not in self._unclosed:
            for at in range(start, len(self._lines)):
                line = self._lines[at]
                if line and indent(line) < within:
                    return at, ""
                if closing.search(line[within:]):
                    return at + 1, ""
            # A file may hold thousands that nothing closes; the rest is searched for each kind once.
            self._unclosed.add(kind)
        following = bisect_right(self._headings, start - 1)
        return (self._headings[following] if following < len(self._headings) else len(self._lines)), closer
