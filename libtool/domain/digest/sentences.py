"""Prose, as people and models write it in markdown, to single sentences and list items on one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.lazy import pattern

if TYPE_CHECKING:
    import re

HEADING, ITEM, PLAIN = "h", "i", "p"
LONGEST, SHORTEST = 260, 16
"""Characters: a longer sentence is cut at a word, a shorter one says too little to stand alone."""
_LINE_LIMIT = 4_000
"""Characters of one line that are looked at: more is a table, a log or data."""
_HEADING = pattern(r"#{1,6}\s+(.*)")
_ITEM = pattern(r"(?:[-*+\u2022]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(.*)")
_END = pattern(r"(?<=[.!?;])[\"')]{0,2}\s+(?=[\w`\"'(*])|(?<=[\u3002\uff01\uff1f\uff1b])|\s[\u2014\u2013]\s")
_MARKS = pattern(r"\*\*|__|`|^(?:\s?>)+\s?|^\|\s*|\s*\|$")
_MARKED = frozenset("*_`>|")
_LINK = pattern(r"!?\[([^\]\n]{0,300})\]\(([^)\s]{0,500})\)")
_CELLS = pattern(r"\s*\|\s*")
_OPENERS = pattern(
    r"(?:(?:now|next|then|so|ok(?:ay)?|great|good|perfect|excellent|alright|first|finally|also|all done|done|yes|right|sure)\b[,.!:]?\s*)+"
)
_WEAK = pattern(
    r"\b(?:the|an?|currently|simply|just|actually|basically|properly|correctly|successfully|please|existing|in order(?= to)|"
    r"there (?:is|are)|it (?:is|was)|we (?:need|have) to|i(?:'ll| will| need to)|let me|let's)\s+"
)
"""Words that a note does without: every byte of a digest is paid for by the agents that read it."""
_RULE = frozenset("|-:=_*~ \t")
_FOREIGN_REF = pattern(r"\bref: \S|\((?:[a-z][a-z-]{1,20}):[0-9A-Za-z_-]{6,80}(?:#\d{1,9})?\)|\b(?:entry|digest):[a-z0-9][a-z0-9:-]{3,}")
"""How lib cites a source: a sentence with such a mark was told by the library, and must not come back as news."""


class Sentence(NamedTuple):
    """A sentence, or a part of one between dashes: its text on one line, free of markdown; its kind; the number of its line in the text."""

    text: str
    kind: str
    line: int


def sentences(text: str, *, fenced: bool = False) -> tuple[list[Sentence], bool]:
    """The sentences of a text outside its code blocks, and whether it ends inside one; `fenced` when it begins inside one. Linear.

    What cites a source as lib does is left out: it is what the library told the session.
    """
    found: list[Sentence] = []
    for number, line in enumerate(text.split("\n")):
        bare = line.strip()
        if bare.startswith(("```", "~~~")):
            fenced = not fenced
        elif bare and not fenced and not _RULE.issuperset(bare):
            kind, body = _kind(bare[:_LINE_LIMIT])
            for part in _END.split(body):
                if len(part) >= SHORTEST and not _FOREIGN_REF.search(part):
                    tidied = tidy(part)
                    if len(tidied) >= SHORTEST:
                        found.append(Sentence(tidied, kind, number))
    return found, fenced


def _kind(line: str) -> tuple[str, str]:
    """What a line is, and its text without the mark of that."""
    first = line[0]
    if first == "#" and (match := _HEADING.match(line)) is not None:
        return HEADING, match[1]
    if (first in "-*+\u2022" or first.isdecimal()) and (match := _ITEM.match(line)) is not None:
        return ITEM, match[1]
    return PLAIN, line


def tidy(text: str) -> str:
    """A sentence without markdown, openers and weak words, on one line, at most LONGEST characters, and no markup at its start."""
    if not _MARKED.isdisjoint(text):
        text = _MARKS.sub("", text)
    if "](" in text:
        text = _LINK.sub(_label, text)
    if "|" in text:
        text = _CELLS.sub(", ", text)
    text = _without_weak(" ".join(text.split()))
    if len(text) > LONGEST:
        text = text[:LONGEST].rsplit(" ", 1)[0]
    return text.lstrip("#>*+-=|~ ").rstrip(" :;,*")


def _without_weak(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        # Some letters change their length with their case: then places in one are not places in the other.
        return text
    opener = _OPENERS.match(lower)
    kept, at = [], opener.end() if opener else 0
    for match in _WEAK.finditer(lower, at):
        kept.append(text[at : match.start()])
        at = match.end()
    kept.append(text[at:])
    return "".join(kept)


def _label(match: re.Match[str]) -> str:
    label, target = match[1], match[2]
    return f"{label} {target}" if target.startswith(("http://", "https://")) and label != target else label or target
