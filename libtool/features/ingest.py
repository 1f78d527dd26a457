"""One transcript into the store: read from where we stopped, condense, redact, chunk. Nothing unredacted passes this module."""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import traceback
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.adapters.base import SNIFF_BYTES, Source
from libtool.adapters.registry import ADAPTERS, detect
from libtool.domain import condense
from libtool.domain.chunk import Chunker, Segment
from libtool.domain.classify import WORK, Facts, classify
from libtool.domain.fts import date_words
from libtool.domain.session import TITLE, TURN_KINDS, Session
from libtool.domain.text import clean, one_line
from libtool.storage.store import Counts, FileRow, dump_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.adapters.base import Adapter, Reader
    from libtool.adapters.discover import Candidate
    from libtool.domain.project import Project
    from libtool.domain.redact import Redactor
    from libtool.domain.session import Record
    from libtool.storage.store import Store

OPENING_LIMIT = 1500
TITLE_LIMIT = 200
NOTE_AGENT = "note"
_EDGE = 1024
_FACTS = ("parent", "forked_from", "cwd", "branch", "repository", "model", "version", "title", "origin")


class Ports(NamedTuple):
    """What ingesting needs from outside."""

    store: Store
    redactor: Redactor
    project_of: Callable[[str, str], Project]
    machine: str
    scratch: str
    thinking: bool
    overrides: tuple[tuple[str, str], ...]


class Outcome(NamedTuple):
    """What became of one file: bytes read, records met, an error without transcript text ('' when there was none)."""

    bytes: int = 0
    records: int = 0
    error: str = ""


def ingest(ports: Ports, candidate: Candidate, side: str, known: FileRow | None) -> Outcome:
    """Bring one file's sessions up to date in the store, inside the caller's transaction.

    `side` says how its side files are (features.index.side_state). A file that cannot be read is recorded with its error, nothing of it
    is changed otherwise, and it is tried again when it changes. Never raises for a file, whatever is in it.
    """
    database = ports.store.db
    database.execute("SAVEPOINT one_file")
    try:
        source = Source.open(candidate.path, scratch=ports.scratch, home=candidate.root)
        with source.file:
            outcome = _ingest_open(ports, candidate, side, known, source)
    except OSError as error:
        outcome = Outcome(error=error.strerror or type(error).__name__)
    except sqlite3.DatabaseError:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of one adapter must not end the run; said in `lib status`
        place = traceback.extract_tb(error.__traceback__)[-1]
        outcome = Outcome(error=f"internal error: {type(error).__name__} at {os.path.basename(place.filename)}:{place.lineno}")
    if outcome.error:
        database.execute("ROLLBACK TO one_file")
        _save_file(ports, candidate, side, known, error=outcome.error)
    database.execute("RELEASE one_file")
    return outcome


def _ingest_open(ports: Ports, candidate: Candidate, side: str, known: FileRow | None, source: Source) -> Outcome:
    if known is not None and known.state is not None and _grew(source, known):
        adapter: Adapter | None = ADAPTERS.get(known.agent)
        state = json.loads(known.state)
        source.start = source.offset = known.offset
    else:
        adapter, state = _detect(source, candidate), None
    if adapter is None:
        _save_file(ports, candidate, side, known)
        return Outcome()
    source.file.seek(source.start)
    reader = adapter.reader(candidate.path, state)
    file_id = known.id if known else _save_file(ports, candidate, side, known, agent=adapter.agent)
    replaced = ports.store.detach_parts(file_id) if known and state is None else {}
    builders, records = _read(ports, reader, source, file_id)
    for builder in builders:
        builder.finish()
        if builder.session_id in replaced:
            _settle(ports.store, replaced[builder.session_id], builder)
    _save_read(ports, candidate, side, file_id, adapter, reader, source)
    return Outcome(source.offset - source.start, records)


