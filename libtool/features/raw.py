"""`lib show --raw`: a session's own records, read from its transcript through the adapter: uncut, but cleaned and redacted."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.adapters.base import Source
from libtool.adapters.registry import ADAPTERS
from libtool.domain.redact import Redactor
from libtool.domain.redact.talk import Talk
from libtool.domain.ref import Ref, parse
from libtool.domain.session import NOTE, TURN_KINDS
from libtool.domain.text import clean
from libtool.errors import LibError, TranscriptUnreadable
from libtool.features.reading import safe_name
from libtool.features.show import canonical, find
from libtool.storage import files, key
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from libtool.adapters.base import Adapter
    from libtool.config import Config
    from libtool.domain.session import Record


class Line(NamedTuple):
    """One record as the transcript has it, without logins and control characters."""

    turn: int
    """Its turn; in a note the line where the passage begins."""
    kind: str
    time: str
    tool: str
    text: str
    """What was said; of a tool call its arguments, as JSON unless the agent stores text."""
    failed: bool


class _Place(NamedTuple):
    """Where a session's transcript lies, and what lib has of the session."""

    ref: str
    sid: str
    adapter: Adapter
    path: str
    logins: dict[str, str]


def records(config: Config, environ: Mapping[str, str], text: str, *, turns: tuple[int, int] | None) -> list[Line]:
    """The records of the turns asked for; a REF with a turn means that turn alone. Reads the one transcript.

    Raises TranscriptUnreadable when it is gone, on another machine or cannot be read, LibError when it has no such turn.
    """
    ref = parse(text)
    place = _place(config, ref)
    redactor = Redactor(key.load(config), known=place.logins, allow=config.logins_allow)
    lines: list[Line] = []
    with files.scratch(config.data_dir, "raw") as scratch:
        try:
            source = Source.open(place.path, scratch=scratch, home=_root(place, config.home, environ))
            with source.file:
                wanted = turns or ((ref.turn, ref.turn) if ref.turn and ref.kind != "note" else None)
                # All records are redacted, in order: a login may be recognised in one turn and stand alone in another.
                lines = [line for line in _lines(place, source, redactor) if wanted is None or wanted[0] <= line.turn <= wanted[1]]
        except OSError as error:
            raise _gone(place.ref, f"the transcript cannot be read ({error.strerror}): {place.path}") from error
    if not lines and wanted is None:
        raise _gone(place.ref, f"the transcript no longer holds this session: {place.path}")
    if not lines:
        raise LibError("the transcript has no such turn", hint=f"`lib show {place.ref}` shows what there is")
    if ref.kind == "note" and ref.turn:
        first = max((at for at, line in enumerate(lines) if line.turn <= ref.turn), default=0)
        lines = lines[first : first + 1]
    return [line._replace(text=redactor.redact_known(line.text)) for line in lines]


def _place(config: Config, ref: Ref) -> _Place:
    with SessionDb(config.store_db) as database:
        facts = find(database, ref, config.home)
        name = canonical(database, facts)
        _, path, _ = database.longest_part(facts["id"])
        agents = database.rows("SELECT agent FROM file WHERE path = ?", (path,))
        logins: dict[str, str] = dict(database.rows("SELECT fingerprint, kind FROM login WHERE spreads AND key = ''"))
    if facts["machine"] != config.machine:
        raise _gone(name, f"the transcript is on the machine {facts['machine']}")
    if not path or not os.path.exists(path):
        raise _gone(name, f"the transcript is gone{f': {path}' if path else ''}")
    return _Place(name, facts["sid"], ADAPTERS[agents[0][0]], path, logins)


def _gone(ref: str, message: str) -> TranscriptUnreadable:
    return TranscriptUnreadable(message, hint=f"`lib show {ref}` prints what lib kept of it")


def _root(place: _Place, home: str, environ: Mapping[str, str]) -> str:
    """The root of the agent's place that holds the transcript, else its folder."""
    roots = [one.root for one in place.adapter.places(home, environ) if place.path.startswith(one.root + os.sep)]
    return max(roots, key=len, default=os.path.dirname(place.path))


def _lines(place: _Place, source: Source, redactor: Redactor) -> Iterator[Line]:
    """Every record of the session, its turn counted as the index counts it."""
    turn = 0
    talk = Talk(redactor)
    for record in place.adapter.reader(place.path, None).read(source):
        if safe_name(record.session.id, redactor) == place.sid:
            turn += record.kind in TURN_KINDS
            number = record.line if record.kind == NOTE else turn
            yield Line(number, record.kind, record.time, redactor.redact(clean(record.tool)), _text(record, redactor, talk), record.failed)


def _text(record: Record, redactor: Redactor, talk: Talk) -> str:
    if record.input is None:
        return talk.redact(record.session.id, record.kind, clean(record.text))
    if isinstance(record.input, str):
        return redactor.redact(clean(record.input))
    return json.dumps(redactor.redact_json(cleaned(record.input)), ensure_ascii=False)


def cleaned(value: object) -> Any:  # noqa: ANN401 - any JSON value
    """A JSON value with all its texts cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {cleaned(name): cleaned(item) for name, item in value.items()}
    return [cleaned(item) for item in value] if isinstance(value, list) else value
