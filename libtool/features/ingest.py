"""What was read of one transcript into the store: sessions, parts and chunks, inside the caller's transaction."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.adapters.registry import ADAPTERS
from libtool.domain.chunk import Chunker, Segment
from libtool.domain.classify import PROMPT_KEPT, WORK, Facts, classify
from libtool.domain.project import Project
from libtool.domain.session import CALL, RESULT, TURN_KINDS
from libtool.domain.text import clean, one_line
from libtool.features.reading import NAMES, safe_name
from libtool.features.sightings import Sighting, Sightings
from libtool.storage import logins
from libtool.storage.store import Counts, FileRow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from libtool.adapters.discover import Candidate
    from libtool.domain.redact import Redactor
    from libtool.features.reading import Reading, Told
    from libtool.storage.store import Store

    Overrides = tuple[tuple[str, str], ...]

TITLE_LIMIT = 200
_ROWS = 512
"""Rows in which logins are looked for at once."""
_SECONDS = len("2026-10-03T09:15:00")
NOTE_AGENT = "note"
_WORLDWIDE = 20
"""Characters from which on an id with a digit in it is taken for one that no second session has by chance."""


class Ports(NamedTuple):
    """What ingesting needs from outside. The redactor knows the logins of this and all earlier runs."""

    store: Store
    redactor: Redactor
    project_of: Callable[[str, str], Project]
    machine: str
    overrides: Overrides


def ingest(ports: Ports, candidate: Candidate, side: str, known: FileRow | None, reading: Reading) -> None:
    """Bring a file's sessions up to date. A file that could not be read is recorded with its error; what it held before stays.

    `candidate.inode` fits into 63 bits. `known` holds the reader's state.
    """
    store, redactor = ports.store, ports.redactor
    redactor.learn(dict(reading.met), {fingerprint: kind for fingerprint, kind, *_ in reading.logins})
    row = known or FileRow(0, "", "", 0, 0, 0, "", 0, b"", None, "", "", 0)
    row = row._replace(
        path=safe_name(candidate.path, redactor),
        inode=candidate.inode,
        size=candidate.size,
        mtime_ns=candidate.mtime_ns,
        side=side,
        missing=0,
        error=reading.error,
    )
    if reading.error or not reading.agent:
        store.save_file(row)
        return
    store.save_logins(reading.logins)
    file_id = known.id if known else store.save_file(row)
    replaced = store.detach_parts(file_id) if known and not reading.resumed else {}
    if known and not reading.resumed:
        logins.loosen(store, file_id)
    builders = _build(ports, file_id, reading)
    _note_name(ports, candidate.path, row.path, builders)
    for builder in builders:
        builder.finish()
        logins.save_sightings(store, file_id, builder.session_id, builder.sightings, more=reading.resumed)
        if builder.session_id in replaced:
            _settle(store, replaced[builder.session_id], builder)
    # The state may hold a title: of a session that its owner forgot nothing is kept, and the file is read whole next time.
    dropped = len(builders) < len({(told.agent, told.sid) for told in reading.sessions})
    state = None if dropped else _state(reading.state, redactor)
    store.save_file(
        row._replace(id=file_id, agent=reading.agent, offset=reading.offset, edge=reading.edge, state=state, tally=reading.tally)
    )
    for builder in builders:
        _keep_one(store, builder.session_id)


def _state(state: str | None, redactor: Redactor) -> str | None:
    """The reader's state; None when it holds a login that was met elsewhere (see reading.py)."""
    # A login that met the reader's own redactor is no longer in it: no rule need be asked again.
    if state is None or "\\" not in state:
        return state if state is None or redactor.redact_known(state) is state else None
    return state if redactor.redact_json(parsed := json.loads(state)) == parsed else None


def _build(ports: Ports, file_id: int, reading: Reading) -> list[PartBuilder]:
    """A builder for each session of the file that is to be kept, fed with all rows."""
    forgotten = ports.store.forgotten()
    by_name: dict[tuple[str, str], PartBuilder | None] = {}
    builders: list[PartBuilder | None] = []
    for told in reading.sessions:
        told = _named(told, ports.redactor)  # noqa: PLW2901
        name = told.agent, told.sid
        if name not in by_name:
            by_name[name] = PartBuilder(ports, file_id, told) if _is_wanted(ports.store, told, forgotten) else None
        builders.append(by_name[name])
    for number, fingerprint, first, last, count in reading.sightings:
        if (seen_by := builders[number]) is not None:
            seen_by.sightings.add(seen_by.session_id, fingerprint, Sighting(first, last, count))
    for begin in range(0, len(reading.rows), _ROWS):
        rows = [(builder, row) for row in reading.rows[begin : begin + _ROWS] if (builder := builders[row[0]]) is not None]
        # Many at once: the logins known so far are looked for in one pass.
        texts = ports.redactor.redact_known_all([row[3] for _, row in rows])
        for (builder, (_, kind, code, before, time, line)), text in zip(rows, texts, strict=True):
            builder.add(kind, code, before, text, time, line)
    return [builder for builder in by_name.values() if builder is not None]


def _note_name(ports: Ports, path: str, stored: str, builders: list[PartBuilder]) -> None:
    """A login in the name of the file itself is met in all its sessions."""
    met = Sightings()
    met.note(0, path, stored, times=0)
    for _, fingerprint in met:
        login = ports.redactor.found[fingerprint]
        ports.store.save_logins([(fingerprint, login.kind, int(login.spreads), login.shape)])
        for builder in builders:
            builder.sightings.add(builder.session_id, fingerprint, Sighting())


