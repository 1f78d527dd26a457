"""INDEX.md: one line for each entry, the same bytes on each machine."""

from __future__ import annotations

import contextlib
import datetime as dt
import re
from bisect import bisect_left

from libtool.domain.decode import CONTROL, UNSEEN
from libtool.domain.entry import Malformed, answer_date, identity, item_date, paragraph, parse, tidy, undated
from libtool.domain.entry_reader import is_none
from libtool.domain.lazy import lazy
from libtool.domain.mend import recover
from libtool.domain.named import NamedTuple
from libtool.domain.schema import ANSWER, BLOCKER, ENTRIES, INDEX_TOKENS, LISTS, NONE, OPEN, SESSION
from libtool.domain.sentence import first_sentence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

BYTES_A_TOKEN = 4
_LINE = re.compile(r"- \[([a-z0-9-]+)\]\(entries/\1\.md\): [^\n]*")
_HEAD = """# Library index

Generated from entries/ by lib: do not edit. {count}, {tokens} tokens.
{advice}
"""
_READ = "A line tells what an entry answers; read the entry itself before you rely on it."
_DO_NOT_READ = "Too long to read whole: stop here, and let `lib topics KEYWORDS` print the lines that match."

# The form that nearly all entries have, in one expression: an Answer without tags, headings or underlines; lists without oddities.
# Whatever it does not match is read with care, to the same result.
_PROSE = r"(?:- [^\s-]|[^\s#<`~>=|-])[^\n]*+"
_FENCE = r"```[^\n`]*+\n(?:(?! {0,3}```)[^\n]*+\n)*+```(?=\n)"
_ITEM = r"- (?![Nn][Oo][Nn][Ee])[^\s-][^\n]*+(?:\n\n?  [^\n]++)*+"
_PLAIN = lazy(
    rf"# (?P<title>[^\n#]+)\n\n## {ANSWER}\n\n(?P<{ANSWER}>{_PROSE}(?:\n\n?(?:{_PROSE}|{_FENCE}))*)\n"
    + "".join(rf"\n## {name}\n\n(?P<{name}>None\.|{_ITEM}(?:\n{_ITEM})*)\n" for name in LISTS)
)
_DATED = re.compile(r"(?m)^- ([0-9]{4}-[0-9]{2}-[0-9]{2}):(?=\s)")
_ANY_DATE = re.compile(r"\([0-9]{4}-[0-9]{2}-[0-9]{2}\)")
_UNUSUAL = bytes([*range(10), *range(11, 32), 127])


class _Facts(NamedTuple):
    """What a line of INDEX.md tells of an entry; `dates` are all that the format knows, real or not."""

    title: str
    answer: str
    open: int
    blocked: bool
    dates: Iterable[str]


def line_of(topic: str, data: bytes, *, alone: bool = False) -> str:
    """The line of an entry, without a newline; total: whatever the bytes are. The same for `mend.canonical` of them.

    `alone`: it is one of a few, for which the fast way would take longer to set up than the careful one.
    """
    facts = (None if alone else _fast(data)) or _read(data, topic)
    lines = undated(facts.answer).split("\n")
    start, end = paragraph(lines)
    parts = [
        f"- [{topic}]({ENTRIES}/{topic}.md): {first_sentence(' '.join(lines[start:end])) or first_sentence(facts.title)}",
        f"{facts.open} open" if facts.open else "",
        "blocked" if facts.blocked else "",
        _newest([answer_date(facts.answer), *facts.dates]),
    ]
    return " \u00b7 ".join(part for part in parts if part)


def build(lines: Mapping[str, str]) -> bytes:
    """INDEX.md of these lines by topic, in whatever order they come."""
    return _headed("".join(f"{lines[topic]}\n" for topic in sorted(lines)).encode(), len(lines))


def _headed(body: bytes, entries: int) -> bytes:
    """The lines below their head."""
    count = f"{entries} {'entry' if entries == 1 else 'entries'}"
    below = b"\n" + body if body else b""
    size, tokens = -1, 0
    # The number is a part of what it counts.
    while size != tokens:
        size = tokens
        advice = _READ if size <= INDEX_TOKENS else _DO_NOT_READ
        head = _HEAD.format(count=count, tokens=size, advice=advice).encode()
        tokens = max(size, (len(head) + len(below)) // BYTES_A_TOKEN)
    return head + below


def patched(index: bytes, changes: Mapping[str, str | None]) -> bytes:
    """An INDEX.md that `build` made with some lines, by topic, put in or, for None, taken out: as `build` of all the lines, but sooner.

    Not asked is whether `build` did make it: `lines_in` tells.
    """
    lines = index.split(b"\n")[:-1]
    del lines[: _HEAD.count("\n") + 1]
    for topic, line in changes.items():
        at = bisect_left(lines, topic.encode(), key=_topic_of)
        end = at + (at < len(lines) and _topic_of(lines[at]) == topic.encode())
        lines[at:end] = () if line is None else (line.encode(),)
    return _headed(b"\n".join((*lines, b"")), len(lines))


def _topic_of(line: bytes) -> bytes:
    return line[len("- [") : line.index(b"]")]


def lines_in(index: bytes) -> dict[str, str] | None:
    """The lines by topic of an INDEX.md that `build` made; None for one that it did not make byte for byte."""
    try:
        text = index.decode()
    except UnicodeDecodeError:
        return None
    lines = {match[1]: match[0] for line in text.split("\n") if (match := _LINE.fullmatch(line))}
    return lines if build(lines) == index else None


def _newest(dates: Iterable[str]) -> str:
    """The newest real date."""
    for text in sorted(filter(None, set(dates)), reverse=True):
        with contextlib.suppress(ValueError):
            return dt.date.fromisoformat(text).isoformat()
    return ""


def _fast(data: bytes) -> _Facts | None:
    """The facts of an entry in the plainest form; None for any other."""
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
    items = () if match[OPEN] == NONE else {identity(item) for item in f"\n{match[OPEN]}".split("\n- ")[1:]}
    sessions = f"\n{match[SESSION]}".split("\n- ")[1:]
    dates = [*_DATED.findall(text, match.end(ANSWER), match.start(SESSION)), *(item_date(SESSION, item) for item in sessions)]
    return _Facts(match["title"], match[ANSWER], len(items), match[BLOCKER] != NONE, dates)


def _read(data: bytes, topic: str) -> _Facts:
    """The facts of any entry, as `recover` finds them; most often it need not be asked."""
    try:
        entry = parse(data)
    except Malformed:
        entry = recover(data, topic=topic)
    else:
        if _is_doubtful(entry.answer) or len(tidy(OPEN, entry.items[OPEN])) != len(entry.items[OPEN]):
            entry = recover(data, topic=topic)
    dates = (item_date(name, item) for name in LISTS for item in entry.items[name])
    return _Facts(entry.title, entry.answer, len(entry.items[OPEN]), bool(entry.items[BLOCKER]), dates)


def _is_doubtful(answer: str) -> bool:
    """Whether `mend.recover` might give another Answer: none, or one of several."""
    dates = _ANY_DATE.findall(answer)
    return is_none(answer) or len(dates) > 1 or bool(dates and not answer_date(answer))
