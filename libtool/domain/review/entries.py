"""A block put into an entry: its items dated, cited and made safe, its Answer in the place of the old one, nothing said twice."""

from __future__ import annotations

import datetime as dt
import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.cited import AGENT
from libtool.domain.entry import Entry, answer_date, answer_text, identity, item_date, render, superseded, tidy, undated, unprinted
from libtool.domain.item_rules import dangling, problems_of
from libtool.domain.mend import mend, recover
from libtool.domain.review.inert import inert, opening
from libtool.domain.review.items import DONE
from libtool.domain.schema import ANSWER, ANSWER_LIMIT, BLOCKER, DECIDED, ITEM_LIMIT, LISTS, MEASURED, OPEN, POINTERS, SESSION, SUPERSEDED

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from libtool.domain.review.block import Block

_DATE = re.compile(r"[\[(*_]{0,3}([0-9]{4}-[0-9]{2}-[0-9]{2})[\])*_]{0,3}\s*[:\uff1a—\u2013-]\s+")
_ENDING_DATE = re.compile(r" ?\(([0-9]{4}-[0-9]{2}-[0-9]{2})\)[. ]*$")
_CITE = re.compile(rf" ?[(\[](?:({AGENT}):([^\s()\[\]#]{{4,}}))? ?(?:#|turn #?|t)(\d{{1,6}}) ?[)\]]\.?$")
_SOURCE = re.compile(rf" ?\({AGENT}:(?!//)[^\s()]+\)\.?$")
_URL = re.compile(r"https?://[^\s<>\"'()\[\]]+")
_PATH = re.compile(r"`?((?:[\w.@~+-]+/)*[\w.@+-]+\.\w{1,8}|(?:[\w.@~+-]+/)+[\w.@+-]+)`?(?:[:#]L?(\d+)(?:-L?(\d+))?)?")
_SENTENCE = re.compile(r"(?<=[.!?;。\uff01\uff1f])\s+")
_MOST_TURNS = 100_000
_FROM = (DECIDED, MEASURED, SUPERSEDED, BLOCKER, OPEN)
"""Where an Answer is taken from when the reviewer wrote none."""
_MOVES_FROM = (DECIDED, OPEN, BLOCKER, MEASURED)


class Source(NamedTuple):
    """The session that a block speaks of."""

    agent: str
    sid: str
    short: str
    """The tail of the id that items cite; '' for no cites: the Session section says it all."""
    machine: str
    date: str
    """The day that its items are of, `YYYY-MM-DD`, not after today."""
    turns: int = 0
    """Its last turn; 0 when unknown."""
    place: str = ""
    """`<project>@<commit>` that its paths lie in; '' when unknown."""
    folder: str = ""
    """Where it ran; '' when unknown."""
    prefix: str = ""
    """That folder's path in the project, with a `/` behind it; '' for its top."""

    def cite(self, turn: int) -> str:
        """What stands behind an item of a turn (0: none)."""
        return f" ({self.agent}:{self.short}{f'#{turn}' if turn else ''})" if self.short else ""

    @property
    def line(self) -> str:
        """Its item of Session."""
        return f"{self.agent}:{self.sid} {self.machine} {self.date}"


class Applied(NamedTuple):
    """What became of a block: the entry, how many items are new, whether the Answer is another one."""

    data: bytes
    added: int
    answered: bool


def apply(old: bytes | None, block: Block, source: Source, topic: str, topics: Container[str], today: dt.date) -> Applied:
    """The entry with what the block says; the very bytes of `old` when that is nothing new.

    `topics` are those that exist, for links. Items that the entry has (whatever their date and source) are not added again; one that the
    block calls superseded leaves the other sections. A new Answer takes the place of the old one, which stays in Superseded.
    """
    was = recover(old, topic=topic) if old is not None else Entry(_title(block, topic), "", dict.fromkeys(LISTS, ()))
    answer, items = _taken(block, source, topics, today)
    said = _bare(answer_text(was.answer))
    answered = bool(answer) and _bare(answer_text(answer)) != said
    if answered and answer_date(answer) < _concluded(was):
        # An old session, captured late, does not take back what a later one concluded.
        items[SUPERSEDED] = (*items.get(SUPERSEDED, ()), superseded(answer))
        answered = False
    if answered:
        answer = _dated_behind(answer, answer_date(was.answer), today)
    if not was.answer and not answer:
        # It stands in its section no more: once is enough.
        answer = next((f"{opening(_bare_text(found[0]))} ({source.date})" for name in _FROM if (found := items.get(name))), "")
        answered = bool(answer)
        said = _bare(answer_text(answer))
    gone = {_bare(item) for item in items.get(SUPERSEDED, ())}
    moved = [item for name in _MOVES_FROM for item in was.items[name] if _bare(item) in gone]
    kept = {name: tuple(item for item in was.items[name] if item not in moved) for name in LISTS}
    known = {_bare(item) for section in LISTS for item in kept[section]} | {said} - {""}
    # What is superseded comes first, so that no other section says it; what stood elsewhere keeps its date and its source.
    ordered = {SUPERSEDED: (*moved, *items.pop(SUPERSEDED, ())), **items}
    new = {section: tuple(_fresh(found, known)) for section, found in ordered.items()}
    added = sum(map(len, new.values()))
    if old is not None and not added and not answered and not moved:
        return Applied(old, 0, answered=False)
    if not any(item.startswith(f"{source.agent}:{source.sid} ") for item in was.items[SESSION]):
        new[SESSION] = (source.line,)
    entry = Entry(was.title, answer if answered else was.answer, {name: tidy(name, (*kept[name], *new.get(name, ()))) for name in LISTS})
    return Applied(mend(render(entry), topic=topic, today=today, before=old), added, answered)


