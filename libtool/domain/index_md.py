"""INDEX.md: one line for each entry, the same bytes on each machine."""

from __future__ import annotations

import datetime as dt
import re

from libtool.domain.decode import CONTROL, UNSEEN
from libtool.domain.entry import Entry, answer_date, identity, item_date, paragraph, undated
from libtool.domain.entry_reader import is_none
from libtool.domain.mend import recover
from libtool.domain.schema import ANSWER, BLOCKER, ENTRIES, INDEX_TOKENS, LISTS, NONE, OPEN
from libtool.domain.sentence import first_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

BYTES_A_TOKEN = 4
_LINE = re.compile(r"- \[([a-z0-9-]+)\]\(entries/\1\.md\): [^\n]*")
_HEAD = """# Library index

Generated from entries/ by lib: do not edit. {count}, {tokens} tokens.
{advice}
"""
_READ = "A line tells what an entry answers; read the entry itself before you rely on it."
_DO_NOT_READ = "Too long to read whole: stop here, and let `lib topics KEYWORDS` print the lines that match."

# The form that nearly all entries have, in one expression: an Answer without fences, tags, headings or underlines; lists without oddities.
# Whatever it does not match is read with care, to the same result.
_PROSE = r"(?:- [^\s-]|[^\s#<`~>=|-])[^\n]*+"
_ITEM = r"- (?![Nn][Oo][Nn][Ee])[^\s-][^\n]*+(?:\n\n?  [^\n]++)*+"
_PLAIN = re.compile(
    rf"# (?P<title>[^\n#]+)\n\n## {ANSWER}\n\n(?P<{ANSWER}>{_PROSE}(?:\n\n?{_PROSE})*)\n"
    + "".join(rf"\n## {name}\n\n(?P<{name}>None\.|{_ITEM}(?:\n{_ITEM})*)\n" for name in LISTS)
)
_ANY_DATE = re.compile(r"\([0-9]{4}-[0-9]{2}-[0-9]{2}\)")
_UNUSUAL = bytes([*range(10), *range(11, 32), 127])


def line_of(topic: str, data: bytes) -> str:
    """The line of an entry, without a newline; total: whatever the bytes are. The same for `mend.canonical` of them."""
    entry = _fast(data) or recover(data, topic=topic)
    lines = entry.answer.split("\n")
    start, end = paragraph(lines)
    said = first_sentence("\n".join(undated(entry.answer).split("\n")[start:end])) or first_sentence(entry.title)
    count = len(entry.items[OPEN])
    parts = [
        f"- [{topic}]({ENTRIES}/{topic}.md): {said}",
        f"{count} open" if count else "",
        "blocked" if entry.items[BLOCKER] else "",
        _newest([answer_date(entry.answer), *(item_date(name, item) for name in LISTS for item in entry.items[name])]),
    ]
    return " \u00b7 ".join(part for part in parts if part)


def build(lines: Mapping[str, str]) -> bytes:
    """INDEX.md of these lines by topic, in whatever order they come."""
    body = "".join(f"{lines[topic]}\n" for topic in sorted(lines))
    count = f"{len(lines)} {'entry' if len(lines) == 1 else 'entries'}"
    size, tokens = -1, 0
    # The number is a part of what it counts.
    while size != tokens:
        size = tokens
        advice = _READ if size <= INDEX_TOKENS else _DO_NOT_READ
        text = _HEAD.format(count=count, tokens=size, advice=advice) + (f"\n{body}" if body else "")
        tokens = max(size, len(text.encode()) // BYTES_A_TOKEN)
    return text.encode()


def lines_in(index: bytes) -> dict[str, str] | None:
    """The lines by topic of an INDEX.md that `build` made; None for one that it did not make byte for byte."""
    try:
        text = index.decode()
    except UnicodeDecodeError:
        return None
    lines = {match[1]: match[0] for line in text.split("\n") if (match := _LINE.fullmatch(line))}
    return lines if build(lines) == index else None


def _newest(dates: list[str]) -> str:
    """The newest real date."""
    for text in sorted(filter(None, set(dates)), reverse=True):
        try:
            dt.date.fromisoformat(text)
        except ValueError:
            continue
        return text
    return ""


def _fast(data: bytes) -> Entry | None:
    """What `recover` gives of an entry in the plainest form, as far as a line of INDEX.md needs it; None for any other."""
    if data.translate(None, _UNUSUAL) != data or b" \n" in data:
        return None
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return None
    if not text.isascii() and (UNSEEN.search(text) or CONTROL.search(text)):
        return None
    match = _PLAIN.fullmatch(text)
    if match is None or _is_doubtful(match[ANSWER]):
        return None
    items = {name: _items(name, match[name]) for name in LISTS}
    return Entry(match["title"], match[ANSWER], items)


def _is_doubtful(answer: str) -> bool:
    """Whether `mend.recover` might give another Answer: none, or one of several."""
    dates = _ANY_DATE.findall(answer)
    return is_none(answer) or len(dates) > 1 or bool(dates and not answer_date(answer))


def _items(name: str, text: str) -> tuple[str, ...]:
    if text == NONE:
        return ()
    items = f"\n{text}".split("\n- ")[1:]
    return tuple({identity(item): item for item in items}.values()) if name == OPEN else tuple(items)
