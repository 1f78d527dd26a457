"""`lib audit`: what past sessions spent on reading raw transcripts, and on lookups through lib.

The store, which keeps every tool call in short, says in which sessions to look; what a call really brought back is measured in the
transcript. Where that is gone, it is estimated, and counted as such.
"""

from __future__ import annotations

import os
from collections import Counter
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from libtool.adapters.registry import ADAPTERS
from libtool.domain.body import decode
from libtool.domain.condense import CALL as CALL_CODE
from libtool.domain.raw_reads import LOOKUP, RAW, Marks, Pattern, Watch, may_count, purpose_of_line
from libtool.domain.session import CALL, RESULT, TURN_KINDS
from libtool.domain.transcript_paths import parts_of
from libtool.features import redact
from libtool.features.changes import NOTE, TERMINAL
from libtool.features.reading import safe_name
from libtool.features.records import reading
from libtool.storage.session_db import SessionDb
from libtool.storage.store import decompress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from libtool.config import Config
    from libtool.domain.session import Record
    from libtool.features.records import Records

BYTES_A_TOKEN = 4
_LONG_ID = 16
_BLOCK, _LEAD = 4 << 20, 256
"""Bytes that are read at once, and more than a place is long."""
_WILD = "*?["


class Read(NamedTuple):
    """One call that counts."""

    session: str
    """`agent:full id` of its session."""
    agent: str
    project: str
    time: str
    """RFC 3339 UTC, of the call or else of its session; '' when unknown."""
    kind: str
    """RAW or LOOKUP."""
    tokens: int
    """What came back, of 4 bytes each."""
    measured: bool
    """False for an estimate: the transcript is gone."""
    root: str = ""
    """`agent:full id` of the session that a sub-agent works for, at the top; of the session itself where it is none's."""


class Audit(NamedTuple):
    """What an audit found: sessions looked at, the calls that count, oldest session first, and (path, reason) of what could not be read."""

    sessions: int
    reads: tuple[Read, ...]
    unreadable: tuple[tuple[str, str], ...]


class Spent(NamedTuple):
    """Calls added up."""

    sessions: int
    calls: int
    tokens: int
    estimated: int
    """Calls of which the tokens are an estimate."""


class Saving(NamedTuple):
    """What lookups saved, if the sessions that looked up would otherwise have read as much as those did that read raw transcripts alone.

    A session is here one with all its sub-agents.
    """

    sessions: int
    """Sessions that looked something up."""
    raw_a_session: int
    """Tokens that a session without lookups spent on raw transcripts: the median of those that read any."""
    spent: int
    """Tokens of the lookups, and of the raw transcripts that the same sessions read all the same."""
    saved: int
    """`sessions` x `raw_a_session` - `spent`; below 0 when lookups cost more."""


def audit(config: Config, environ: Mapping[str, str], *, since: str = "", progress: Callable[[int, int], None] | None = None) -> Audit:
    """Look through all sessions, withheld and sub-agents' ones too; `since` YYYY-MM-DD leaves out earlier calls. Raises NotIndexed."""
    with SessionDb(config.store_db) as database, reading(config, environ) as records:
        known = _sessions(database)
        work = _Work(config, marks(config, environ), database, records)
        sessions = [facts for facts in known if not since or not facts["ended"] or facts["ended"] >= since]
        for number, facts in enumerate(sessions, 1):
            work.session(facts)
            if progress is not None:
                progress(number, len(sessions))
    found = [one for one in _estimated(work.reads) if not since or not one.time or one.time >= since]
    return Audit(len(sessions), tuple(found), tuple(work.unreadable))


def spent(reads: Sequence[Read], kind: str) -> Spent:
    """The calls of a kind added up."""
    chosen = [one for one in reads if one.kind == kind]
    sessions = {one.session for one in chosen}
    return Spent(len(sessions), len(chosen), sum(one.tokens for one in chosen), sum(not one.measured for one in chosen))


def grouped(reads: Sequence[Read], name: str) -> dict[str, list[Read]]:
    """The calls by `agent`, `project` or `month`; months in order, others by tokens of raw reads, most first."""
    groups: dict[str, list[Read]] = {}
    for one in reads:
        value = one.time[:7] if name == "month" else str(getattr(one, name))
        groups.setdefault(value or "unknown", []).append(one)
    if name == "month":
        return dict(sorted(groups.items()))
    return dict(sorted(groups.items(), key=lambda item: (-spent(item[1], RAW).tokens, item[0])))


