"""The lines of a section as its items, those of an Answer as its paragraphs: words are kept, markup of lists, tables and fences is not."""

from __future__ import annotations

import re
from typing import NamedTuple

from libtool.domain.review.labels import answers_nothing, is_nothing
from libtool.domain.review.lines import UNDERLINE

_MARK = re.compile(r"(\s*)(?:[-*+•‣▪●○◦\u2013—·][ \t]+|\d{1,3}(?:[.)][ \t]+|、)|[\uff08(]\d{1,2}[)\uff09][ \t]*)(.*)$")
_BOX = re.compile(r"\[([ xX✓✔])\][ \t]*")
_FENCE = re.compile(r"\s*(?:`{3,}|~{3,})")
DONE = "done: "
"""Before a task that was ticked off."""


class Line(NamedTuple):
    """A line of a section; `code` when it stood in a fence that holds no section."""

    text: str
    code: bool = False
    ends: bool = False
    """Whether the fence around a whole answer closes here: what follows is no part of a section."""


def items(lines: list[Line]) -> tuple[str, ...]:
    """The items, each on one line: a marker or a blank line begins one, a deeper marker goes on with the one above."""
    found: list[str] = []
    indents = [len(match[1].expandtabs(4)) for line in lines if not line.code and (match := _MARK.match(line.text))]
    outer = min(indents, default=0)
    going = False
    for line in _tables(lines):
        text = line.text.rstrip()
        if line.code:
            going = _append(found, f"`{text.strip().replace('`', chr(39))}`", going=bool(found)) if text.strip() else going
            continue
        if not text.strip() or _FENCE.fullmatch(text) or UNDERLINE.match(text) or _is_table_rule(text):
            going = False
            continue
        match = _MARK.match(text)
        if match is not None:
            nested = len(match[1].expandtabs(4)) > outer + 1 and bool(found)
            going = _append(found, _boxed(match[2]), going=nested, link="; ")
        else:
            going = _append(found, _row(text), going=going and not _cells(text))
    return tuple(item for item in found if not is_nothing(item))


def paragraphs(lines: list[Line]) -> tuple[str, ...]:
    """The paragraphs of an Answer, each on one line; items of a list begin with `- `."""
    found: list[str] = []
    going = False
    for line in _tables(lines):
        text = line.text.rstrip()
        if line.code:
            going = _append(found, f"`{text.strip().replace('`', chr(39))}`", going=going) if text.strip() else going
        elif not text.strip() or _FENCE.fullmatch(text) or UNDERLINE.match(text) or _is_table_rule(text):
            going = False
        elif (match := _MARK.match(text)) is not None:
            going = _append(found, f"- {_boxed(match[2])}", going=False)
        else:
            going = _append(found, _row(text), going=going and not _cells(text))
    return tuple(one for one in found if not answers_nothing(one.removeprefix("- ")))


def is_listed(text: str) -> bool:
    """Whether a line is an item of a list or a row of a table."""
    return _MARK.match(text) is not None or bool(_cells(text))


def _append(found: list[str], text: str, *, going: bool, link: str = " ") -> bool:
    """Go on with the last text, or begin another; whether one is open now."""
    if going and found:
        found[-1] = f"{found[-1].rstrip()}{link}{text}" if found[-1] else text
    else:
        found.append(text)
    return True


def _is_table_rule(text: str) -> bool:
    return "|" in text and "-" in text and not text.strip(" \t:|-")


def _boxed(text: str) -> str:
    """A task without its box; a ticked one says that it is done."""
    box = _BOX.match(text)
    if box is None:
        return text
    return (DONE if box[1].strip() else "") + text[box.end() :]


def _row(text: str) -> str:
    """A row of a table as its cells; any other line as it is."""
    cells = _cells(text)
    return "; ".join(filter(None, cells)) if cells else text.strip()


def _cells(text: str) -> list[str]:
    """The cells of a row of a table; none for any other line."""
    bare = text.strip()
    return [cell.strip() for cell in bare.strip("|").split("|")] if bare.startswith("|") and bare.count("|") > 1 else []


def _tables(lines: list[Line]) -> list[Line]:
    """The lines, with the head of a table said in each of its rows: a row is read alone."""
    found: list[Line] = []
    head: list[str] = []
    for at, line in enumerate(lines):
        cells = [] if line.code else _cells(line.text)
        following = lines[at + 1] if at + 1 < len(lines) else Line("", code=True)
        if cells and not head and not following.code and _is_table_rule(following.text):
            head = cells
            continue
        head = head if cells else []
        if head and len(cells) == len(head) and not _is_table_rule(line.text):
            said = [f"{name}: {cell}" if at and name and cell else cell for at, (name, cell) in enumerate(zip(head, cells, strict=True))]
            found.append(Line(f"| {' | '.join(said)} |"))
        else:
            found.append(line)
    return found
