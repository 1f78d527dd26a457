"""A note (memory file, worklog, decision record, handoff file) as a block: its sections recognised by their headings.

Nothing is summarised: what stands in the note stands in the entry, under the nearest of the eight sections; long code is left out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.review.block import Block
from libtool.domain.review.items import Line, items, paragraphs
from libtool.domain.review.labels import KNOWN, is_generic, is_nothing, plain
from libtool.domain.schema import ANSWER, BLOCKER, DECIDED, MEASURED, OPEN, POINTERS, SUPERSEDED
from libtool.domain.text import clean

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CONTEXT, STATUS, PART = "context", "status", "part"
"""Kinds of sections beside the eight: what the Answer goes on with, the state of a decision, and any other, told with its heading."""
LONGEST_CODE = 6
"""Lines of a code block that are kept."""
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_DATE = re.compile(r"(?<!\d)(20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))(?!\d)")
_FIELD = re.compile(r"\s*[-*]?\s*(?:\*\*|__)?([A-Za-z][\w -]{1,24})(?::\s*(?:\*\*|__)|(?:\*\*|__)?\s*:)\s*(.+?)\s*$")
_FRONT = re.compile(r"([\w-]{1,40}):[ \t]*(.*)$")
_NUMBER = re.compile(r"^(?:adr|rfc)?[-\s]*\d{1,6}[.:)\s\u2014\u2013-]+\s*", re.IGNORECASE)
_KINDS: dict[str, str] = {
    ANSWER: "decision, decision outcome, current state, state, status summary, where things stand, stand, the short version, summary, "
    "tl dr, description, solution, "
    "proposed solution, root cause, resolution, outcome, conclusion, solucao implementada, solucao",
    CONTEXT: "context, context and problem statement, problem, problem statement, background, motivation, overview, purpose, objective, "
    "goal, goals, introduction, why, issue, origin, contexto, contexto geral, problema, hintergrund, kontext",
    STATUS: "status",
    DECIDED: "done, what was done, what shipped, shipped, accomplishments, accomplished, completed, decisions, decisions made, "
    "key decisions, consequences, conventions, rules, progress, erledigt, was wurde gemacht, abgeschlossen, fatto, hecho, feito",
    OPEN: "next, next steps, next up, todo, to do, tasks, remaining, open questions, "
    "open points, open, in progress, not done, left to do, "
    "what is left, follow up, follow ups, unresolved, next phase readiness, suggested next sessions, open questions for the implementer, "
    "nachste schritte, offen, offene punkte, proximos passos, proximos pasos, risks",
    BLOCKER: "blocked, blockers, blocker, in progress blocked, blocking, stuck, impediments, blockiert",
    MEASURED: "performance, metrics, measurements, benchmarks, benchmark results, results, timing, metricas, verification, validation, "
    "validacao, test results",
    POINTERS: "links, references, files, key files, related, related files, see also, sources, more information, cross references, "
    "resources, files created modified, files changed, where to look, pointers, documentation, referencias",
    SUPERSEDED: "superseded, deprecated, replaced, obsolete, no longer valid, changelog, reverted",
}
_KIND = {
    **{word: name for word, name in KNOWN.items() if name in _KINDS},
    **{w: kind for kind, words in _KINDS.items() for w in words.split(", ")},
}


class Note(NamedTuple):
    """A note, read: its block, the day it is of ('' when it does not say), and how many lines of code were left out."""

    block: Block
    date: str
    code_left_out: int


_FORM = frozenset("title name description date updated created metadata type".split())
"""Fields of front matter that have their place elsewhere, or tell of the note's form."""


class _Section(NamedTuple):
    heading: str
    level: int
    lines: list[Line]


def read(text: str, name: str) -> Note:
    """A note as a block; `name` is its file's, without the ending."""
    lines = clean(text).split("\n")
    front, body = _front_matter(lines)
    left_out = 0
    found = list(_sections(body))
    for section in found:
        left_out += _shorten_code(section.lines)
    title = front.get("title") or front.get("name") or next((one.heading for one in found if one.heading and one.level == 1), "")
    title = _NUMBER.sub("", title).strip(" #*`")
    if is_generic(title) or len(plain(title)) < 3:
        title = name
    gathered = _Gathered(front)
    for section in found:
        gathered.take(section)
    date = next(
        (
            match[1]
            for one in (front.get("date", ""), front.get("updated", ""), front.get("created", ""), gathered.date, name)
            if (match := _DATE.search(one))
        ),
        "",
    )
    return Note(Block("", " ".join(title.split()), gathered.sections()), date, left_out)


