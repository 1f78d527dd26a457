"""One transcript from disk to condensed, redacted rows: the part of indexing that needs no database, so that several can run at once.

What comes out is plain data that a pipe can carry, and nothing unredacted is in it, but for `met`, which stays in memory.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import traceback
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool import __version__
from libtool.adapters.base import SNIFF_BYTES, Source
from libtool.adapters.lines import MAX_LINE
from libtool.adapters.registry import ADAPTERS, detect
from libtool.adapters.shapes import outline
from libtool.domain import condense
from libtool.domain.session import THINKING
from libtool.domain.text import clean
from libtool.features.sightings import Sightings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from libtool.adapters.base import Adapter, Reader
    from libtool.domain.redact import Redactor
    from libtool.domain.redact.talk import Talk
    from libtool.domain.session import Session

_EDGE = 1024
_BATCH = 128
"""Records whose texts are looked at in one pass."""
_ENOUGH = 1000
"""Lines in a head of a file of rows that is not made larger still."""
_PIECE, _GROWTH = 1 << 20, 16
"""How much is looked at when the first SNIFF_BYTES tell nothing, and how much more each time, to MAX_LINE."""
_EMPTY = b"\x00 \t\r\n"
_PLACEHOLDER = re.compile(r"\[REDACTED:[a-z0-9-]{1,12}-([0-9a-f]{12})\]")
_TOLD = 20
_ASKED = "lib:asked"
"""Where the state of a reader keeps what login the last message of a session asks for: its answer may come with the next run."""
NAMES = ("parent", "forked_from")
FACTS = (*NAMES, "cwd", "branch", "repository", "model", "version", "title", "origin")
"""Texts of a session that are kept, redacted; NAMES are ids of other sessions."""
NOT_RECOGNISED = "content not recognised"
"""Begins the reason why a file in an agent's own place gave nothing: it is looked at again once it changes, or by another version."""
VANISHED = "gone since it was found"
"""The reason why a file that its agent deleted while we ran was not read: no error, the next run finds it missing."""
OWN_FAULT = f"internal error of lib {__version__}"
"""Begins the reason why a file could not be read when that is our fault: trying again makes no sense before another version is there."""


class Task(NamedTuple):
    """A file to read: where it lies, the root it was found under, the agent that is asked first, and how far an earlier run came."""

    path: str
    root: str
    agent: str
    offset: int = 0
    edge: bytes = b""
    state: str | None = None
    own: bool = False
    """Whether it lies in an agent's own place, so that content that nobody knows is worth telling."""


class Told(NamedTuple):
    """A session met in a file: its facts, redacted; `folder` is the true working directory, kept in memory to find its project."""

    agent: str
    sid: str
    subagent: bool
    started: str
    ended: str
    facts: dict[str, str]
    folder: str
    remote: str


class Reading(NamedTuple):
    """What a file held."""

    agent: str = ""
    """'' when no adapter knows the content."""
    resumed: bool = False
    """Whether only what came after an earlier run was read."""
    sessions: tuple[Told, ...] = ()
    rows: tuple[tuple[int, str, str, str, str, int], ...] = ()
    """(index in `sessions`, kind, code, text, time, line) of every record that counts; the text may be empty."""
    records: int = 0
    size: int = 0
    """Bytes read."""
    offset: int = 0
    edge: bytes = b""
    state: str | None = None
    tally: str = ""
    logins: tuple[tuple[str, str, int, str], ...] = ()
    """(fingerprint, kind, spreads, shape) of each login found."""
    sightings: tuple[tuple[int, str, str, str, int], ...] = ()
    """(index in `sessions`, fingerprint, first and last time, count): where they were met."""
    met: tuple[tuple[str, str], ...] = ()
    """(value, fingerprint) of those to be looked for elsewhere: never written anywhere."""
    error: str = ""


