"""Putting blocks that wait into entries: which entry each belongs to, what may not go there, a commit for each session."""

from __future__ import annotations

import contextlib
import json
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain import topics as matching
from libtool.domain.mend import mend
from libtool.domain.review.block import Block
from libtool.domain.review.entries import Source, apply
from libtool.domain.schema import ANSWER
from libtool.domain.validate import problems
from libtool.errors import LibError
from libtool.features import library_commit, review_kept
from libtool.storage import entry_files

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Mapping, Sequence

    from libtool.config import Config
    from libtool.domain.redact import Redactor
    from libtool.domain.validate import Problem
    from libtool.features.library_commit import LibraryCommit
    from libtool.storage.reviews import Waiting

CREATED, UPDATED, UNCHANGED, WAITING, KEPT = "created", "updated", "unchanged", "waiting", "kept"


class Result(NamedTuple):
    """What became of one block."""

    topic: str
    state: str
    """One of CREATED, UPDATED, UNCHANGED (all of it was there), WAITING, KEPT (beside the log)."""
    added: int = 0
    """Items that are new."""
    answered: bool = False
    """Whether the Answer is another one."""
    suggestion: str = ""
    """The topic of an entry that it may belong to, where lib was not sure."""
    reason: str = ""
    """Why it waits, or was kept."""
    session: str = ""
    """`<agent>:<id>`."""

    @property
    def waits(self) -> bool:
        """Whether it waits still."""
        return self.state == WAITING

    @property
    def kept(self) -> bool:
        """Whether it went beside the log."""
        return self.state == KEPT

    @property
    def changed(self) -> bool:
        """Whether the library is another one for it."""
        return self.state in (CREATED, UPDATED)