def _concluded(entry: Entry) -> str:
    """The day that an entry's Answer is of, `YYYY-MM-DD`; '' for none.

    One that took the place of another of the same day had to be dated behind it. Those days stand in Superseded, one after the other,
    down to that of a session.
    """
    date = answer_date(entry.answer)
    sessions = {item.rpartition(" ")[2] for item in entry.items[SESSION]}
    replaced = {item_date(SUPERSEDED, item) for item in entry.items[SUPERSEDED] if _SOURCE.search(item) is None}
    while date not in sessions and (before := _day(date, -1)) in replaced - {""}:
        date = before
    return date


def _dated_behind(answer: str, last: str, today: dt.date) -> str:
    """The Answer with the day after `last` where it is not of a later day, but with none that has yet to come."""
    own = answer_date(answer)
    behind = _day(last, 1)
    if own > last or not behind or behind > today.isoformat():
        return answer
    first, newline, rest = answer.partition("\n")
    return f"{first.removesuffix(f'({own})')}({behind}){newline}{rest}"


def _day(date: str, step: int) -> str:
    """So many days later; '' where there is no such day."""
    try:
        return (dt.date.fromisoformat(date) + dt.timedelta(days=step)).isoformat()
    except (ValueError, OverflowError):
        return ""


def _taken(block: Block, source: Source, topics: Container[str], today: dt.date) -> tuple[str, dict[str, tuple[str, ...]]]:
    """The Answer ('' for none) and the new items of each section, as they may stand in an entry."""
    found: dict[str, list[str]] = {name: [] for name in LISTS}
    answer, overflow = _answer(block.sections.get(ANSWER, ()), source, today)
    found[DECIDED] += overflow
    for name, texts in block.sections.items():
        if name in (ANSWER, SESSION):
            continue
        for text in texts:
            if name == POINTERS:
                pointer = _pointer(text, source, topics)
                if pointer:
                    found[POINTERS].append(pointer)
                else:
                    found[DECIDED] += _items(f"see {text}", source, today)
            elif name == OPEN and text.startswith(DONE):
                found[DECIDED] += _items(text.removeprefix(DONE), source, today)
            else:
                found[name] += _items(text, source, today)
    for heading, texts in block.extra:
        found[OPEN] += [item for text in texts for item in _items(f"{heading.strip(' :')}: {text}", source, today)]
    return answer, {name: tuple(dict.fromkeys(items)) for name, items in found.items() if items}


def _answer(paragraphs: Sequence[str], source: Source, today: dt.date) -> tuple[str, list[str]]:
    """The Answer within its limit, dated at the end of its first paragraph, and what there was no room for as items."""
    kept: list[str] = []
    over: list[str] = []
    date = source.date
    for at, paragraph in enumerate(paragraphs):
        listed = paragraph.startswith("- ") and bool(kept)
        text = " ".join(paragraph.removeprefix("- ").split())
        if at == 0 and (ending := _ENDING_DATE.search(text)):
            text = text[: ending.start()]
            date = ending[1] if _is_past(ending[1], today) else date
        text = inert(_uncited(_ENDING_DATE.sub("", text)))
        if not text:
            continue
        line = f"- {text}" if listed else opening(text)
        if over or sum(map(len, kept)) + 2 * len(kept) + len(line) > ANSWER_LIMIT - 20:
            pieces = _pieces(text, ANSWER_LIMIT - 20) if not kept else [text]
            if not kept:
                kept.append(opening(pieces.pop(0)))
            over += [item for piece in pieces for item in _items(piece, source, today)]
            continue
        kept.append(line)
    if not kept:
        return "", over
    kept[0] = f"{kept[0]} ({date})"
    lines = [kept[0]]
    for before, line in pairwise(kept):
        lines += [line] if before.startswith("- ") and line.startswith("- ") else ["", line]
    return "\n".join(lines), over