class Transcripts:
    """Reads transcripts, one after the other; each with a redactor of its own, so that the order does not matter."""

    def __init__(self, key: bytes, scratch: str, *, thinking: bool, allow: tuple[str, ...] = (), providers: str = "") -> None:
        self._key = key
        self._providers = providers
        self._scratch = scratch
        self._thinking = thinking
        self._allow = allow

    def read(self, task: Task) -> Reading:
        """Read one file. Never raises for what is in it: the reason is in `error`, without its text."""
        try:
            source = Source.open(task.path, scratch=self._scratch, home=task.root)
            with source.file:
                return self._read(task, source)
        except OSError as error:
            if not os.path.lexists(task.path) and isinstance(error, FileNotFoundError):
                return Reading(error=VANISHED)
            return Reading(error=error.strerror or type(error).__name__)
        except Exception as error:  # noqa: BLE001 - a fault of one adapter must not end the run; said in `lib status`
            place = traceback.extract_tb(error.__traceback__)[-1]
            return Reading(error=f"{OWN_FAULT}: {type(error).__name__} at {os.path.basename(place.filename)}:{place.lineno}")

    def _read(self, task: Task, source: Source) -> Reading:
        adapter: Adapter | None = None
        state = None
        if task.state is not None and _grew(source, task):
            adapter = ADAPTERS.get(task.agent)
            state = json.loads(task.state)
            source.start = source.offset = task.offset
        resumed = adapter is not None
        if adapter is None:
            adapter = _detect(source, task)
        if adapter is None:
            return Reading(error=NOT_RECOGNISED if task.own and _holds_anything(source) else "")
        source.file.seek(source.start)
        asked = state.pop(_ASKED, None) if state else None
        reader = adapter.reader(task.path, state)
        from libtool.domain.redact import Redactor  # noqa: PLC0415 - 8 ms that a run with nothing to read need not pay
        from libtool.domain.redact.talk import Talk  # noqa: PLC0415 - as above

        redactor = Redactor(self._key, allow=self._allow, learn=False, second=self._second)
        talk = Talk(redactor, asked)
        sightings = Sightings()
        sessions, rows, records = self._rows(reader, source, talk, sightings)
        if source.tally.failed and not records:
            return Reading(error=f"{NOT_RECOGNISED}: {redactor.redact(clean(source.tally.failed))}")
        return Reading(
            adapter.agent,
            resumed,
            tuple(_told(session, redactor, number, sightings) for number, session in enumerate(sessions)),
            tuple(rows),
            records,
            source.offset - source.start,
            source.offset,
            edge(source, source.offset),
            _state(reader, redactor, talk.asked),
            _tally(source, redactor),
            tuple((login.fingerprint, login.kind, int(login.spreads), login.shape) for login in redactor.found.values()),
            tuple((*met, *sighting) for met, sighting in sightings.items()),
            tuple(redactor.met.items()),
        )

    @cached_property
    def _second(self) -> Callable[[str], list[tuple[int, int]]] | None:
        """The second pass for the long tail of providers, where its package is installed."""
        from libtool.domain.redact import longtail  # noqa: PLC0415 - as in `_read`

        found = longtail.load(self._providers) if self._providers else None
        return found.spans if found is not None else None

    def _rows(
        self, reader: Reader, source: Source, talk: Talk, sightings: Sightings
    ) -> tuple[list[Session], list[tuple[int, str, str, str, str, int]], int]:
        sessions: list[Session] = []
        # Sessions are kept in the list, so that no other object can get the id() of one.
        numbers: dict[int, int] = {}
        rows: list[tuple[int, str, str, str, str, int]] = []
        records = 0
        redact, prepare, draft, finish, thinking = talk.redact, talk.prepare, condense.draft, condense.finish, self._thinking
        found = reader.read(source)
        while batch := [(one, one.session.id) for one in islice(found, _BATCH)]:
            records += len(batch)
            drafts = [draft(record) if thinking or record.kind != THINKING else None for record, _ in batch]
            # One pass over all of them: most hold nothing, which is then known.
            prepare(filter(None, drafts))
            for (record, sid), text in zip(batch, drafts, strict=True):
                number = numbers.get(id(record.session))
                if number is None:
                    number = numbers[id(record.session)] = len(sessions)
                    sessions.append(record.session)
                if text is None:
                    continue
                redacted = redact(sid, record.kind, text) if text else text
                if redacted is not text:
                    sightings.note(number, text, redacted, record.time)
                code, kept = finish(record, redacted)
                rows.append((number, record.kind, code, kept, record.time, record.line))
        return sessions, rows, records


def _told(session: Session, redactor: Redactor, number: int, sightings: Sightings) -> Told:
    facts = {name: redactor.redact(clean(getattr(session, name))) for name in FACTS}
    facts |= {name: safe_name(getattr(session, name), redactor) for name in NAMES}
    sid = safe_name(session.id, redactor)
    for before, after in ((session.id, sid), *((getattr(session, name), facts[name]) for name in FACTS)):
        sightings.note(number, before, after, times=0)
    return Told(session.agent, sid, session.subagent, session.started, session.ended, facts, session.cwd, session.repository)


def safe_name(name: str, redactor: Redactor) -> str:
    """A path or id as the store holds it: itself, or with placeholders for the logins in it; applied twice it changes nothing more.

    A placeholder says by its fingerprint which login it stands for, so two names stay two. Where characters had to go, a digest keeps
    the name apart from others.
    """
    redacted = _redacted_name(name, redactor)
    cleaned = _redacted_name(clean(redacted), redactor)
    if cleaned == redacted:
        return cleaned
    return f"{cleaned}#{hashlib.blake2b(redacted.encode('utf-8', 'surrogatepass'), digest_size=6).hexdigest()}"


