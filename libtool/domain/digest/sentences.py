"""Prose, as people and models write it in markdown, to single sentences and list items on one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.digest import marks

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence
    from typing import Any

HEADING, ITEM, PLAIN, INTRO, INTENT = "h", "i", "p", "c", "n"
"""Kinds; INTRO ends with a colon, INTENT says what the speaker is about to do: both tell little by themselves."""
LONGEST, SHORTEST, SHORTEST_CJK = 260, 16, 6
"""Characters: a longer sentence is cut at a word, a shorter one says too little to stand alone."""
_LINE_LIMIT = 4_000
"""Characters of one line that are looked at: more is a table, a log or data."""
LONGEST_LEAD = 140
"""Characters of a line that may lead the list below it."""
FEWEST_BLANKS, MOST_MARKS = 2, 0.55
"""Blanks in a sentence at least, and the share of its characters that must be letters."""


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
        self._led = ""
        """The file that the line at hand names where it leads a list."""
        self._fenced: bool
        self._head: str
        self._item: str
        self._indent: int
        self._lead: str
        self._quoted: bool
        self._fenced, self._head, self._item, self._indent, self._lead, self._quoted = state or (False, "", "", -1, "", False)

    def state(self) -> list[Any]:
        """What is open: a code block; the file that the heading names; what leads a list, its line's indent; a lead that waits; a hit."""
        return [self._fenced, self._head, self._item, self._indent, self._lead, self._quoted]

    def read(self, text: str) -> list[Sentence]:
        """The sentences of a text outside its code blocks.

        What cites a source as lib does is left out: it is what the library told the session. So is what a program logged.
        """
        found: list[Sentence] = []
        for number, line in enumerate(text.split("\n")):
            bare = line.strip()[:_LINE_LIMIT]
            if bare.startswith(("```", "~~~")):
                self._fenced = not self._fenced
                self._end_lead(number, found)
            elif bare and not self._fenced and not self._is_foreign(line, bare):
                self._line(bare, len(line) - len(line.lstrip()), number, found)
        return found

    def close(self) -> list[Sentence]:
        """The line that was to lead a list, at the end of a message without one."""
        found: list[Sentence] = []
        self._end_lead(0, found)
        return found

    def _is_foreign(self, line: str, bare: str) -> bool:
        """Whether a line is no prose: a rule, a log, code, or a hit of the library's search with what it quotes."""
        self._quoted = bare.startswith("ref: ") or (self._quoted and line.startswith("  "))
        if self._quoted or bare[-1] in marks.CODE_ENDS or "=>" in bare or marks.RULE.issuperset(bare):
            return True
        return bool(marks.LOGGED.match(bare) or marks.CODE.match(bare))

    def _line(self, bare: str, indent: int, number: int, found: list[Sentence]) -> None:
        kind, body = _kind(bare)
        if not marks.MARKED.isdisjoint(body):
            body = marks.MARKS.sub("", body)
        if kind == ITEM:
            self._lead = ""
        else:
            self._end_lead(number, found)
        about, body = self._about(kind, body, indent)
        for part in (body,) if marks.ENDS.isdisjoint(body[:-1]) else marks.END.split(body):
            if (_is_long(part) or about) and not (":" in part and marks.FOREIGN_REF.search(part)):
                self._part(part, kind, about, number, found)
        if self._lead or self._led:
            self._item, self._indent, self._led = self._led or self._lead, indent - (kind != ITEM), ""

    def _end_lead(self, number: int, found: list[Sentence]) -> None:
        """What waited for a list that did not come stands alone."""
        if self._lead and _says_something(self._lead):
            found.append(Sentence(self._lead, INTRO, number))
        self._lead = ""

    def _part(self, part: str, kind: str, about: str, number: int, found: list[Sentence]) -> None:
        tidied = _tidied(part)
        own = about if about and about.rsplit("/", 1)[-1] not in tidied else ""
        if kind != HEADING and part.endswith((":", "\uff1a")) and len(tidied) <= LONGEST_LEAD:
            says = _is_long(tidied) and not marks.EMPTY_LEAD.match(part)
            # The list below is about the file that its lead names, else about what the lead says.
            self._led = _only_file(part)
            self._lead = "" if self._led or not says else tidied
            if self._led and says:
                found.append(Sentence(tidied, INTRO, number))
        elif (_is_long(tidied) and _says_something(tidied)) or (own and len(tidied) > 2):
            found.append(Sentence(tidied, _kind_of_part(kind, part), number, own))

    def _about(self, kind: str, body: str, indent: int) -> tuple[str, str]:
        """What a line is about, a file or what leads the list that it stands in, and the line without it."""
        match = marks.LED.match(body)
        if match is not None and len(match[1]) > LONGEST_LEAD:
            match = None
        if kind == HEADING:
            self._item, self._head = "", match[1] if match else _only_file(body)
            return ("", body) if match is None else (match[1], match[2])
        if kind != ITEM or indent <= self._indent:
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