def saving(reads: Sequence[Read]) -> Saving | None:
    """What the lookups saved; None where one of the two never happened or never could be measured, so that nothing can be compared."""
    if not all(any(one.measured and one.kind == kind for one in reads) for kind in (RAW, LOOKUP)):
        return None
    looked_up = {one.root for one in reads if one.kind == LOOKUP}
    alone: Counter[str] = Counter()
    for one in reads:
        if one.root not in looked_up:
            alone[one.root] += one.tokens
    if not alone:
        return None
    usual = round(median(alone.values()))
    cost = sum(one.tokens for one in reads if one.root in looked_up)
    return Saving(len(looked_up), usual, cost, len(looked_up) * usual - cost)


def marks(config: Config, environ: Mapping[str, str]) -> Marks:
    """What paths of transcripts look like: from the adapters' places, by their default (also of other homes) and by the environment."""
    found: dict[Pattern, None] = {}
    roots: set[str] = set()
    for agent, adapter in ADAPTERS.items():
        if agent in (NOTE, TERMINAL):
            continue
        for variables in ({}, environ):
            for place in adapter.places(config.home, variables):
                roots.add(place.root)
                root = parts_of(place.root, config.home)
                found |= {Pattern((*root, *pattern.split("/")), len(root)): None for pattern in place.patterns}
        # What begins with a wildcard is too like other files.
        found |= {Pattern(tuple(pattern.split("/"))): None for pattern in adapter.project_patterns if pattern[0] not in _WILD}
    named = {name: value.rstrip("/") for name, value in environ.items() if value.startswith("/")}
    variables = {name: value for name, value in named.items() if any(root == value or root.startswith(value + "/") for root in roots)}
    variables = {name: value for name, value in variables.items() if value not in ("", config.home)}
    return Marks(tuple(found), parts_of(config.library, config.home), config.home, {**variables, "LIB_LIBRARY": config.library})


def _sessions(database: SessionDb) -> list[dict[str, Any]]:
    """All sessions, the oldest first, so that what a fork copied is counted in its original; `root` as in Read."""
    names = ("id", "agent", "sid", "project", "ended", "cwd", "parent")
    rows = database.rows(f"SELECT {', '.join(names)} FROM session WHERE agent <> 'note' ORDER BY started, id")  # noqa: S608 - our own names
    found = [dict(zip(names, row, strict=True)) for row in rows]
    parents = {(facts["agent"], facts["sid"]): facts["parent"] for facts in found}
    for facts in found:
        passed = [facts["sid"]]
        while (above := parents.get((facts["agent"], passed[-1]))) and above not in passed:
            passed.append(above)
        facts["root"] = f"{facts['agent']}:{passed[-1]}"
    return found


