"""`lib capture --import FILES`: notes as draft entries, in one commit of lib's own that is easily taken back."""

from __future__ import annotations

import codecs
import os
import re
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import cited
from libtool.domain import topics as matching
from libtool.domain.dates import moment
from libtool.domain.entry import is_topic, slug_of
from libtool.domain.mend import mend
from libtool.domain.project import identify
from libtool.domain.review import note as notes
from libtool.domain.review.entries import Source, apply
from libtool.domain.schema import ANSWER, DECIDED, ENTRY_LIMIT, POINTERS, READ_LIMIT
from libtool.domain.validate import problems
from libtool.errors import UsageError
from libtool.features import library_commit, redact
from libtool.features.projects import pointer_name, read_small
from libtool.features.sources import NOTE, note_name
from libtool.storage import git

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping, Sequence

    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.domain.review.block import Block
    from libtool.domain.validate import Problem
    from libtool.features.library_commit import LibraryCommit

CREATED, UPDATED, UNCHANGED, SKIPPED = "created", "updated", "unchanged", "skipped"
ROOM = ENTRY_LIMIT - 600
"""Bytes of an entry that the items of a note may fill."""
LEAST = 0.02
"""The smallest share of a note that is tried: a note may be one endless line."""


class Imported(NamedTuple):
    """What became of one file."""

    path: str
    topic: str
    state: str
    reason: str = ""
    items: int = 0
    left_out: int = 0
    """Items that there was no room for, and lines of code: they stand in the note, which the entry points to."""


class _Given(NamedTuple):
    """A note that can become an entry."""

    path: str
    block: Block
    source: Source
    pointers: tuple[str, ...]
    project: str
    code_left_out: int


def import_notes(config: Config, environ: Mapping[str, str], paths: Sequence[str], *, topic: str = "", dry: bool = False) -> list[Imported]:
    """Make entries of note files, or add to the one on `topic`. With `dry` only say what would become of them.

    A file that was imported before goes on in its own entry. Raises UsageError, LibraryNotFound, Locked, SyncRefused.
    """
    if topic and not is_topic(topic):
        raise UsageError(f"not a topic: {topic[:80]}", hint="small letters and digits, joined by `-`, such as auth-rotation")
    today = datetime.now().astimezone().date()
    redactor = redact.redactor(config)
    given = [_given(config, environ, path, redactor, today) for path in paths]
    done: list[Imported] = []

    def change(now: LibraryCommit) -> tuple[Mapping[str, bytes], str]:
        run = _Run(now, redactor, today, topic)
        done[:] = [one if isinstance(one, Imported) else run.add(one) for one in given]
        count = sum(one.state in (CREATED, UPDATED) for one in done)
        return run.contents, f"Import {count} {'note' if count == 1 else 'notes'}\n\n" + "".join(
            f"Session: note:{name}\n" for name in run.sources
        )

    with library_commit.opened(config, environ) as commit:
        if dry:
            change(commit)
            return done
        made = commit.commit(change)
    if made:
        from libtool.features import sync_after  # noqa: PLC0415 - most imports change something; a dry run does not

        sync_after.take_in(config)
    return done


def _given(config: Config, environ: Mapping[str, str], path: str, redactor: Redactor, today: dt.date) -> _Given | Imported:
    try:
        status = os.stat(path)
        if not os.path.isfile(path) or status.st_size > READ_LIMIT:
            return Imported(path, "", SKIPPED, "no plain file" if not os.path.isfile(path) else f"larger than {READ_LIMIT >> 20} MB")
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        return Imported(path, "", SKIPPED, error.strerror or "cannot be read")
    text = _text(data)
    if not text.strip():
        return Imported(path, "", SKIPPED, "no text")
    path = os.path.abspath(path)
    name = os.path.splitext(os.path.basename(path))[0]
    found = notes.read(redactor.redact(text), name)
    if not any(found.block.sections.values()):
        return Imported(path, "", SKIPPED, "nothing in it but headings")
    ref = note_name(config.home, path)
    day = found.date if _is_past(found.date, today) else min(moment(status.st_mtime)[:10], today.isoformat())
    project = identify(os.path.dirname(path), read_small)
    pointers = (f"note:{redactor.redact(ref)}", *_in_repository(environ, path, pointer_name(project)))
    source = Source(NOTE, redactor.redact(ref), "", config.machine, day)
    return _Given(path, found.block, source, pointers, project.name, found.code_left_out)


