"""What `lib check --fix` does to an entry: any bytes become the one form, and no word is lost."""

from __future__ import annotations

import contextlib
import re
from datetime import date, timedelta
from itertools import pairwise

from libtool.domain import conflict
from libtool.domain.decode import decoded
from libtool.domain.entry import (
    ANSWER_DATE,
    Entry,
    answer_date,
    answer_text,
    identity,
    paragraph,
    render,
    superseded,
    tidy,
    undated,
)
from libtool.domain.entry_reader import is_none, item_of, read
from libtool.domain.schema import LISTS, OPEN, SUPERSEDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

_ROUNDS = 8
"""Two are most often enough, and four were the most that random texts needed."""
_DATED_WITH_DOT = re.compile(r"(?<=\S)[ \t]+(\([0-9]{4}-[0-9]{2}-[0-9]{2}\))([.,;:!]+)$")


def mend(data: bytes, *, topic: str, today: date, before: bytes | None = None) -> bytes:
    """Any bytes as an entry in its one form; drops no word, and mending twice changes nothing more.

    `before` is the version that was committed last: an Answer that differs from its Answer gets a newer date, and its Answer stays as an
    item of Superseded. What has no place (text before the sections, unknown sections) is kept whole as an item of Open. What only a
    person can mend (an empty Answer, a wrong pointer) stays.
    """
    replaced = "" if before is None else recover(before, topic=topic).answer

    def once(text: bytes) -> bytes:
        entry = _recovered(text, topic)
        _date(entry, today, replaced)
        return render(entry)

    return _settled(data, once)


def canonical(data: bytes, *, topic: str) -> bytes:
    """The same without a clock: an Answer without a date stays without. For the merge's inputs."""
    return render(recover(data, topic=topic))


def recover(data: bytes, *, topic: str = "") -> Entry:
    """`canonical` as an entry; what is in its one form already is read once."""
    entry = _recovered(data, topic)
    for _ in range(_ROUNDS - 1):
        settled = render(entry)
        if settled == data:
            break
        data = settled
        entry = _recovered(data, topic)
    return entry


def _settled(data: bytes, once: Callable[[bytes], bytes]) -> bytes:
    """`once` again and again, until it changes nothing: a text taken out of its surroundings may read differently."""
    for _ in range(_ROUNDS):
        settled = once(data)
        if settled == data:
            break
        data = settled
    return data


def _recovered(data: bytes, topic: str) -> Entry:
    readings = [read(lines) for lines in conflict.versions(decoded(data).split("\n"))]
    items = {name: [item for reading in readings for _, item in reading.items[name]] for name in LISTS}
    items[OPEN] += [item for reading in readings for _, item in reading.unplaced]
    titles = list(dict.fromkeys(title for reading in readings for _, title in reading.titles if title))
    title = max(titles, key=str.encode, default="") or topic.replace("-", " ").capitalize() or "Untitled"
    items[OPEN] += [item_of([other]) for other in titles if other != title]
    answers = {text: None for reading in readings for _, whole in reading.answers for text in _parts(whole) if text and not is_none(text)}
    answer = max(answers, key=lambda text: (answer_date(text), text.encode()), default="")
    items[SUPERSEDED] += [superseded(other) for other in answers if other != answer]
    return Entry(title, answer, {name: tidy(name, (item for item in found if item and not is_none(item))) for name, found in items.items()})


def _parts(answer: str) -> Iterable[str]:
    """The Answers that git's union merge ran together in one paragraph: each ended a line with its date."""
    lines = answer.split("\n")
    start, end = paragraph(lines)
    lines[start:end] = [_DATED_WITH_DOT.sub(r"\2 \1", line) for line in lines[start:end]]
    dated = [at for at in range(start, end) if ANSWER_DATE.search(lines[at])]
    if dated and dated[-1] != end - 1:
        # Somebody wrote on behind the date.
        at = dated.pop()
        said, space, dated_again = f" {lines[at]}".rpartition(" ")
        lines[at] = said.strip()
        lines[end - 1] += space + dated_again
    cuts = [0, *(at + 1 for at in dated if at != end - 1), len(lines)]
    return ["\n".join(lines[first:last]).strip("\n") for first, last in pairwise(cuts)]


def _date(entry: Entry, today: date, before: str) -> None:
    """Give the Answer its date, and record the one that it replaced."""
    if not entry.answer:
        if before:
            _record(entry, before)
        return
    own, old = answer_date(entry.answer), answer_date(before) if before else ""
    replaced = bool(before) and answer_text(before) != answer_text(entry.answer)
    if replaced:
        _record(entry, before)
        known = {identity(item) for item in entry.items[SUPERSEDED]}
        if not own or own <= old or f"{own}: {answer_text(entry.answer)}" in known:
            _set_date(entry, max(today.isoformat(), _bounded(old, today)))
    elif not own:
        _set_date(entry, old or today.isoformat())


def _record(entry: Entry, answer: str) -> None:
    entry.items[SUPERSEDED] = tidy(SUPERSEDED, (*entry.items[SUPERSEDED], superseded(answer)))


def _bounded(text: str, today: date) -> str:
    """A date, but none that lies more than a day ahead."""
    return min(text, (today + timedelta(days=1)).isoformat())


def _set_date(entry: Entry, text: str) -> None:
    """Date the Answer; a day later where this very Answer of that day was replaced once already."""
    known = {identity(item) for item in entry.items[SUPERSEDED]}
    if f"{text}: {answer_text(entry.answer)}" in known:
        with contextlib.suppress(ValueError, OverflowError):
            text = (date.fromisoformat(text) + timedelta(days=1)).isoformat()
    lines = undated(entry.answer).split("\n")
    end = paragraph(lines)[1]
    if end:
        lines[end - 1] = f"{lines[end - 1]} ({text})".strip()
    else:
        lines += ["", f"({text})"]
    entry.answer = "\n".join(lines).strip("\n")
