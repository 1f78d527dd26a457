"""A line of a review as a label: a heading of any kind, bold or plain words before a colon, a tag, the first cell of a table."""

from __future__ import annotations

import re
from typing import NamedTuple

from libtool.domain.review.labels import END, TOPIC, section

_ATX = re.compile(r"\s{0,3}(#{1,6})[ \t]*(?![#!])(\S.*)$")
_BOLD = re.compile(
    r"\s*(?:[-*+•][ \t]+|\d{1,2}[.)][ \t]+)?[^\w\s*]{0,3}\s*(\*\*\*?|__)(?=\S)(.{1,80}?)\1[ \t]*[:\uff1a—\u2013-]?[ \t]*(.*)$"
)
_PLAIN = re.compile(r"\s*([-*+•][ \t]+|\d{1,2}[.)][ \t]+)?([^:\uff1a|`<>\"]{1,40}?)[ \t]*[:\uff1a][ \t]*(.*)$")
_BARE = re.compile(r"\s*\[?([^\W\d][\w /'-]{1,30})\]?\s*$")
_TAG = re.compile(r"\s*<(/?)([A-Za-z_-]{3,20})>[ \t]*(.*)$")
_CELLS = re.compile(r"\s*\|([^|]{1,40})\|(.+)$")
UNDERLINE = re.compile(r"\s{0,3}(=+|-{3,})\s*$")
BOLD_LEVEL, PLAIN_LEVEL = 7, 8
_LOOKED_AT = 1000
"""Characters of a line that are looked at for a label: what stands behind it may be of any length."""


class Label(NamedTuple):
    """What names the lines below it."""

    level: int
    """1 to 6 a heading, BOLD_LEVEL bold or a tag, PLAIN_LEVEL other words."""
    text: str
    name: str | None
    """The section or TOPIC that it names; None: neither; END: a tag that closes."""
    rest: str
    """What stands behind it on the line."""


def label_of(line: str, *, following: str = "", headed: bool = False) -> Label | None:
    """The label that a line is; None for text. `following` is the next line: it may underline this one.

    `headed`: the sections of this text are headings, so that bold and plain words count only where they are a section's plain name.
    """
    line, beyond = line[:_LOOKED_AT], line[_LOOKED_AT:]
    label = _label(line, following[:_LOOKED_AT], headed=headed)
    return label._replace(rest=label.rest + beyond) if label and beyond else label


def _label(line: str, following: str, *, headed: bool) -> Label | None:
    if (found := _ATX.match(line)) is not None:
        return _heading(len(found[1]), found[2].rstrip("# \t"))
    if line.strip() and (under := UNDERLINE.match(following)) and (section(line) or under[1][0] == "="):
        return _heading(1 if under[1][0] == "=" else 2, line)
    return _bold(line, headed) or _tag(line) or _cells(line, headed) or _plain(line, headed)


def _heading(level: int, text: str) -> Label:
    text = text.strip().strip("*_").strip()
    name = section(text)
    if name is None:
        head, colon, rest = text.replace("\uff1a", ":", 1).partition(":")
        name = section(head) if colon else None
        if name is not None:
            return Label(level, head.strip(), name, rest.strip(" *_"))
    return Label(level, text, name, "")


def _bold(line: str, headed: bool) -> Label | None:
    found = _BOLD.match(line)
    name = section(found[2], strict=headed) if found else None
    if found is None or name is None or (headed and found[3] and line.lstrip()[:1] in "-+•*" and not line.lstrip().startswith("**")):
        return None
    return Label(BOLD_LEVEL, found[2].strip(" :\uff1a"), name, found[3].strip())


def _tag(line: str) -> Label | None:
    found = _TAG.match(line)
    name = section(found[2], strict=True) if found else None
    if found is None or (name is None and found[2].lower() not in ("topic", "entry", "title")):
        return None
    if found[1]:
        return Label(BOLD_LEVEL, found[2], END, found[3])
    return Label(BOLD_LEVEL, found[2], name or TOPIC, found[3].strip().removesuffix(f"</{found[2]}>").strip())


def _cells(line: str, headed: bool) -> Label | None:
    found = _CELLS.match(line)
    name = section(found[1]) if found and not headed else None
    name = name if found and (name == TOPIC or section(found[1], strict=True)) else None
    return Label(PLAIN_LEVEL, found[1].strip(), name, found[2].strip(" |")) if found and name else None


def _plain(line: str, headed: bool) -> Label | None:
    found = _PLAIN.match(line)
    if found is None:
        bare = _BARE.match(line)
        name = section(bare[1], strict=not bare[1].isupper()) if bare else None
        alone = bare and name and not headed and (bare[1][:1].isupper() or not bare[1].isascii())
        return Label(PLAIN_LEVEL, bare[1], name, "") if bare and alone else None
    strict = headed or bool(found[1]) or bool(found[3])
    name = section(found[2], strict=strict) or (TOPIC if section(found[2]) == TOPIC else None)
    if name is None or (found[1] and (headed or name == TOPIC)):
        return None
    return Label(PLAIN_LEVEL, found[2].strip(), name, found[3].strip())
