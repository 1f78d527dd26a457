"""Gathers what a digest is chosen from, segment by segment, in bounded memory; its state survives as JSON."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from libtool.domain import condense
from libtool.domain.digest import commits
from libtool.domain.digest.sentences import Reader
from libtool.domain.digest.terms import terms
from libtool.domain.digest.weigh import static_order
from libtool.domain.digest.work import Work
from libtool.domain.text import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from libtool.domain.chunk import Segment
    from libtool.domain.digest.sentences import Sentence

PROSE = condense.HUMAN + condense.TASK + condense.ANSWER + condense.ASSISTANT + condense.PLAN + condense.SUMMARY
"""The codes of segments whose sentences are candidates; notes are entries of their own kind, thinking is no conclusion."""
MOST, KEPT = 1_200, 500
"""When the pool holds more candidates than MOST, the KEPT best stay: a session of any length costs the same to choose from."""
MOST_TERMS, LEAST_COUNT = 8_000, 2
_ACTED_LENGTH, _ACTED_MOST = 300, 4
_TEXT_LIMIT = 40_000
"""Characters of one message that are looked at, from both its ends: what was pasted in between is data."""
_PROMPT_LIMIT = 400


class Candidate(NamedTuple):
    """A sentence with its origin: code of its segment, kind, turn, number of its message, line in it, file it is about."""

    text: str
    code: str
    kind: str
    turn: int
    message: int
    line: int
    about: str = ""


class Collector:
    """The pool of one session: `add` segments in order; `state` and `Collector(state)` carry it over to another process.

    Whatever cut the segments into steps, the same segments give the same state.
    """

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self.candidates = [Candidate(*row) for row in state.get("candidates", ())]
        self.counts: dict[str, int] = dict(state.get("counts", ()))
        """In how many sentences of the session a term stands."""
        self.acted: dict[str, int] = dict(state.get("acted", ()))
        """In how many tool calls and failures, up to a few."""
        self.dates: dict[int, str] = dict(sorted((int(turn), date) for turn, date in state.get("dates", {}).items()))
        """Turn to the day it was last active."""
        self.prompt: str = state.get("prompt", "")
        self.title: str = state.get("title", "")
        self.work = Work(state.get("work"))
        self._message: int = state.get("message", 0)
        self._open: list[Any] = list(state.get("open", ()))

    def state(self) -> dict[str, Any]:
        """All of it as a JSON object."""
        return {
            "candidates": [list(one) for one in self.candidates],
            "counts": self.counts,
            "acted": self.acted,
            "dates": {str(turn): date for turn, date in self.dates.items()},
            "prompt": self.prompt,
            "title": self.title,
            "work": self.work.state(),
            "message": self._message,
            "open": self._open,
        }

    def copy(self) -> Collector:
        """One that goes on by itself; used to look at a segment that may still grow."""
        return Collector(self.state())

    def add(self, segment: Segment, time: str = "") -> None:
        """Take one condensed, redacted segment; `time` is RFC 3339 or empty."""
        code, turn, text = segment
        if time:
            self.dates[turn] = max(time[:10], self.dates.get(turn, ""))
        if code == condense.TITLE:
            self.title = one_line(text, _PROMPT_LIMIT)
        elif code in PROSE:
            if code in (condense.HUMAN, condense.TASK) and not self.prompt:
                self.prompt = one_line(text, _PROMPT_LIMIT)
            self._add_prose(code, turn, text)
            self.work.said(code, turn, text)
        elif code in (condense.CALL, condense.RESULT, condense.FAILED) and self.work.add(code, turn, text):
            self._end_message()
            if code == condense.CALL and (said := commits.message(text)):
                self._add_prose(code, turn, said)
                self._end_message()
            if code != condense.RESULT:
                for term in terms(text[:_ACTED_LENGTH]):
                    self.acted[term] = min(self.acted.get(term, 0) + 1, _ACTED_MOST)
            self._message += 1
        self._bound()

    def _add_prose(self, code: str, turn: int, text: str) -> None:
        # A long message comes in pieces, one after the other.
        same = self._open[:2] == [code, turn]
        reader = Reader(self._open[2]) if same else Reader()
        base = self._open[3] if same else 0
        if not same:
            self._end_message()
            self._message += 1
        if len(text) > _TEXT_LIMIT:
            text = text[: _TEXT_LIMIT // 2] + "\n" + text[-_TEXT_LIMIT // 2 :]
        self._take(reader.read(text), code, turn, base)
        self._open = [code, turn, reader.state(), base + text.count("\n") + 1]

    def _end_message(self) -> None:
        """What its last line led to was done, not said: the line stands alone."""
        if self._open:
            code, turn, state, base = self._open
            self._take(Reader(state).close(), code, turn, base)
            self._open = []

    def _take(self, sentences: Iterable[Sentence], code: str, turn: int, base: int) -> None:
        for sentence in sentences:
            for term in terms(sentence.text):
                self.counts[term] = self.counts.get(term, 0) + 1
            self.candidates.append(Candidate(sentence.text, code, sentence.kind, turn, self._message, base + sentence.line, sentence.about))

    def _bound(self) -> None:
        if len(self.candidates) > MOST:
            order = static_order(self.candidates, self.counts, self.acted)
            # What is newest stays whatever it holds: it may be the conclusion.
            newest = set(range(len(self.candidates) - KEPT // 4, len(self.candidates)))
            kept = newest | set([at for at in order if at not in newest][: KEPT - len(newest)])
            self.candidates = [one for at, one in enumerate(self.candidates) if at in kept]
        for counts in (self.counts, self.acted):
            least = LEAST_COUNT
            while len(counts) > MOST_TERMS:
                for term in [term for term, count in counts.items() if count < least]:
                    del counts[term]
                least += 1
        if len(self.dates) > MOST:
            self.dates = dict(list(self.dates.items())[-KEPT:])


def relative(path: str, folder: str) -> str:
    """A path as a note names it: relative to the session's folder where it lies in it."""
    folder = folder.rstrip("/")
    return os.path.relpath(path, folder) if folder and path.startswith(folder + "/") else path