def _only_file(text: str) -> str:
    """The file that a text names, '' where it names none or several."""
    found = set(marks.NAMED.findall(text))
    return found.pop() if len(found) == 1 else ""


def _kind_of_part(kind: str, part: str) -> str:
    if kind == HEADING:
        return kind
    return INTENT if marks.INTENT.match(part) else kind


def _is_long(text: str) -> bool:
    return len(text) >= SHORTEST or (len(text) >= SHORTEST_CJK and text[0] > "\u2fff")


def _says_something(text: str) -> bool:
    """Whether there are words in it, and more letters than marks and digits."""
    if not text.isascii():
        return True
    return text.count(" ") >= FEWEST_BLANKS and sum(map(str.isalpha, text)) >= MOST_MARKS * len(text)


def _kind(line: str) -> tuple[str, str]:
    """What a line is, and its text without the mark of that."""
    first = line[0]
    if first == "#" and (match := marks.HEADING.match(line)) is not None:
        return HEADING, match[1]
    if (first in "-*+\u2022" or first.isdecimal()) and (match := marks.ITEM.match(line)) is not None:
        return ITEM, match[1]
    return PLAIN, line


def tidy(text: str) -> str:
    """A sentence without markdown, openers and weak words, on one line, at most LONGEST characters, and no markup at its start."""
    return _tidied(text if marks.MARKED.isdisjoint(text) else marks.MARKS.sub("", text))


def _tidied(text: str) -> str:
    """The same of a text whose marks are off already."""
    if not text.isascii() and (match := marks.BOX.search(text)):
        text = text[: match.start()]
    if "](" in text:
        text = marks.LINK.sub(_label, text)
    if "|" in text:
        text = marks.CELLS.sub(", ", text)
    if ":" in text or "line" in text:
        text = marks.PLACE.sub(r"\1", text)
    text = _without_weak(" ".join(text.split()))
    if len(text) > LONGEST:
        text = _cut(text)
    text = marks.FRONT.sub("", text).rstrip(" :;,*\uff1a")
    return _closed(text) if "(" in text or ")" in text else text


def _closed(text: str) -> str:
    """The part of a sentence that was split within brackets, without one that nothing opens and with the one that is missing."""
    missing = text.count("(") - text.count(")")
    if missing == 1 and len(text) < LONGEST:
        return f"{text[:-1]})." if text.endswith(".") else f"{text})"
    if missing == -1:
        at = text.rfind(")")
        return text[:at] + text[at + 1 :]
    return text


def _cut(text: str) -> str:
    """The beginning of a long sentence, to the end of a clause where there is one in its second half, else of a word."""
    clause = max(text.rfind(mark, LONGEST // 2, LONGEST) for mark in (", ", "; ", " (", " because ", " so that ", " which "))
    return text[:clause] if clause > 0 else text[:LONGEST].rsplit(" ", 1)[0]


def _without_weak(text: str) -> str:
    lower = text.lower()
    if len(lower) != len(text):
        # Some letters change their length with their case: then places in one are not places in the other.
        return text
    opener = marks.OPENERS.match(lower)
    kept, at = [], opener.end() if opener else 0
    for match in marks.WEAK.finditer(lower, at):
        kept.append(text[at : match.start()])
        at = match.end()
    kept.append(text[at:])
    return "".join(kept)


def _label(match: re.Match[str]) -> str:
    label, target = match[1], match[2]
    return f"{label} {target}" if target.startswith(("http://", "https://")) and label != target else label or target
