"""An entry: read from its bytes, written back as the same bytes, and the words that the merge rules use of its items.

Source of the format: docs/entry-format.md.
"""

from __future__ import annotations

import re
import unicodedata

from libtool.domain.entry_reader import item_of, read
from libtool.domain.schema import ANSWER, NONE, POINTERS, SECTIONS, SESSION, TOPIC_LIMIT
from libtool.domain.verbatim import MAY_OPEN, Verbatim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LEADING_DATE = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}):(?=\s|$)")
_TRAILING_DATE = re.compile(r"(?<!\S)([0-9]{4}-[0-9]{2}-[0-9]{2})$")
ANSWER_DATE = re.compile(r"(?:^|(?<=\s))\(([0-9]{4}-[0-9]{2}-[0-9]{2})\)$")
_NO_PARAGRAPH = re.compile(r" {0,3}(?:#{1,6}(?:[ \t]|$)|([-*_])[ \t]*(?:\1[ \t]*){2,}$)")
_LAST = "\U0010ffff"
_FINGERPRINT = re.compile(r"(\[REDACTED:[a-z0-9-]{1,12})-[0-9a-f]{12}\]")


class Entry:
    """title; answer: markdown without blank lines at its ends, '' for none; items: the tuple of items of each of `schema.LISTS`.

    An item is its canonical markdown without the list marker, its further lines without their indent of two.
    """

    __slots__ = ("answer", "items", "title")

    def __init__(self, title: str, answer: str, items: dict[str, tuple[str, ...]]) -> None:
        self.title = title
        self.answer = answer
        self.items = items


class Malformed(ValueError):  # noqa: N818 - the name says what is wrong
    """Bytes that are no entry in its one form: the first reason, as a line (from 1) and a code of `schema.CODES`."""

    def __init__(self, line: int, code: str, message: str) -> None:
        super().__init__(f"{line}: {code} {message}")
        self.line = line
        self.code = code
        self.message = message


def parse(data: bytes) -> Entry:
    """The entry that `data` is; raises Malformed unless `render` of it gives `data` again.

    Not asked here: the order of items, doubles, dates, pointers, what `validate.problems` says of a whole entry.
    """
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise Malformed(data.count(b"\n", 0, error.start) + 1, "E103", "not UTF-8") from None
    reading = read(text.removesuffix("\n").split("\n"))
    if reading.remarks:
        raise Malformed(*reading.remarks[0])
    entry = Entry(
        reading.titles[0][1], reading.answers[0][1], {name: tuple(item for _, item in items) for name, items in reading.items.items()}
    )
    line = first_difference(data, render(entry))
    if line:
        raise Malformed(line, "E210", "not in the one form")
    return entry


def first_difference(first: bytes, second: bytes) -> int:
    """The line (from 1) where two texts begin to differ; 0 when they are the same."""
    if first == second:
        return 0
    lines, others = first.split(b"\n"), second.split(b"\n")
    return next((at for at, (one, other) in enumerate(zip(lines, others, strict=False), 1) if one != other), min(len(lines), len(others)))


def render(entry: Entry) -> bytes:
    """The one form of an entry, UTF-8. Items stand as given: `tidy` sorts."""
    parts = [f"# {entry.title}\n"]
    for name in SECTIONS:
        text = entry.answer if name == ANSWER else "\n".join(map(_listed, entry.items.get(name, ())))
        parts.append(f"\n## {name}\n\n{text or NONE}\n")
    return "".join(parts).encode()


def _listed(item: str) -> str:
    return "- " + "\n".join(f"  {line}" if at and line else line for at, line in enumerate(item.split("\n")))


def tidy(section: str, items: Iterable[str]) -> tuple[str, ...]:
    """Items in the order of the format, each identity once: of the same text in other bytes the greater."""
    # The greater bytes come last, and so they stay.
    return tuple({identity(item): item for item in sorted(items, key=lambda item: sort_key(section, item))}.values())


def identity(item: str) -> str:
    """What makes two items the same: the text without wrapping and trailing space, in NFC, fingerprints included."""
    return " ".join(unicodedata.normalize("NFC", item).split())


def unprinted(text: str) -> str:
    """An identity without the fingerprints of its placeholders: each machine has its own key."""
    return _FINGERPRINT.sub(r"\1]", text)


def item_date(section: str, item: str) -> str:
    """The date `YYYY-MM-DD` that an item begins with (in Session: ends with), or ''. It need not be real."""
    match = _TRAILING_DATE.search(item) if section == SESSION else _LEADING_DATE.match(item)
    return match[1] if match else ""


def sort_key(section: str, item: str) -> tuple[str, str, bytes]:
    """(date, identity, bytes): the order of items; undated ones come first, and among pointers the claims of absence last."""
    text = identity(item)
    return item_date(section, item), _LAST + text if section == POINTERS and text.startswith("absent ") else text, item.encode()


def paragraph(lines: Sequence[str]) -> tuple[int, int]:
    """(first line, line behind) of an Answer's first paragraph: no heading, rule, fence or HTML; (0, 0) when there is none."""
    verbatim = Verbatim(lines) if any(mark in line for line in lines for mark in MAY_OPEN) else None
    at, start = 0, -1
    while at < len(lines):
        line = lines[at]
        end = verbatim.end(at, paragraph=start >= 0)[0] if verbatim and line else at
        if not line or end > at or _NO_PARAGRAPH.match(line):
            if start >= 0:
                return start, at
        elif start < 0:
            start = at
        at = max(end, at + 1)
    return (start, at) if start >= 0 else (0, 0)


def answer_date(answer: str) -> str:
    """The date that ends the first paragraph of an Answer, or ''."""
    lines = answer.split("\n")
    match = ANSWER_DATE.search(lines[paragraph(lines)[1] - 1])
    return match[1] if match else ""


def undated(answer: str) -> str:
    """An Answer without the date that ends its first paragraph."""
    lines = answer.split("\n")
    end = paragraph(lines)[1]
    if end:
        lines[end - 1] = ANSWER_DATE.sub("", lines[end - 1]).rstrip()
    return "\n".join(lines)


def answer_text(answer: str) -> str:
    """An Answer on one line in NFC without that date: what two Answers are compared by."""
    return identity(undated(answer))


def superseded(answer: str) -> str:
    """The item of Superseded that an Answer becomes: `<date>: <text>`, without the date where it has none."""
    date, text = answer_date(answer), item_of([answer_text(answer)])
    return f"{date}: {text}".rstrip() if date else text


def is_topic(text: str) -> bool:
    """Whether a text is a slug `[a-z0-9]+(-[a-z0-9]+)*` of at most 80 characters."""
    return len(text) <= TOPIC_LIMIT and _SLUG.fullmatch(text) is not None


def slug_of(text: str) -> str:
    """The topic nearest to any text, for a suggestion; '' when there is nothing to make one of."""
    plain = unicodedata.normalize("NFKD", text.casefold()).encode("ascii", "ignore").decode()
    words = re.findall("[a-z0-9]+", plain)
    slug = "-".join(words)
    return slug if len(slug) <= TOPIC_LIMIT else slug[: TOPIC_LIMIT + 1].rpartition("-")[0] or slug[:TOPIC_LIMIT]