def names_a_login(names: str, redact: Callable[[str], str]) -> bool:
    """Whether a JSON text of names holds a login, also one with a suffix behind it."""
    return any(redact(text) != text for text in (names, names.replace(".", '"')))


def _redacted_name(name: str, redactor: Redactor) -> str:
    # With its suffix, a file's name would be another word than the login.
    stem, suffix = os.path.splitext(name)
    # The kind of a login depends on where a run met it first.
    return _PLACEHOLDER.sub(r"[REDACTED:login-\1]", redactor.redact(redactor.redact(stem) + suffix))


def _state(reader: Reader, redactor: Redactor, asked: dict[str, str]) -> str | None:
    """The reader's state as it may be written down, and what is asked for; None, so that the file is read whole again, with a login in it.

    A state with a placeholder in it would go on with another id or folder than it began with.
    """
    state = reader.state()
    if state is not None and asked:
        state = {**state, _ASKED: asked}
    if state is None or redactor.redact_json(state) != state:
        return None
    return json.dumps(state, separators=(",", ":"), sort_keys=True)


def _tally(source: Source, redactor: Redactor) -> str:
    """What could not be used, as JSON; '' when there is nothing to tell."""
    tally = source.tally
    told: dict[str, Any] = {
        "unknown": {redactor.redact(clean(name)): count for name, count in tally.unknown.most_common(_TOLD)},
        "damaged": tally.damaged,
        "oversize": tally.oversize,
        "notes": [redactor.redact(clean(note)) for note in tally.notes[:_TOLD]],
    }
    return json.dumps(told, separators=(",", ":"), sort_keys=True) if any(told.values()) else ""


def _detect(source: Source, task: Task) -> Adapter | None:
    """The adapter that knows the content; the one whose place it lies in is asked first.

    Where the head of a file of rows tells nothing, more of it is looked at, then pieces further in, without the texts that make rows
    long: a session may begin with a pasted log, or with damage.
    """
    expected = ADAPTERS.get(task.agent)
    begin = _first_byte(source)
    source.file.seek(begin)
    head = source.file.read(SNIFF_BYTES)
    if adapter := _known(head, task.path, expected):
        return adapter
    if source.size - begin <= SNIFF_BYTES or not (task.path.endswith(".jsonl") or head.startswith(b"{")):
        return None
    return next((adapter for piece in _pieces(source, begin) if (adapter := _known(piece, task.path, expected))), None)


def _pieces(source: Source, begin: int) -> Iterator[bytes]:
    """Larger heads, until one holds enough lines, then pieces further in: the outlines of whole lines."""
    read = lines = 0
    while lines < _ENOUGH and read < MAX_LINE:
        read = min(read * _GROWTH or _PIECE, MAX_LINE)
        piece = _whole_lines(source, begin, read, first=True)
        yield piece
        if begin + read >= source.size:
            return
        lines = piece.count(b"\n")
    length = source.size - begin
    for at in (length // 4, length // 2, length * 3 // 4, length - _PIECE):
        yield _whole_lines(source, begin + at, _PIECE, first=False)


def _holds_anything(source: Source) -> bool:
    """Whether there is more in a file than white space or an empty JSON value. NULs are what a crash made of something."""
    source.file.seek(0)
    return source.file.read(_EDGE).strip() not in (b"", b"[]", b"{}") or source.size > _EDGE


def _known(head: bytes, path: str, expected: Adapter | None) -> Adapter | None:
    return expected if expected is not None and expected.sniff(head, path) else detect(head, path)


def _first_byte(source: Source) -> int:
    """Where the file begins, behind NULs (a crash leaves them) and white space; its size when there is nothing else in it."""
    at = 0
    source.file.seek(0)
    while piece := source.file.read(SNIFF_BYTES):
        if bare := piece.lstrip(_EMPTY):
            return at + len(piece) - len(bare)
        at += len(piece)
    return at


def _whole_lines(source: Source, at: int, size: int, *, first: bool) -> bytes:
    """The outlines of the lines that end in a piece of the file, and begin in it unless it is the `first`."""
    source.file.seek(at)
    data = source.file.read(size)
    begin = 0 if first else data.find(b"\n") + 1
    end = data.rfind(b"\n") + 1 if at + len(data) < source.size else len(data)
    return outline(data[begin:end]) if begin < end else b""


def _grew(source: Source, task: Task) -> bool:
    """Whether the file only grew since it was read: not shorter, and the same bytes at its head and before our offset."""
    return source.size >= task.offset > 0 and edge(source, task.offset) == task.edge


def edge(source: Source, offset: int) -> bytes:
    """A digest of the bytes at the head of the file and of those before `offset`."""
    descriptor = source.file.fileno()
    head = os.pread(descriptor, min(_EDGE, offset), 0)
    tail = os.pread(descriptor, min(_EDGE, offset), max(0, offset - _EDGE))
    return hashlib.blake2b(head + b"|" + tail, digest_size=12).digest()
