"""The digests of the sessions in a transcript, which leaves no trace in the store: what `lib capture --print FILE` shows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.domain.chunk import Chunker, Segment
from libtool.domain.digest import Collector, Facts, compose
from libtool.domain.redact import Redactor
from libtool.domain.session import TURN_KINDS
from libtool.errors import LibError, TranscriptUnreadable
from libtool.features.reading import Task, Transcripts, safe_name
from libtool.features.show_digest import Printed, printed
from libtool.storage import files, key, logins
from libtool.storage.session_db import SHORTEST_TAIL

if TYPE_CHECKING:
    from libtool.config import Config
    from libtool.domain.chunk import Chunk
    from libtool.features.reading import Reading, Told


def of_file(config: Config, path: str) -> list[Printed]:
    """The digests of the sessions in a transcript, read by its adapter and redacted; those of sub-agents only where there is no other.

    Raises TranscriptUnreadable.
    """
    path = os.path.abspath(path)
    if not os.path.isfile(path):
        raise TranscriptUnreadable(f"no such file: {path}", hint="give a transcript, or the REF of a session")
    files.ensure_folder(config.data_dir)
    secret = key.load(config)
    with files.scratch(config.data_dir, "capture") as scratch:
        reader = Transcripts(secret, scratch, thinking=False, allow=config.logins_allow)
        reading = reader.read(Task(path, os.path.dirname(path), "", own=True))
    if reading.error or not reading.agent:
        raise TranscriptUnreadable(f"cannot read {path}: {reading.error or 'it is empty'}", hint="is it a transcript of an agent?")
    redactor = Redactor(secret, known=logins.known(config), allow=config.logins_allow)
    redactor.learn(dict(reading.met), {fingerprint: kind for fingerprint, kind, *_ in reading.logins})
    found = [one for one in _digests(reading, redactor) if one is not None]
    if not found:
        raise LibError(f"{path} holds nothing that a digest could tell", hint="`lib show --raw` shows a session as it is")
    return found


def _digests(reading: Reading, redactor: Redactor) -> list[Printed | None]:
    pools: dict[str, _Pool] = {}
    main = any(not told.subagent for told in reading.sessions)
    for told in reading.sessions:
        if not (told.subagent and main):
            pools.setdefault(safe_name(told.sid, redactor), _Pool(told))
    names = [safe_name(told.sid, redactor) for told in reading.sessions]
    for number, kind, code, text, when, _ in reading.rows:
        pool = pools.get(names[number])
        if pool is not None:
            pool.turn += kind in TURN_KINDS
            pool.add(code, redactor.redact_known(text), when)
    return [pool.printed(name) for name, pool in pools.items()]


class _Pool:
    """What one session of a file said, in the same pieces as the store has them."""

    def __init__(self, told: Told) -> None:
        self._told = told
        self._chunker = Chunker()
        self._collector = Collector()
        self.turn = 0

    def add(self, code: str, text: str, when: str) -> None:
        """One record."""
        self._take(self._chunker.add(Segment(code, self.turn, text), when))

    def _take(self, chunks: list[Chunk]) -> None:
        for chunk in chunks:
            for segment in chunk.segments:
                self._collector.add(segment, chunk.time)

    def printed(self, name: str) -> Printed | None:
        """Its digest."""
        self._take(self._chunker.close())
        facts = Facts(self._told.agent, name, name[-SHORTEST_TAIL:], self._told.facts["cwd"])
        made = compose(self._collector, facts)
        return printed(f"{facts.agent}:{facts.short_id}", made, facts) if made else None