def _read(ports: Ports, reader: Reader, source: Source, file_id: int) -> tuple[list[PartBuilder], int]:
    """Feed all records to the builder of their session; (builders in order of appearance, number of records)."""
    # The session is held beside its builder, so that no other object can get its id().
    builders: dict[int, tuple[Session, PartBuilder | None]] = {}
    by_name: dict[tuple[str, str], PartBuilder] = {}
    forgotten = ports.store.forgotten()
    records = 0
    for record in reader.read(source):
        records += 1
        session = record.session
        key = id(session)
        if key not in builders:
            name = (session.agent, session.id)
            if name in forgotten:
                builders[key] = session, None
            else:
                if name not in by_name:
                    by_name[name] = PartBuilder(ports, file_id, session)
                builders[key] = session, by_name[name]
        builder = builders[key][1]
        if builder is not None:
            builder.add(record)
    return list(by_name.values()), records


class PartBuilder:
    """Turns the records of one session, as one file holds them, into chunks in the store."""

    def __init__(self, ports: Ports, file_id: int, session: Session) -> None:
        self._ports = ports
        self._facts = session
        """The reader goes on filling it."""
        self._owner = f"{session.agent}:{session.id}"
        self.session_id = ports.store.session_id(session.agent, session.id)
        self.part, counts = ports.store.part(file_id, self.session_id)
        self.turns, self.human, self.prose, self.calls = counts
        self._chunker: Chunker | None = None
        self._order = 0
        self._opening = ""
        self._title = ""

    def add(self, record: Record) -> None:
        """Condense, redact and chunk one record."""
        kind = record.kind
        if kind == "thinking" and not self._ports.thinking:
            return
        code, text = condense.finish(record, self._ports.redactor.redact(condense.draft(record)))
        if kind in TURN_KINDS:
            self.turns += 1
            self.human += len(text)
            self._opening = self._opening or text[:OPENING_LIMIT]
        elif kind == "call":
            self.calls += 1
        elif kind == TITLE:
            if text == self._title:
                return
            self._title = text
        elif kind != "result":
            self.prose += len(text)
        if text:
            self._store(Segment(code, record.line or self.turns, text), record.time)

    def _store(self, segment: Segment, time: str) -> None:
        store = self._ports.store
        if self._chunker is None:
            # Only now: a file that grew by nothing we store must not make us write.
            self._chunker = Chunker(store.reopen_last(self.part))
            self._order = store.next_order(self.part)
        for chunk in self._chunker.add(segment, time):
            store.add_chunk(self.part, self._order, chunk, self._extra(chunk.time), self._owner)
            self._order += 1

    def _extra(self, time: str) -> str:
        project = self._ports.project_of(self._facts.repository, self._facts.cwd)
        return self._ports.redactor.redact(clean(f"{date_words(time)} {project.name} {self._facts.branch}")).strip()

    def finish(self) -> None:
        """Write the last chunk, the counts and the session's facts."""
        store = self._ports.store
        for chunk in self._chunker.close() if self._chunker else ():
            store.add_chunk(self.part, self._order, chunk, self._extra(chunk.time), self._owner)
        store.save_part(self.part, self.counts)
        store.save_session(self.session_id, self._session_facts())

    @property
    def counts(self) -> Counts:
        """The counts of the part so far."""
        return Counts(self.turns, self.human, self.prose, self.calls)

    def _session_facts(self) -> dict[str, Any]:
        """What is known now, over what was known before; every text redacted."""
        ports, facts = self._ports, self._facts
        old = ports.store.session(self.session_id)
        new = {name: ports.redactor.redact(clean(getattr(facts, name))) or old[name] for name in _FACTS}
        new["title"] = one_line(new["title"], TITLE_LIMIT)
        project = ports.project_of(facts.repository, facts.cwd)
        if project.name or not old["project"]:
            new["project"], new["project_key"] = (ports.redactor.redact(clean(text)) for text in (project.name, project.key))
        new["machine"] = old["machine"] or ports.machine
        new["opening"] = old["opening"] or self._opening
        new["subagent"] = int(facts.subagent or old["subagent"])
        new["started"] = min(filter(None, (facts.started, old["started"])), default="")
        new["ended"] = max(facts.ended, old["ended"])
        new["class"] = self._class({**old, **new})
        return new

    def _class(self, facts: dict[str, Any]) -> str:
        if self._facts.agent == NOTE_AGENT:
            return WORK
        turns = {"task_turns" if facts["subagent"] else "human_turns": self.turns}
        known = Facts(
            origin=facts["origin"],
            subagent=bool(facts["subagent"]),
            cwd=facts["cwd"],
            first_prompt=facts["opening"],
            model_characters=self.prose,
            tool_calls=self.calls,
            **turns,
        )
        return classify(known, self._ports.overrides, self._owner).session_class


