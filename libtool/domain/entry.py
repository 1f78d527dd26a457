"""An entry: read from its bytes, written back as the same bytes, and the words that the merge rules use of its items.

Source of the format: docs/entry-format.md.
"""

from __future__ import annotations

from libtool.domain.schema import TOPIC_LIMIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class Entry:
    """title; answer: markdown without blank lines at its ends, '' for none; items: the tuple of items of each of `schema.LISTS`.

    An item is its canonical markdown without the list marker, its further lines without their indent of two.
    """

    __slots__ = ("answer", "items", "title")

    def __init__(self, title: str, answer: str, items: dict[str, tuple[str, ...]]) -> None:
        self.title = title
        self.answer = answer
        self.items = items


class Malformed(ValueError):
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
    raise NotImplementedError


def render(entry: Entry) -> bytes:
    """The one form of an entry, UTF-8. Items stand as given: `tidy` sorts."""
    raise NotImplementedError


def tidy(section: str, items: Iterable[str]) -> tuple[str, ...]:
    """Items in the order of the format, each identity once: of the same text in other bytes the greater."""
    raise NotImplementedError


def identity(item: str) -> str:
    """What makes two items the same: the text without wrapping and trailing space, in NFC, fingerprints included."""
    raise NotImplementedError


def unprinted(text: str) -> str:
    """An identity without the fingerprints of its placeholders: each machine has its own key."""
    raise NotImplementedError


def item_date(section: str, item: str) -> str:
    """The date `YYYY-MM-DD` that an item begins with (in Session: ends with), or ''. It need not be real."""
    raise NotImplementedError


def sort_key(section: str, item: str) -> tuple[str, str, bytes]:
    """(date, identity, bytes): the order of items; undated ones come first."""
    raise NotImplementedError


def answer_date(answer: str) -> str:
    """The date that ends the first paragraph of an Answer, or ''."""
    raise NotImplementedError


def answer_text(answer: str) -> str:
    """An Answer on one line in NFC without that date: what two Answers are compared by."""
    raise NotImplementedError


def superseded(answer: str) -> str:
    """The item of Superseded that an Answer becomes: `<date>: <text>`, without the date where it has none."""
    raise NotImplementedError


def is_topic(text: str) -> bool:
    """Whether a text is a slug `[a-z0-9]+(-[a-z0-9]+)*` of at most 80 characters."""
    return len(text) <= TOPIC_LIMIT and all(part.isascii() and part.isalnum() and part == part.lower() for part in text.split("-"))