def _text(data: bytes) -> str:
    """The text of a note: UTF-8, UTF-16 that says so, else the old form of western languages; '' for what is no text."""
    try:
        text = data.decode("utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    return "" if "\0" in text or "\ufffd" in text else text


def _is_past(day: str, today: dt.date) -> bool:
    """Whether a text is a day that has been: a note may give one that is none."""
    try:
        return date.fromisoformat(day) <= today
    except ValueError:
        return False


def _in_repository(environ: Mapping[str, str], path: str, project: str) -> tuple[str, ...]:
    """`<project>@<commit> <path>` of a file that its repository's last commit has."""
    folder, name = os.path.split(path)
    if not project or not git.find(environ):
        return ()
    asked = git.Git(folder, git.unbound(environ))
    lines = asked.line("rev-parse", "HEAD", "--show-prefix").split("\n")
    if len(lines) != 2 or not asked.line("ls-tree", "--name-only", "HEAD", "--", name) or re.search(r"\s", lines[1] + name):
        return ()
    return (f"{project}@{lines[0][:12]} {lines[1]}{name}",)


class _Run:
    """One import upon what is committed now."""

    def __init__(self, now: LibraryCommit, redactor: Redactor, today: dt.date, topic: str) -> None:
        self._now = now
        self._redactor = redactor
        self._today = today
        self._topic = topic
        self.contents: dict[str, bytes] = {}
        self.sources: list[str] = []
        self._of: dict[str, str] = {}
        """Note to the topic of the entry that was made of it."""
        self._topics = set(now.topics())
        for topic_there in sorted(self._topics):
            for one in cited.of_data(now.read(topic_there) or b""):
                if one.agent == NOTE:
                    self._of.setdefault(one.sid, topic_there)

    def add(self, given: _Given) -> Imported:
        """Put one note into its entry."""
        topic = self._topic or self._of.get(given.source.sid) or self._new_topic(given)
        if self._now.in_the_way(topic):
            return Imported(given.path, topic, SKIPPED, f"entries/{topic}.md has changes that are not committed")
        old = self.contents.get(topic, self._now.read(topic))
        data, items, left_out = self._entry(given, topic, old)
        if data == old:
            return Imported(given.path, topic, UNCHANGED)
        wrong = [one for one in self._problems(data, topic) if not one.is_warning]
        if wrong:
            return Imported(given.path, topic, SKIPPED, f"{wrong[0].code} {wrong[0].message}")
        self.contents[topic] = data
        self.sources.append(given.source.sid)
        self._topics.add(topic)
        self._of[given.source.sid] = topic
        return Imported(given.path, topic, CREATED if old is None else UPDATED, items=items, left_out=left_out + given.code_left_out)

    def _new_topic(self, given: _Given) -> str:
        """A topic that no entry has: a note is never run together with another one that only has its title."""
        made = matching.slug("", given.block.title, "", os.path.basename(given.path))
        project = slug_of(given.project.rpartition("/")[2])
        topic = made if made not in self._topics or not project else f"{project}-{made}"[:80].rstrip("-")
        number = 2
        while topic in self._topics:
            topic = f"{made[:75].rstrip('-')}-{number}"
            number += 1
        return topic

    def _entry(self, given: _Given, topic: str, old: bytes | None) -> tuple[bytes, int, int]:
        """(the entry, new items, items left out): as much of the note as an entry has room for, its beginning first."""
        block, left_out = self._fitting(given, topic)
        applied = apply(old, block, given.source, topic, frozenset(self._topics | {topic}), self._today)
        if applied.data == old:
            return applied.data, 0, left_out
        return mend(self._redactor.redact(applied.data.decode()).encode(), topic=topic, today=self._today), applied.added, left_out

    def _fitting(self, given: _Given, topic: str) -> tuple[Block, int]:
        """The block, and how many of its texts it is without: so many that an entry of its own has room. The same for the same note."""
        sections = {**given.block.sections, POINTERS: (*given.pointers, *given.block.sections.get(POINTERS, ()))}
        total = sum(len(texts) for texts in sections.values())
        share = 1.0
        while True:
            block = given.block._replace(sections={name: _first(name, texts, share) for name, texts in sections.items()})
            kept = sum(len(texts) for texts in block.sections.values())
            if kept < total:
                more = f"{total - kept} more passages stand in the note"
                block.sections[DECIDED] = (*block.sections.get(DECIDED, ()), more)
            size = len(apply(None, block, given.source, topic, frozenset(self._topics), self._today).data)
            if size <= ENTRY_LIMIT or share < LEAST:
                return block, total - kept
            share *= min(0.9, ROOM / size)

    def _problems(self, data: bytes, topic: str) -> list[Problem]:
        return problems(data, topic, topics=frozenset(self._topics | {topic}), today=self._today, redactor=self._redactor)


def _first(name: str, texts: tuple[str, ...], share: float) -> tuple[str, ...]:
    """The first texts of a section, as large a share of it by length; the first one of the Answer and of Pointers always."""
    room = sum(map(len, texts)) * share
    kept: list[str] = []
    for text in texts:
        room -= len(text)
        if room < 0 and (kept or name not in (ANSWER, POINTERS)):
            break
        kept.append(text)
    return tuple(kept)