class Landing:
    """One run over what waits."""

    def __init__(self, config: Config, environ: Mapping[str, str], redactor: Redactor, today: dt.date) -> None:
        self._config = config
        self._environ = environ
        self._redactor = redactor
        self._today = today
        self._commit: LibraryCommit | None = None
        self._there: dict[str, matching.Known] = {}

    @contextlib.contextmanager
    def opened(self) -> Iterator[str]:
        """Hold the library; '' or the reason why nothing can be put there now."""
        with contextlib.ExitStack() as stack:
            try:
                self._commit = stack.enter_context(library_commit.opened(self._config, self._environ))
                reason = ""
            except (LibError, OSError) as error:
                reason = told(error)
            yield reason

    def refused(self, rows: Sequence[Waiting], reason: str) -> list[Result]:
        """All of it waits on."""
        return [Result(row.topic, WAITING, reason=reason, session=f"{row.agent}:{row.sid}") for row in rows]

    def land(self, rows: Sequence[Waiting]) -> list[Result]:
        """Put what can be put into the library; a result for each row."""
        assert self._commit is not None  # noqa: S101 - `opened` says so
        results: dict[int, Result] = {}
        for session in dict.fromkeys((row.agent, row.sid) for row in rows):
            results.update(self._session(self._commit, [row for row in rows if (row.agent, row.sid) == session]))
        return [results[row.id] for row in rows]

    def _session(self, commit: LibraryCommit, rows: Sequence[Waiting]) -> dict[int, Result]:
        """The rows of one session, in one commit."""
        found: dict[int, Result] = {}

        def change(now: LibraryCommit) -> tuple[Mapping[str, bytes], str]:
            found.clear()
            contents: dict[str, bytes] = {}
            for row in rows:
                found[row.id] = self._row(now, row, contents)
            return contents, message("Capture", contents, f"{rows[0].agent}:{rows[0].sid}")

        try:
            commit.commit(change)
        except (LibError, OSError) as error:
            return {row.id: self._refused(row, found.get(row.id), told(error)) for row in rows}
        return found

    def _refused(self, row: Waiting, found: Result | None, reason: str) -> Result:
        """The commit could not be made: what was kept beside the log is done with, all else waits."""
        if found is not None and found.kept:
            return found
        return Result(found.topic if found else row.topic, WAITING, reason=reason, session=f"{row.agent}:{row.sid}")

    def _row(self, now: LibraryCommit, row: Waiting, contents: dict[str, bytes]) -> Result:
        """What becomes of one block; `contents` are the entries that this commit changes so far."""
        block, source = _block_of(row)
        session = f"{row.agent}:{row.sid}"
        known = self._known(now, contents)
        found = matching.Match(row.topic, "") if row.topic else self._match(block, known)
        topic = found.topic or self._slug(block, source, known)
        if now.in_the_way(topic):
            reason = f"entries/{topic}.md has changes that are not committed"
            return Result(topic, WAITING, suggestion=found.suggestion, reason=reason, session=session)
        old = contents.get(topic, now.read(topic))
        topics = frozenset(known) | {topic}
        applied = apply(old, block, source, topic, topics, self._today)
        if applied.data == old:
            return Result(topic, UNCHANGED, suggestion=found.suggestion, session=session)
        data, wrong = self._checked(applied.data, old, topic, topics)
        if wrong:
            text = json.dumps(block, ensure_ascii=False, indent=1)
            path = review_kept.keep(self._config, row.agent, row.sid, self._redactor.redact(text))
            return Result(topic, KEPT, reason=f"{wrong}; kept in {path}", session=session)
        contents[topic] = data
        return Result(topic, CREATED if old is None else UPDATED, applied.added, applied.answered, found.suggestion, session=session)

    def _known(self, now: LibraryCommit, contents: Mapping[str, bytes]) -> dict[str, matching.Known]:
        """The entries that a block may belong to: also those that a person has not committed yet."""
        if not self._there:
            with contextlib.suppress(LibError, OSError):
                self._there = {topic: known_of(topic, data) for topic, data in entry_files.contents(self._config.library).items()}
        missing = {topic: known_of(topic, now.read(topic) or b"") for topic in now.topics() - self._there.keys()}
        self._there.update(missing)
        return {**self._there, **{topic: known_of(topic, data) for topic, data in contents.items()}}

    def _match(self, block: Block, known: Mapping[str, matching.Known]) -> matching.Match:
        return matching.match(block.topic, block.title, "\n".join(block.sections.get(ANSWER, ())), known)

    def _slug(self, block: Block, source: Source, known: Mapping[str, matching.Known]) -> str:
        body = next((texts[0] for texts in (block.sections.get(ANSWER, ()), *block.sections.values()) if texts), "")
        slug = made = matching.slug(block.topic, block.title, body, f"session {source.short}")
        number = 2
        # Where an entry has a name that was made of other words, it would have been found if it were about the same.
        while slug in known and (block.title or known[slug].title.casefold() != slug.replace("-", " ")):
            slug = f"{made[:75]}-{number}"
            number += 1
        return slug

    def _checked(self, data: bytes, old: bytes | None, topic: str, topics: frozenset[str]) -> tuple[bytes, str]:
        """(the entry without any login, what is wrong with it that was not wrong before or '')."""
        safe = self._redactor.redact(data.decode()).encode()
        if safe != data:
            data = mend(safe, topic=topic, today=self._today)
        was = {one.code for one in self._problems(old, topic, topics)} if old is not None else set()
        new = [one for one in self._problems(data, topic, topics) if not one.is_warning and one.code not in was]
        return data, f"{new[0].code} {new[0].message}" if new else ""

    def _problems(self, data: bytes, topic: str, topics: frozenset[str]) -> list[Problem]:
        return problems(data, topic, topics=topics, today=self._today, redactor=self._redactor)


def _block_of(row: Waiting) -> tuple[Block, Source]:
    said = json.loads(row.block)
    topic, title, sections, extra = said["block"]
    texts = {name: tuple(items) for name, items in sections.items()}
    return Block(topic, title, texts, tuple((heading, tuple(items)) for heading, items in extra)), Source(*said["source"])


def known_of(topic: str, data: bytes) -> matching.Known:
    """What the matching of topics looks at in an entry: its title and its Answer, as far as they stand where they should."""
    text = data.decode("utf-8", "replace")
    first = text.partition("\n")[0]
    answer = text.partition(f"\n## {ANSWER}\n")[2].partition("\n## ")[0]
    return matching.Known(first[2:].strip() if first.startswith("# ") else topic.replace("-", " "), answer)


def message(verb: str, topics: Mapping[str, bytes], session: str) -> str:
    """The message of a commit of lib's own: a subject of at most 72 characters or so, and whose session it is."""
    names = sorted(topics)
    shown = ", ".join(names[:2]) + (f" and {len(names) - 2} more" if len(names) > 2 else "")
    return f"{verb} {shown[:100] or 'nothing'}\n\nSession: {session}\n"


def told(error: LibError | OSError) -> str:
    """An expected failure in words, without what a transcript says."""
    return error.message if isinstance(error, LibError) else (error.strerror or type(error).__name__)
