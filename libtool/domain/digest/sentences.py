"""Prose, as people and models write it in markdown, to single sentences and list items on one line each."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.lazy import pattern

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

HEADING, ITEM, PLAIN, INTRO, INTENT = "h", "i", "p", "c", "n"
"""Kinds; INTRO ends with a colon, INTENT says what the speaker is about to do: both tell little by themselves."""
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
_FILE = r"[\w@~./\[\]-]*\w\.[A-Za-z]{1,5}"
_LED = pattern(
    r"(?:\d{1,2}[.)]\s+)?(?:(?:in|(?:new )?files?|modify|modified|edit|updated?|created?|new|path|location|(?:file )?to modify)\b:?\s+)?"
    rf"\[?({_FILE})(?::\d[\d,\u2013-]*)?\]?(?:\([^)\s]*\))?(?:\s*\([^()]{{0,60}}\))?(?:\s*[:\u2014\u2013,|]\s*|\s+-+\s+|\s*$)(.*)",
    re.IGNORECASE,
)
"""A line that begins with the file it is about."""
_PLACE = pattern(
    r"(?<=\w)(\.(?!com\b|org\b|net\b|io\b|dev\b|local\b)[A-Za-z]{1,5}):\d+(?:[-\u2013]\d+)?(?!\w)"
    r"|\s\((?:around |at |near |~)*(?:lines?|L) ?~?\d[^()]{0,40}\)|,? (?:at|around|on|near) lines? ~?\d+(?:[-\u2013]\d+)?"
)
"""Numbers of lines: the next commit makes them wrong."""
_LOGGED = pattern(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d{1,2}:\d\d:\d\d\b|(?:\u279c|\u276f|[$%]|>>>|\.\.\.) |at \S+ \(?\S+:\d+|"
    r"(?:npm|info|warn|warning|debug|trace|notice)\b[: ]+\W|[\w.-]+@[\w.-]+[:~ ]\S*[$#%] |[\u2500-\u257f\u2580-\u259f\u23bf\u23fa]"
)
"""What a program printed, or a shell, and somebody pasted."""
_INTENT = pattern(
    r"(?:(?:now|next|then|so|ok(?:ay)?|great|good|perfect|first|also|and|actually)\b[,.!:]?\s*)*(?:(?:let me|let's|let\u2019s|let us|"
    r"i'll|i\u2019ll|i will|i need to|i should|we need to check|i(?:'m|\u2019m) (?:going to|about to|checking|looking|reading|running|"
    r"updating|adding)|check|verify|run|look|read|see (?:if|what|how|whether)|find|search|explore|examine|start (?:with|by)|continue with|"
    r"proceed|try|skip|replace all|double[- ]check)\b)",
    re.IGNORECASE,
)
_EMPTY_LEAD = pattern(r"here|there|summary|changes|what|key |example|for example|note|result|output|like this|such as|as follows", re.IGNORECASE)
LONGEST_LEAD = 140
FEWEST_BLANKS, MOST_MARKS = 2, 0.55
_RULE = frozenset("|-:=_*~ \t")
_FOREIGN_REF = pattern(r"\bref: \S|\((?:[a-z][a-z-]{1,20}):[0-9A-Za-z_-]{6,80}(?:#\d{1,9})?\)|\b(?:entry|digest):[a-z0-9][a-z0-9:-]{3,}")
"""How lib cites a source: a sentence with such a mark was told by the library, and must not come back as news."""


class Sentence(NamedTuple):
    """A sentence, or a part of one between dashes: its text on one line, free of markdown; its kind; the number of its line in the text.

    `about` is the file that its line or the heading over it names, when the sentence itself does not.
    """

    text: str
    kind: str
    line: int
    about: str = ""


class Reader:
    """Takes a message apart, piece by piece; `state` carries over what is open at the end of a piece. Linear."""

    def __init__(self, state: Sequence[Any] = ()) -> None:
        self._fenced, self._head, self._item, self._indent, self._lead = state or (False, "", "", -1, "")

    def state(self) -> list[Any]:
        """Whether a code block is open; the file that the heading names; what leads a list, and the indent of its line; a lead that waits."""
        return [self._fenced, self._head, self._item, self._indent, self._lead]

    def read(self, text: str) -> list[Sentence]:
        """The sentences of a text outside its code blocks.

        What cites a source as lib does is left out: it is what the library told the session. So is what a program logged.
        """
        found: list[Sentence] = []
        for number, line in enumerate(text.split("\n")):
            bare = line.strip()
            if bare.startswith(("```", "~~~")):
                self._fenced = not self._fenced
            elif bare and not self._fenced and not _RULE.issuperset(bare) and not _LOGGED.match(bare):
                self._line(bare[:_LINE_LIMIT], len(line) - len(line.lstrip()), number, found)
        return found

    def _line(self, bare: str, indent: int, number: int, found: list[Sentence]) -> None:
        kind, body = _kind(bare)
        if not _MARKED.isdisjoint(body):
            body = _MARKS.sub("", body)
        lead, self._lead = self._lead, ""
        if lead and kind != ITEM and _says_something(lead):
            found.append(Sentence(lead, INTRO, number))
        about, body = self._about(kind, body, indent, lead)
        for part in _END.split(body):
            if (len(part) >= SHORTEST or about) and not _FOREIGN_REF.search(part):
                self._part(part, kind, about, number, found)
        if self._lead:
            self._item, self._indent = self._lead, indent - (kind != ITEM)

    def _part(self, part: str, kind: str, about: str, number: int, found: list[Sentence]) -> None:
        tidied = tidy(part)
        own = about if about and about.rsplit("/", 1)[-1] not in tidied else ""
        if kind != HEADING and part.endswith(":") and len(tidied) <= LONGEST_LEAD:
            self._lead = tidied if len(tidied) >= SHORTEST and not _EMPTY_LEAD.match(part) else ""
        elif (len(tidied) >= SHORTEST and _says_something(tidied)) or (own and len(tidied) > 2):
            found.append(Sentence(tidied, _kind_of_part(kind, part), number, own))

    def _about(self, kind: str, body: str, indent: int, lead: str) -> tuple[str, str]:
        """What a line is about, a file or what leads the list that it stands in, and the line without it."""
        match = _LED.match(body)
        if kind == HEADING:
            self._item, self._head = "", match[1] if match else ""
            return ("", body) if match is None else (match[1], match[2])
        if self._item and (indent <= self._indent or kind != ITEM) and not lead:
            self._item = ""
        if match is None:
            return self._item or self._head, body
        path, rest = match[1], match[2]
        if kind != ITEM:
            if not rest:
                self._head = path
        elif not rest and self._item:
            # A list of files: what leads it says why.
            return self._item, path
        else:
            self._item, self._indent = path, indent
        return path, rest


def _kind_of_part(kind: str, part: str) -> str:
    if kind == HEADING:
        return kind
    return INTENT if _INTENT.match(part) else kind


def _says_something(text: str) -> bool:
    """Whether there are words in it, and more letters than marks and digits."""
    return text.count(" ") >= FEWEST_BLANKS and sum(map(str.isalpha, text)) >= MOST_MARKS * len(text) or not text.isascii()


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
    if ":" in text or "line" in text:
        text = _PLACE.sub(r"\1", text)
    text = _without_weak(" ".join(text.split()))
    if len(text) > LONGEST:
        text = _cut(text)
    return text.lstrip("#>*+-=|~ ").rstrip(" :;,*")


def _cut(text: str) -> str:
    """The beginning of a long sentence, to the end of a clause where there is one in its second half, else of a word."""
    clause = max(text.rfind(mark, LONGEST // 2, LONGEST) for mark in (", ", "; ", " (", " because ", " so that ", " which "))
    return text[:clause] if clause > 0 else text[:LONGEST].rsplit(" ", 1)[0]


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