def _items(text: str, source: Source, today: dt.date) -> list[str]:
    """A text as items: dated, cited, none longer than its limit."""
    text, date = " ".join(text.split()), source.date
    if (dated := _DATE.match(text)) is not None:
        text = text[dated.end() :] if _is_past(dated[1], today) else f"{dated[1]} {text[dated.end() :]}"
        date = dated[1] if _is_past(dated[1], today) else date
    turn = source.turns
    if (cite := _CITE.search(text)) is not None and (not cite[1] or _is_own(cite[1], cite[2], source)):
        text = text[: cite.start()]
        turn = int(cite[3]) if 0 < int(cite[3]) <= (source.turns or _MOST_TURNS) else turn
    elif (own := _SOURCE.search(text)) is not None and source.short and f":{source.short})" in own[0]:
        text = text[: own.start()]
    text = inert(text)
    mark = source.cite(turn)
    room = ITEM_LIMIT - len(date) - 2 - len(mark)
    return [f"{date}: {piece}{mark}" for piece in _pieces(text, room) if piece]


def _is_own(agent: str, sid: str, source: Source) -> bool:
    return agent == source.agent and (source.sid.endswith(sid) or source.sid.startswith(sid))


def _uncited(text: str) -> str:
    return _CITE.sub("", text)


def _is_past(text: str, today: dt.date) -> bool:
    try:
        return dt.date.fromisoformat(text) <= today
    except ValueError:
        return False


def _pieces(text: str, room: int) -> list[str]:
    """A text in pieces of at most `room` characters, cut behind sentences, else between words, else anywhere."""
    pieces: list[str] = []
    while len(text) > room:
        cut = max((match.start() for match in _SENTENCE.finditer(text, 0, room)), default=0)
        if cut < room // 3:
            cut = text.rfind(" ", room // 3, room)
        if cut <= 0:
            cut = room
        pieces.append(text[:cut].rstrip())
        text = text[cut:].lstrip()
    return [*pieces, text]


def _pointer(text: str, source: Source, topics: Container[str]) -> str:
    """A pointer in its one form; '' for a text that is none, or too long for one."""
    if len(text) > ITEM_LIMIT - 100:
        return ""
    text = " ".join(text.split())
    for form in (text, text.strip("`")):
        if (
            not any(problems_of(POINTERS, [(1, form)], dt.date.max - dt.timedelta(days=2)))
            and not dangling(form, topics)
            and _is_plain(form)
        ):
            return form
    url = _URL.search(text)
    if url is not None:
        said = " ".join((text[: url.start()] + text[url.end() :]).split()).strip(" :\u2013—-<>`*.,")
        said = inert(said[1:-1] if said[:1] + said[-1:] in ("()", "[]") else said)
        bare = said.replace("[", "(").replace("]", ")")
        return f"[{bare}]({url[0]})" if bare else url[0]
    inside = text.lstrip("`").removeprefix(f"{source.folder}/") if source.folder else text
    path = _PATH.match(inside)
    if path is not None and source.place and not inside.startswith(("~", "/", "..")):
        lines = f"#L{path[2]}" + (f"-L{path[3]}" if path[3] else "") if path[2] else ""
        rest = inert(inside[path.end() :].strip(" :\u2013—-()`*"))
        return f"{source.place} {source.prefix}{path[1]}{lines}" + (f" {rest}" if rest else "")
    return ""


def _is_plain(text: str) -> bool:
    return inert(text) == text or (text.startswith("[[") and inert(text) == "\\" + text)


def _fresh(items: Iterable[str], known: set[str]) -> Iterable[str]:
    """The items that are not known yet, each once; they are known from now on."""
    for item in items:
        bare = _bare(item)
        if bare not in known:
            known.add(bare)
            yield item


def _bare_text(item: str) -> str:
    """An item without its date and its sources."""
    text = identity(item)
    if item_date(DECIDED, text):
        text = text[12:]
    while (source := _SOURCE.search(text)) is not None:
        text = text[: source.start()]
    return text


def _bare(item: str) -> str:
    """What an item says, whoever said it when and with whatever stop at its end."""
    return unprinted(_bare_text(undated(item) if item.endswith(")") else item)).casefold().rstrip(" .;,")


def _title(block: Block, topic: str) -> str:
    """The title of a new entry: the reviewer's, else the topic's words."""
    words = inert(block.title or "").strip("#* ")
    if not words and not re.fullmatch(r"[a-z0-9-]*", block.topic):
        words = inert(block.topic)
    return _pieces(words, 120)[0].rstrip("# ") if words else topic.replace("-", " ").capitalize()