class _Work:
    def __init__(self, config: Config, wanted: Marks, database: SessionDb, records: Records) -> None:
        self.reads: list[Read] = []
        self.unreadable: list[tuple[str, str]] = []
        self._database = database
        self._marks = wanted
        self._records = records
        self._redactor = redact.redactor(config)
        self._mentioned: dict[str, bool] = {}
        """By path of a transcript: whether it names a place of transcripts."""
        self._seen: set[object] = set()
        """Calls and chunks that were counted: what a fork copied is no second read."""

    def session(self, facts: dict[str, Any]) -> None:
        """Count the calls of one session: of each transcript that holds a part of it, the longest first."""
        for number, (part, path, there) in enumerate(self._database.parts(facts["id"])):
            stored = list(self._stored(part, facts))
            if not (there and os.path.exists(path)):
                self.reads += stored
                continue
            try:
                if stored or self._mentions(path):
                    self.reads += self._measured(path, facts, copied=number > 0)
            except OSError as error:
                self.unreadable.append((path, error.strerror or type(error).__name__))
                self.reads += stored

    def _stored(self, part: int, facts: dict[str, Any]) -> Iterator[Read]:
        """The calls as the store has them, without knowing what came back."""
        rows = self._database.rows(
            "SELECT chunk.id, chunk.time, body FROM source JOIN chunk ON chunk.id = source.chunk WHERE part = ? ORDER BY ord", (part,)
        )
        for chunk, time, body in rows:
            text = decompress(body)
            if chunk in self._seen or not (may_count(text, self._marks) or may_count(facts["cwd"], self._marks)):
                continue
            self._seen.add(chunk)
            for code, _, said in decode(text):
                if code == CALL_CODE and (kind := purpose_of_line(said, self._marks, facts["cwd"])):
                    yield _read(facts, kind, time and time + "Z", 0, measured=False)

    def _mentions(self, path: str) -> bool:
        """Whether a transcript names a place of transcripts: the store keeps only the beginning of a long command. Raises OSError."""
        if path not in self._mentioned:
            leads = {"/".join(one.parts[max(one.root - 1, 0) : one.lead]).encode() for one in self._marks.transcripts}
            with open(path, "rb") as file:
                before, self._mentioned[path] = b"", False
                while (block := file.read(_BLOCK)) and not self._mentioned[path]:
                    text = before + block
                    self._mentioned[path] = any(lead in text for lead in leads)
                    before = text[-_LEAD:]
        return self._mentioned[path]

    def _measured(self, path: str, facts: dict[str, Any], *, copied: bool) -> list[Read]:
        """The calls as the transcript has them; of one that may repeat another, only those with a time of their own. Raises OSError."""
        agent = str(self._database.rows("SELECT agent FROM file WHERE path = ?", (path,))[0][0])
        own = (one for one in self._records.read(agent, path) if safe_name(one.session.id, self._redactor) == facts["sid"])
        answered = self._answered(one for one in own if one.time or not copied)
        return [_read(facts, kind, time, size, measured=True) for kind, time, size in answered]

    def _answered(self, records: Iterable[Record]) -> Iterator[tuple[str, str, int]]:
        """(kind, time, tokens that came back) of each call that counts.

        A result is that of the call with its id; without one results come in the order of their calls, tool by tool.
        """
        waiting: list[tuple[str, Record]] = []
        watch = Watch(self._marks)
        for record in records:
            if record.kind in TURN_KINDS:
                yield from ((kind, call.time, 0) for kind, call in waiting if kind)
                waiting = []
            elif record.kind == CALL:
                kind = watch.purpose(record.tool, record.input if record.input is not None else record.text, record.session.cwd)
                waiting.append((kind if self._is_new(kind, record) else "", record))
            elif record.kind == RESULT:
                at = next((at for at, (_, call) in enumerate(waiting) if _belongs(record, call)), -1)
                if at >= 0 and (answered := waiting.pop(at))[0]:
                    yield answered[0], answered[1].time, record.shown // BYTES_A_TOKEN
        yield from ((kind, call.time, 0) for kind, call in waiting if kind)

    def _is_new(self, kind: str, record: Record) -> bool:
        """Whether a call that counts was not counted in the session that this one was forked from."""
        # A copy may have got times of its own; a short id, as some models number them, is no name.
        known = record.call if len(record.call) >= _LONG_ID else record.time
        if not kind or not known:
            return bool(kind)
        call = record.session.agent, known, record.tool, repr(record.input)
        seen = call in self._seen
        self._seen.add(call)
        return not seen


def _belongs(result: Record, call: Record) -> bool:
    if result.call and call.call:
        return result.call == call.call
    return result.tool in ("", call.tool)


def _read(facts: dict[str, Any], kind: str, time: str, tokens: int, *, measured: bool) -> Read:
    session = f"{facts['agent']}:{facts['sid']}"
    return Read(session, facts["agent"], facts["project"], time or facts["ended"], kind, tokens, measured, facts["root"])


def _estimated(reads: Sequence[Read]) -> list[Read]:
    """The calls, those that could not be measured with the average of those of their kind that could."""
    averages = {}
    for kind in (RAW, LOOKUP):
        sizes = [one.tokens for one in reads if one.measured and one.kind == kind]
        averages[kind] = round(sum(sizes) / len(sizes)) if sizes else 0
    return [one if one.measured else one._replace(tokens=averages[one.kind]) for one in reads]
