"""What was read of one transcript into the store: sessions, parts and chunks, inside the caller's transaction."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.domain.chunk import Chunker, Segment
from libtool.domain.classify import PROMPT_KEPT, WORK, Facts, classify
from libtool.domain.session import CALL, RESULT, TITLE, TURN_KINDS
from libtool.domain.text import clean, one_line
from libtool.storage.store import Counts, FileRow

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.adapters.discover import Candidate
    from libtool.domain.project import Project
    from libtool.domain.redact import Redactor
    from libtool.features.reading import Reading, Told
    from libtool.storage.store import Store

TITLE_LIMIT = 200
_SECONDS = len("2026-10-03T09:15:00")
NOTE_AGENT = "note"


class Ports(NamedTuple):
    """What ingesting needs from outside. The redactor knows the logins of this and all earlier runs."""

    store: Store
    redactor: Redactor
    project_of: Callable[[str, str], Project]
    machine: str
    overrides: tuple[tuple[str, str], ...]


def ingest(ports: Ports, candidate: Candidate, side: str, known: FileRow | None, reading: Reading) -> None:
    """Bring a file's sessions up to date. A file that could not be read is recorded with its error; what it held before stays."""
    row = known or FileRow(0, stored_path(candidate.path, ports.redactor), "", 0, 0, 0, "", 0, b"", None, "", "", 0)
    row = row._replace(inode=candidate.inode, size=candidate.size, mtime_ns=candidate.mtime_ns, side=side, missing=0, error=reading.error)
    if reading.error or not reading.agent:
        ports.store.save_file(row)
        return
    ports.redactor.learn(dict(reading.met))
    ports.store.save_logins(reading.logins)
    file_id = known.id if known else ports.store.save_file(row)
    replaced = ports.store.detach_parts(file_id) if known and not reading.resumed else {}
    for builder in _build(ports, file_id, reading):
        builder.finish()
        if builder.session_id in replaced:
            _settle(ports.store, replaced[builder.session_id], builder)
    ports.store.save_file(
        row._replace(id=file_id, agent=reading.agent, offset=reading.offset, edge=reading.edge, state=reading.state, tally=reading.tally)
    )


def _build(ports: Ports, file_id: int, reading: Reading) -> list[PartBuilder]:
    """A builder for each session of the file that its owner did not forget, fed with all rows."""
    forgotten = ports.store.forgotten()
    by_name: dict[tuple[str, str], PartBuilder] = {}
    builders: list[PartBuilder | None] = []
    for told in reading.sessions:
        name = told.agent, told.sid
        if name not in forgotten and name not in by_name:
            by_name[name] = PartBuilder(ports, file_id, told)
        builders.append(by_name.get(name))
    for number, kind, code, text, time, line in reading.rows:
        builder = builders[number]
        if builder is not None:
            builder.add(kind, code, text, time, line)
    return list(by_name.values())


class PartBuilder:
    """Turns the rows of one session, as one file holds them, into chunks in the store."""

    def __init__(self, ports: Ports, file_id: int, told: Told) -> None:
        self._ports = ports
        self._told = told
        self._owner = f"{told.agent}:{told.sid}"
        self._project = ports.project_of(told.remote, told.folder)
        self._words = ports.redactor.redact(clean(f"{self._project.name} {told.facts['branch']}")).strip()
        self.session_id = ports.store.session_id(told.agent, told.sid)
        self.part, counts = ports.store.part(file_id, self.session_id)
        self.turns, self.human, self.prose, self.calls = counts
        self._chunker: Chunker | None = None
        self._order = 0
        self._opening = ""
        self._title = ""

    def add(self, kind: str, code: str, text: str, time: str, line: int) -> None:
        """Count one record and chunk its text."""
        text = self._ports.redactor.redact_known(text)
        if kind in TURN_KINDS:
            self.turns += 1
            self.human += len(text)
            self._opening = self._opening or text[:PROMPT_KEPT]
        elif kind == CALL:
            self.calls += 1
        elif kind == TITLE:
            if text == self._title:
                return
            self._title = text
        elif kind != RESULT:
            self.prose += len(text)
        if text:
            self._store(Segment(code, line or self.turns, text), time[:_SECONDS])

    def _store(self, segment: Segment, time: str) -> None:
        store = self._ports.store
        if self._chunker is None:
            # Only now: a file that grew by nothing we store must not make us write.
            self._chunker = Chunker(store.reopen_last(self.part))
            self._order = store.next_order(self.part)
        for chunk in self._chunker.add(segment, time):
            store.add_chunk(self.part, self._order, chunk, self._words, self._owner)
            self._order += 1

    def finish(self) -> None:
        """Write the last chunk, the counts and the session's facts."""
        store = self._ports.store
        for chunk in self._chunker.close() if self._chunker else ():
            store.add_chunk(self.part, self._order, chunk, self._words, self._owner)
        store.save_part(self.part, self.counts)
        store.save_session(self.session_id, self._session_facts())

    @property
    def counts(self) -> Counts:
        """The counts of the part so far."""
        return Counts(self.turns, self.human, self.prose, self.calls)

    def _session_facts(self) -> dict[str, Any]:
        """What is known now, over what was known before; every text redacted."""
        ports, told = self._ports, self._told
        old = ports.store.session(self.session_id)
        redact = ports.redactor.redact_known
        new: dict[str, Any] = {name: redact(text) or old[name] for name, text in told.facts.items()}
        new["title"] = one_line(new["title"], TITLE_LIMIT)
        if self._project.name or not old["project"]:
            new["project"], new["project_key"] = (ports.redactor.redact(clean(text)) for text in (self._project.name, self._project.key))
        new["machine"] = old["machine"] or ports.machine
        new["opening"] = old["opening"] or self._opening
        new["subagent"] = int(told.subagent or old["subagent"])
        new["started"] = min(filter(None, (told.started, old["started"])), default="")
        new["ended"] = max(told.ended, old["ended"])
        new["class"] = self._class({**old, **new})
        return new

    def _class(self, facts: dict[str, Any]) -> str:
        if self._told.agent == NOTE_AGENT:
            return WORK
        return classify(
            Facts(
                origin=facts["origin"],
                subagent=bool(facts["subagent"]),
                cwd=facts["cwd"],
                first_prompt=facts["opening"].lstrip(),
                human_turns=0 if facts["subagent"] else self.turns,
                task_turns=self.turns if facts["subagent"] else 0,
                model_characters=self.prose,
                tool_calls=self.calls,
            ),
            self._ports.overrides,
            self._owner,
        ).session_class


def _settle(store: Store, old: tuple[int, Counts], builder: PartBuilder) -> None:
    """After reading a file anew: the old part goes, unless it held more than the file does now. What was said stays."""
    part, counts = old
    if counts.human + counts.prose <= builder.human + builder.prose:
        store.drop_part(part)


def stored_path(path: str, redactor: Redactor) -> str:
    """The path as the store holds it: itself, or, when it holds a login, redacted with a digest of the whole that keeps it unique."""
    redacted = redactor.redact(clean(path))
    if redacted == path:
        return path
    return f"{redacted}#{hashlib.blake2b(os.fsencode(path), digest_size=6).hexdigest()}"