def _named(told: Told, redactor: Redactor) -> Told:
    """The session with its own id and those of others as the store holds them."""
    names = {name: safe_name(told.facts[name], redactor) for name in NAMES}
    return told._replace(sid=safe_name(told.sid, redactor), facts={**told.facts, **names})


def _is_wanted(store: Store, told: Told, forgotten: set[tuple[str, str]]) -> bool:
    """Whether a session is neither forgotten nor another agent's better copy is there; worse copies of it go.

    Exports (SpecStory's, say) keep the id of the session that they were made of. The registry asks exact formats first, loose ones
    last, so the agent that stands there first is the one that wrote the session.
    """
    names = {told.sid, told.facts["parent"]} - {""}
    if any((told.agent, name) in forgotten for name in names):
        return False
    order = list(ADAPTERS)
    for name in filter(_is_worldwide, names):
        if any(sid == name for _, sid in forgotten):
            return False
        others = [(row, agent) for row, agent in store.with_id(name) if agent != told.agent]
        if any(order.index(agent) < order.index(told.agent) for _, agent in others):
            return False
        for row, _ in others:
            store.drop_session(row)
    return True


def _is_worldwide(sid: str) -> bool:
    """Whether the same id of another agent means the same session: long, with a digit, and not made from a file's name."""
    return len(sid) >= _WORLDWIDE and any(map(str.isdecimal, sid)) and not sid.startswith("file-")


class PartBuilder:
    """Turns the rows of one session, as one file holds them, into chunks in the store."""

    def __init__(self, ports: Ports, file_id: int, told: Told) -> None:
        self._ports = ports
        self._told = told
        self._owner = f"{told.agent}:{told.sid}"
        self._project = _project(ports, told)
        self._words = ports.redactor.redact_known(f"{self._project.name} {told.facts['branch']}").strip()
        self.session_id = ports.store.session_id(told.agent, told.sid)
        self.part, counts = ports.store.part(file_id, self.session_id)
        self.turns, self.human, self.prose, self.calls = counts
        self._chunker: Chunker | None = None
        self._order = 0
        self._opening = ""
        self.sightings = Sightings()

    def add(self, kind: str, code: str, before: str, text: str, time: str, line: int) -> None:
        """Count one record and chunk its text; `before` is what it was before known logins were looked for."""
        self.sightings.note(self.session_id, before, text, time)
        if kind in TURN_KINDS:
            self.turns += 1
            self.human += len(text)
            self._opening = self._opening or text[:PROMPT_KEPT]
        elif kind == CALL:
            self.calls += 1
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
        reclass(store, self.session_id, self._ports.overrides)

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
        for name, text in told.facts.items():
            self.sightings.note(self.session_id, text, new[name], times=0)
        new["title"] = one_line(new["title"], TITLE_LIMIT)
        if self._project.name or not old["project"]:
            new["project"], new["project_key"] = self._project.name, self._project.key
        new["machine"] = old["machine"] or ports.machine
        new["opening"] = old["opening"] or self._opening
        new["subagent"] = int(told.subagent or old["subagent"])
        new["started"] = min(filter(None, (told.started, old["started"])), default="")
        new["ended"] = max(told.ended, old["ended"])
        return new


def _project(ports: Ports, told: Told) -> Project:
    """The session's project, found by its true folder and remote, and named without the logins in them, in whatever case."""
    project = ports.project_of(told.remote, told.folder)
    texts = [project.name, project.key]
    for stated in (told.remote, told.folder):
        for found in ports.redactor.scan(stated):
            login = re.compile(re.escape(stated[found.start : found.end]), re.IGNORECASE)
            texts = [login.sub(found.placeholder, text) for text in texts]
    name, key = (ports.redactor.redact(clean(text)) for text in texts)
    return Project(key, name)


def reclass(store: Store, session: int, overrides: Overrides) -> None:
    """Class a session by what the store knows of it, and its sub-agents' after it; writes nothing when the class is the same."""
    row = store.session(session)
    judged = _class(store, row, overrides)
    if judged != row["class"]:
        store.save_class(session, judged)
        for below, agent in store.with_id(row["sid"]):
            if below != session and agent == row["agent"]:
                reclass(store, below, overrides)


def _class(store: Store, row: Mapping[str, Any], overrides: Overrides) -> str:
    if row["agent"] == NOTE_AGENT:
        return WORK
    subagent = bool(row["subagent"])
    above = store.db.execute("SELECT class FROM session WHERE sid=? AND agent=?", (row["parent"], row["agent"])).fetchone()
    facts = Facts(
        origin=row["origin"],
        subagent=subagent,
        cwd=row["cwd"],
        first_prompt=row["opening"].lstrip(),
        human_turns=0 if subagent else row["turns"],
        task_turns=row["turns"] if subagent else 0,
        model_characters=row["prose"],
        tool_calls=row["calls"],
        parent_class=above[0] if above else "",
    )
    return classify(facts, overrides, f"{row['agent']}:{row['sid']}").session_class


def _settle(store: Store, old: tuple[int, Counts], builder: PartBuilder) -> None:
    """After reading a file anew: the old part goes, unless it held more than the file does now. What was said stays."""
    part, counts = old
    if counts.human + counts.prose <= builder.human + builder.prose:
        store.drop_part(part)


def _keep_one(store: Store, session: int) -> None:
    """Where one part of a session begins with all that another one holds (a copy, an older state, a file cut short), the longer stays.

    Of equal ones it is the newest: the file may have been moved.
    """
    parts = dict(store.parts(session))
    for part, file in list(parts.items()):
        better = next((other for other in parts if other != part and store.begins(part, other)), 0)
        if better:
            store.replace_part(part, file, better)
            del parts[part]