class _Gathered:
    """What goes where."""

    def __init__(self, front: dict[str, str]) -> None:
        self.date = ""
        self._answer: list[str] = [front["description"]] if front.get("description") else []
        self._context: list[str] = []
        self._items: dict[str, list[str]] = {}
        self._parts: list[str] = []
        self._path: list[tuple[int, str, str]] = []
        """(level, heading, kind) of the headings that the next section stands under."""
        for key, value in front.items():
            if key not in _FORM and value:
                self._add(STATUS if key == "status" else PART, f"{key}: {value}")

    def take(self, section: _Section) -> None:
        """Sort one section in: by its own heading, else by the one above it."""
        self._path = [one for one in self._path if one[0] < section.level]
        kind = kind_of(section.heading)
        inherited = next((one[2] for one in reversed(self._path) if one[2] != PART), PART)
        own = kind or (inherited if inherited not in (ANSWER, CONTEXT, STATUS) or not section.heading else PART)
        self._path.append((section.level, section.heading, own if section.level > 1 or kind else PART))
        if section.level <= 1 and not kind:
            own = CONTEXT if not section.heading or section.level == 1 else PART
        lines = self._without_fields(section.lines) if own in (CONTEXT, PART) and section.level <= 1 else section.lines
        dated = _DATE.search(section.heading)
        if dated and not self.date:
            self.date = dated[1]
        if own in (ANSWER, CONTEXT):
            into = self._answer if own == ANSWER else self._context
            into += paragraphs(lines)
            return
        prefix = "" if kind or not section.heading or section.level <= 1 else f"{_plain_heading(section.heading)}: "
        if own == DECIDED and kind and plain(section.heading).startswith("consequence"):
            prefix = "consequence: "
        day = f"{dated[1]}: " if dated else ""
        for text in items(lines):
            self._add(own, f"{day}{prefix}{text}")

    def _without_fields(self, lines: list[Line]) -> list[Line]:
        """The lines without those like `**Date:** 2026-10-03`, which are taken."""
        kept = []
        for line in lines:
            field = None if line.code else _FIELD.match(line.text)
            if field is None:
                kept.append(line)
            elif plain(field[1]) in ("date", "data", "datum", "updated", "last updated", "created"):
                self.date = self.date or field[2]
            else:
                self._add(STATUS if plain(field[1]) == "status" else PART, f"{field[1].strip()}: {field[2].strip(' *_')}")
        return kept

    def _add(self, kind: str, text: str) -> None:
        if kind == STATUS:
            lower = text.lower()
            kind = SUPERSEDED if re.search(r"supersed|deprecat|rejected|replaced", lower) else DECIDED
            kind = OPEN if kind == DECIDED and re.search(r"propos|draft|pending|ready|in progress|wip", lower) else kind
            text = text if lower.startswith("status") else f"Status: {text}"
        if kind == PART:
            self._parts.append(text)
        else:
            self._items.setdefault(kind, []).append(text)

    def sections(self) -> dict[str, tuple[str, ...]]:
        """The sections of the block: the Answer goes on with the context; what has no section of its own stands in Decided."""
        found = {name: tuple(texts) for name, texts in self._items.items()}
        decided = (*found.pop(DECIDED, ()), *self._parts)
        answer = (*self._answer, *self._context)
        return {**({ANSWER: answer} if answer else {}), **({DECIDED: decided} if decided else {}), **found}


def kind_of(heading: str) -> str:
    """The kind of section that a heading announces; '' for one of no kind that is known."""
    words = plain(heading)
    if words in _KIND:
        return _KIND[words]
    # `Next steps (after the release)`, `Decision: use X`.
    head = plain(re.split(r"[:(\u2014\u2013]| - ", heading, maxsplit=1)[0])
    return _KIND.get(head, "")


def _plain_heading(heading: str) -> str:
    return " ".join(heading.strip(" #*_:`").split())


def _front_matter(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """(the simple fields of YAML front matter in lower case, a list's values joined; the lines behind it)."""
    if not lines or lines[0].rstrip() != "---":
        return {}, lines
    end = next((at for at, line in enumerate(lines[1:300], 1) if line.rstrip() == "---"), 0)
    if not end:
        return {}, lines
    fields: dict[str, str] = {}
    key = ""
    for line in lines[1:end]:
        found = _FRONT.match(line)
        if found is not None:
            key = found[1].lower()
            fields[key] = found[2].strip().strip("\"'")
        elif key and line.strip() and not line.lstrip().startswith("#"):
            fields[key] = f"{fields[key]}; {line.strip().removeprefix('- ').strip(chr(34) + chr(39))}".removeprefix("; ")
    return {name: value for name, value in fields.items() if not is_nothing(value) and value not in (">", "|", "[]", "{}")}, lines[
        end + 1 :
    ]


def _sections(lines: Iterable[str]) -> Iterator[_Section]:
    """The sections in order, the text before the first heading as one of level 0; a heading in a code fence is none."""
    section = _Section("", 0, [])
    fence = ""
    for line in lines:
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(" `~\t"):
                fence = ""
                section.lines.append(Line(""))
            else:
                section.lines.append(Line(line, code=True))
        elif mark:
            fence = mark[1]
        elif (heading := _HEADING.match(line)) is not None:
            yield section
            section = _Section(heading[2], len(heading[1]), [])
        else:
            section.lines.append(Line(line))
    yield section


def _shorten_code(lines: list[Line]) -> int:
    """Leave out code blocks longer than LONGEST_CODE lines, in place; how many lines went."""
    gone = at = 0
    while at < len(lines):
        end = at
        while end < len(lines) and lines[end].code:
            end += 1
        if end - at > LONGEST_CODE:
            gone += end - at
            lines[at:end] = [Line(f"[{end - at} lines of code]")]
            end = at + 1
        at = max(end, at + 1)
    return gone
