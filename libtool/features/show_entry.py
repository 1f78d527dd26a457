"""`lib show entry:TOPIC`: an entry as it lies in the work tree, redacted, its sections by what a reader needs first."""

from __future__ import annotations

import os

from libtool.domain import passages
from libtool.domain.schema import ANSWER, BLOCKER, DECIDED, MEASURED, NONE, OPEN, POINTERS, SECTIONS, SESSION, SUPERSEDED
from libtool.domain.text import clean
from libtool.errors import LibError, NotIndexed, UsageError
from libtool.features import sources
from libtool.features.search import caught_up
from libtool.storage import library
from libtool.storage.checked import Checks
from libtool.storage.session_db import SessionDb

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from libtool.config import Config
    from libtool.domain.cited import Cited
    from libtool.domain.passages import Passage
    from libtool.domain.ref import Ref

_FIRST = (ANSWER, "", BLOCKER, DECIDED, OPEN, MEASURED, SUPERSEDED, SESSION, POINTERS)
"""Sections by what a reader wants when not all fits; those of other names come last."""
_NEAREST = 5
_HEADING = 5
"""Bytes of `## ` and two line ends, which a section takes beside its name and text."""
_SHORTEST = 80


class ShownEntry:
    """An entry: its topic, title, date, sections that hold something, and the sessions it names."""

    __slots__ = ("checked", "cited", "date", "here", "path", "sections", "title", "topic")

    def __init__(self, topic: str, path: str, text: str) -> None:
        self.topic = topic
        self.path = path
        self.title, parts = passages.sections(text)
        self.sections = [part for part in parts if part.text and part.text != NONE]
        read = passages.read(topic, text)
        self.date = read.date
        self.cited: Sequence[Cited] = read.cited
        self.here: dict[tuple[str, str], bool] = {}
        """Whether this machine has a session, by agent and id."""
        self.checked = ""
        """What `lib verify` found last: `holds, at 9f3c2d1`; '' when it was never checked."""


def show_entry(config: Config, ref: Ref, *, section: str = "") -> ShownEntry:
    """The entry that a REF names, or one section of it (in any case, any beginning of its name).

    Raises LibraryNotFound; LibError for a topic or section that is not there, naming the nearest; UsageError for no section's name.
    """
    topic = ref.name.strip().removesuffix(".md")
    try:
        data = library.read(config.library, topic)
    except LibError as error:
        if library.is_library(config.library):
            raise LibError(f"no such entry: {topic[:80]}", hint=_nearest(topic, library.topics(config.library))) from error
        raise
    from libtool.features import redact  # noqa: PLC0415 - the redactor, which a session does without

    text = redact.redactor(config).redact(clean(data.decode("utf-8", "replace")))
    shown = ShownEntry(topic, os.path.join(config.library, library.ENTRIES, f"{topic}.md"), text)
    if section:
        _choose(shown, section)
    shown.checked = Checks(config).told(topic, data)
    _look_up(config, shown)
    return shown


def _choose(shown: ShownEntry, section: str) -> None:
    known = list(dict.fromkeys([*SECTIONS, *(part.section for part in shown.sections if part.section)]))
    wanted = [name for name in known if name.lower().startswith(section.strip().lower())]
    if not wanted:
        raise UsageError(f"no such section: {section[:40]}", hint=f"the sections are: {', '.join(SECTIONS)}")
    shown.sections = [part for part in shown.sections if part.section in wanted]
    if not shown.sections:
        raise LibError(f"the entry {shown.topic} has nothing in {wanted[0]}", hint=f"`lib show entry:{shown.topic}` shows what it has")


def _look_up(config: Config, shown: ShownEntry) -> None:
    """Which of the sessions that the entry names can be shown here."""
    try:
        sessions = SessionDb(config.store_db)
    except NotIndexed:
        return
    with sessions:
        for agent, sid, _, _ in shown.cited:
            shown.here[agent, sid] = sources.is_here(config.home, sessions, agent, sid)


def _nearest(topic: str, topics: Sequence[str]) -> str:
    """A hint with the topics that look like the one asked for, or share a word with it."""
    import difflib  # noqa: PLC0415 - only for a message

    words = set(topic.lower().split("-"))
    near = difflib.get_close_matches(topic.lower(), topics, n=_NEAREST, cutoff=0.6)
    near += [one for one in topics if one not in near and words & set(one.split("-"))]
    if near:
        return f"is it one of: {', '.join(f'entry:{one}' for one in near[:_NEAREST])}"
    return "`lib topics` lists the entries" if topics else "the library has no entries yet: `lib new TOPIC` makes one"


def fit(sections: Sequence[Passage], room: int) -> tuple[list[Passage], list[str]]:
    """What of the sections fits into `room` bytes, in the order of the file, and the names of those cut or left out."""
    order = sorted(
        range(len(sections)), key=lambda at: (_FIRST.index(name) if (name := sections[at].section) in _FIRST else len(_FIRST), at)
    )
    kept: dict[int, Passage] = {}
    left_out: set[int] = set()
    for at in order:
        part = sections[at]
        over = len(part.section.encode("utf-8", "replace")) + _HEADING
        data = part.text.encode("utf-8", "replace")
        if len(data) + over > room:
            left_out.add(at)
            if room - over < _SHORTEST:
                continue
            # Whole items: half a decision may be its opposite.
            cut = data[: room - over - 4]
            end = cut.rfind(b"\n")
            part = part._replace(text=(cut[:end] if end > len(cut) // 2 else cut).decode("utf-8", "ignore") + "\n\u2026")
            data = part.text.encode("utf-8", "replace")
        kept[at] = part
        room -= len(data) + over
    return [kept[at] for at in sorted(kept)], [sections[at].section or "before the first section" for at in sorted(left_out)]


def elsewhere(config: Config, ref: Ref) -> LibError | None:
    """The error for a session that is not on this machine but that entries name: where it lives; None when none does."""
    agent, name = ref.agent, ref.name
    try:
        database, _ = caught_up(config)
    except NotIndexed:
        return None
    with database:
        found = database.lives_on(agent, name)
    if not found:
        return None
    agent, sid, machine, topic = found[0]
    if len({row[:2] for row in found}) > 1:
        names = ", ".join(dict.fromkeys(f"{one}:{other} on {where}" for one, other, where, _ in found))
        return UsageError(f"{name} may be one of several sessions of other machines", hint=f"say which: {names}")
    if machine == config.machine:
        return LibError(
            f"the session {agent}:{sid} ran on this machine, but lib does not hold it: forgotten, or not indexed yet",
            hint=f"`lib show entry:{topic}` shows what was taken from it; `lib index` takes in what is new",
        )
    return LibError(
        f"the session {agent}:{sid} is not on this machine: it lives on {machine}",
        hint=f"`lib show entry:{topic}` shows what was taken from it; open it with `lib show {agent}:{sid}` on {machine}",
    )
