"""All that is wrong with one entry, by line."""

from __future__ import annotations

from libtool.domain import conflict
from libtool.domain.codes import CODES
from libtool.domain.decode import CONTROL, UNSEEN, decoded, is_utf16
from libtool.domain.entry import ANSWER_DATE, Entry, first_difference, is_topic, paragraph, render, slug_of
from libtool.domain.entry_reader import read
from libtool.domain.item_rules import dangling, date_is_wrong, problems_of
from libtool.domain.named import NamedTuple
from libtool.domain.outline import outline
from libtool.domain.schema import ANSWER_LIMIT, ENTRY_LIMIT, POINTERS, SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator
    from datetime import date

    from libtool.domain.entry_reader import Reading
    from libtool.domain.redact import Redactor


class Problem(NamedTuple):
    """One problem: line from 1, code of `codes.CODES`, what to say of it, whether it only warns, whether `mend` mends it."""

    line: int
    code: str
    message: str
    is_warning: bool
    fixable: bool


_NO_TEXT = "bytes of another encoding, or no text"


def problem(line: int, code: str, about: str = "") -> Problem:
    """A problem with the words of the code's row: what it is, what it is about, how to mend it."""
    row = CODES[code]
    message = f"{row.meaning}{f' ({about})' if about else ''}; {row.mend}"
    return Problem(line, code, message, row.is_warning, row.fixable and about != _NO_TEXT)


def problems(data: bytes, topic: str, *, topics: Container[str] | None, today: date, redactor: Redactor | None = None) -> list[Problem]:
    """Every problem, by line. `topics` are those of the library (None: links are not looked up), `redactor` finds logins when given."""
    if undecodable := _undecodable(data):
        return [undecodable]
    text = data.decode()
    found = [*_name(topic), *_characters(text), *_logins(text, redactor)]
    whole = decoded(data)
    lines = whole.removesuffix("\n").split("\n")
    for at in conflict.markers(lines):
        found.append((at + 1, "E702", ""))
        lines[at] = ""
    reading = read(lines)
    found += reading.remarks
    if not any(CODES[code].fixable for _, code, _ in found):
        found += _form(data, whole, reading)
    found += _answer(reading, today)
    for section, items in reading.items.items():
        found += problems_of(section, items, today)
    if not reading.items[SESSION]:
        found.append((_line_of(lines, SESSION), "E601", ""))
    if topics is not None:
        found += [(line, "E502", name) for line, item in reading.items[POINTERS] for name in dangling(item, topics)]
    if len(data) > ENTRY_LIMIT:
        found.append((1, "W803", f"{len(data):,} bytes"))
    return [problem(*one) for one in sorted(set(found), key=lambda one: one[:2])]


def _undecodable(data: bytes) -> Problem | None:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return problem(1, "E103", "UTF-16") if is_utf16(data) else problem(line, "E103", _NO_TEXT)
    return None


def _name(topic: str) -> Iterator[tuple[int, str, str]]:
    if not is_topic(topic):
        slug = slug_of(topic)
        yield 1, "E101", f"`{slug}.md` would do" if slug else ""


def _characters(text: str) -> Iterator[tuple[int, str, str]]:
    for at, line in enumerate(text.split("\n"), 1):
        if "\r" in line:
            yield at, "E704", ""
        for code, pattern in (("E703", CONTROL), ("E705", UNSEEN)):
            if not line.isprintable() and (match := pattern.search(line)):
                yield at, code, f"U+{ord(match[0]):04X}"


def _logins(text: str, redactor: Redactor | None) -> Iterator[tuple[int, str, str]]:
    for one in redactor.scan(text) if redactor else ():
        yield text.count("\n", 0, one.start) + 1, "E701", one.kind


def _form(data: bytes, text: str, reading: Reading) -> Iterator[tuple[int, str, str]]:
    """What only the bytes show, or only a whole reader of markdown; nothing while `mend` has something to do anyhow."""
    entry = Entry(
        reading.titles[0][1], reading.answers[0][1], {name: tuple(item for _, item in items) for name, items in reading.items.items()}
    )
    if line := first_difference(data, render(entry)):
        yield line, "E210", ""
    elif others := set(outline(text)) ^ set(reading.headings):
        yield min(others)[0], "E212", ""


def _answer(reading: Reading, today: date) -> Iterator[tuple[int, str, str]]:
    for heading, text in reading.answers:
        lines = text.split("\n")
        start, end = paragraph(lines)
        if not text or not end:
            yield heading, "E301", ""
            continue
        # One blank line stands between heading and text.
        dates = [(at, match[1]) for at in range(start, end) if (match := ANSWER_DATE.search(lines[at]))]
        for at, _ in dates:
            if at != end - 1:
                yield heading + 2 + at, "E304", ""
        if not dates or dates[-1][0] != end - 1:
            yield heading + 1 + end, "E302", ""
        elif date_is_wrong(dates[-1][1], today):
            yield heading + 1 + end, "E303", dates[-1][1]
        if len(text) > ANSWER_LIMIT:
            yield heading, "W801", f"{len(text):,} characters"


def _line_of(lines: list[str], section: str) -> int:
    """The line of a section's heading; the last line where it is missing."""
    return next((at for at, line in enumerate(lines, 1) if line == f"## {section}"), len(lines))
