"""What the items of an entry may say: dates, references of sessions, pointers. Each rule gives a code of `codes.CODES`, or ''."""

from __future__ import annotations

import datetime as dt
import re

from libtool.domain.cited import AGENT, of_item
from libtool.domain.entry import identity, item_date, sort_key
from libtool.domain.lazy import lazy
from libtool.domain.pointers import LINK, bare, pointer
from libtool.domain.schema import ITEM_LIMIT, POINTERS, SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence

_SOURCE = re.compile(rf"\(({AGENT}:(?!//)[^\s()]*#[^\s()]*)\)$")
_URL = lazy(r"<?[a-z][a-z0-9+.-]*://\S+>?|<?mailto:\S+>?|\[[^\]]*\]\([a-z][a-z0-9+.-]*://\S+\)", re.IGNORECASE)


def date_is_wrong(text: str, today: dt.date) -> bool:
    """Whether `YYYY-MM-DD` is no day, or more than one day ahead of today (clocks and time zones differ between machines)."""
    try:
        day = dt.date.fromisoformat(text)
    except ValueError:
        return True
    return day > today + dt.timedelta(days=1)


def problems_of(section: str, items: Sequence[tuple[int, str]], today: dt.date) -> Iterator[tuple[int, str, str]]:
    """(line, code, about what) of one section's items, each given with its line."""
    seen: dict[str, int] = {}
    last = ("", "", b"")
    for line, item in items:
        text, key = identity(item), sort_key(section, item)
        if text in seen:
            yield line, "E406", f"as in line {seen[text]}"
        elif key < last:
            yield line, "E407", ""
        seen.setdefault(text, line)
        last = max(last, key)
        if len(item) > ITEM_LIMIT:
            yield line, "W802", f"{len(item)} characters"
        date = item_date(section, item)
        if date and date_is_wrong(date, today):
            yield line, "E603" if section == SESSION else "E405", date
        if section == POINTERS and (code := _pointer(text)):
            yield line, code, ""
        if section == SESSION and of_item(text) is None:
            yield line, "E602", ""
        source = _SOURCE.search(text)
        if source is not None and pointer(source[1]) is None:
            yield line, "E408", source[1]


def _pointer(text: str) -> str:
    """The code of what is wrong with a pointer; '' for a right one."""
    if pointer(text) is not None or _URL.fullmatch(bare(text)):
        return ""
    return "E503" if bare(text).startswith("absent ") else "E501"


def dangling(text: str, topics: Container[str]) -> list[str]:
    """The topics that a text links to and that are not there."""
    return [topic for topic in LINK.findall(text) if topic.strip() not in topics]