def _settle(store: Store, old: tuple[int, Counts], builder: PartBuilder) -> None:
    """After reading a file anew: the old part goes, unless it held more than the file does now. What was said stays."""
    part, counts = old
    if counts.human + counts.prose <= builder.human + builder.prose:
        store.drop_part(part)


def _detect(source: Source, candidate: Candidate) -> Adapter | None:
    """The adapter that knows the content; the one whose place it lies in is asked first."""
    source.file.seek(0)
    head = source.file.read(SNIFF_BYTES)
    expected = ADAPTERS.get(candidate.agent or "")
    if expected is not None and expected.sniff(head, candidate.path):
        return expected
    return detect(head, candidate.path)


def _grew(source: Source, known: FileRow) -> bool:
    """Whether the file only grew since we read it: not shorter, and the same bytes at its head and before our offset."""
    return source.size >= known.offset > 0 and edge(source, known.offset) == known.edge


def edge(source: Source, offset: int) -> bytes:
    """A digest of the bytes at the head of the file and of those before `offset`."""
    descriptor = source.file.fileno()
    head = os.pread(descriptor, min(_EDGE, offset), 0)
    tail = os.pread(descriptor, min(_EDGE, offset), max(0, offset - _EDGE))
    return hashlib.blake2b(head + b"|" + tail, digest_size=12).digest()


def stored_path(path: str, redact: Callable[[str], str]) -> str:
    """The path as the store holds it: itself, or, when it holds a login, redacted with a digest of the whole that keeps it unique."""
    redacted = redact(clean(path))
    if redacted == path:
        return path
    return f"{redacted}#{hashlib.blake2b(os.fsencode(path), digest_size=6).hexdigest()}"


def _save_file(ports: Ports, candidate: Candidate, side: str, known: FileRow | None, *, agent: str = "", error: str = "") -> int:
    """Record a file of which nothing (more) was read."""
    row = known or FileRow(0, stored_path(candidate.path, ports.redactor.redact), agent, 0, 0, 0, "", 0, b"", None, "", "", 0)
    return ports.store.save_file(
        row._replace(inode=candidate.inode, size=candidate.size, mtime_ns=candidate.mtime_ns, side=side, error=error, missing=0)
    )


def _save_read(ports: Ports, candidate: Candidate, side: str, file_id: int, adapter: Adapter, reader: Reader, source: Source) -> None:
    state = reader.state()
    tally = source.tally
    told = {
        "unknown": {clean(name): count for name, count in Counter(tally.unknown).most_common(20)},
        "damaged": tally.damaged,
        "oversize": tally.oversize,
        "notes": [ports.redactor.redact(clean(note)) for note in tally.notes[:20]],
    }
    ports.store.save_file(
        FileRow(
            file_id,
            stored_path(candidate.path, ports.redactor.redact),
            adapter.agent,
            candidate.inode,
            candidate.size,
            candidate.mtime_ns,
            side,
            source.offset,
            edge(source, source.offset),
            None if state is None else dump_json(ports.redactor.redact_json(state)),
            dump_json(told) if any(told.values()) else "",
            "",
            0,
        )
    )
