"""Prompts typed while Claude Code was busy: many exist only as `queue-operation` rows, others come again as a user row."""

from __future__ import annotations

import hashlib
from typing import Any

_KEPT = 64
Mark = list[Any]
"""[digest, length, whether it was given out] of a text: the state holds no prompt's text."""


class PromptQueue:
    """Follows the queue, so that the user row of a prompt that was given out when it was queued is not given out again.

    `enqueue` rows state the text; `dequeue` (a user row follows), `remove` (put into the running turn, or dropped) and `popAll` (back
    into the input line) do not, in most versions: the queue is first in, first out.
    """

    def __init__(self, state: dict[str, Any] | None = None) -> None:
        state = state or {}
        self.waiting: list[list[str]] = state.get("waiting", [])
        """[text, time] of prompts queued before the conversation began: a fork writes its first prompt before the history it copies."""
        self._queued: list[Mark] = state.get("queued", [])
        self._awaited: list[Mark] = state.get("awaited", [])
        self._popped: list[Mark] = state.get("popped", [])
        self._removed: list[Mark] = state.get("removed", [])

    def state(self) -> dict[str, Any]:
        """What `__init__` needs: bounded JSON."""
        lists = {"queued": self._queued, "awaited": self._awaited, "popped": self._popped, "removed": self._removed}
        return {"waiting": self.waiting, **lists}

    def wait(self, text: str, time: str) -> None:
        """Keep a prompt that was queued before the conversation began."""
        self.waiting = [*self.waiting[1 - _KEPT :], [text, time]]

    def enqueue(self, text: str, *, given: bool) -> None:
        """A text was queued, and given out if it was a prompt."""
        self._queued = [*self._queued[1 - _KEPT :], [_digest(text), len(text), given]]

    def dequeue(self) -> None:
        """The oldest is sent now: its user row comes before the reply, if at all."""
        self._awaited = [*self._awaited[1 - _KEPT :], *self._queued[:1]]
        del self._queued[:1]

    def remove(self) -> None:
        """The oldest left the queue without a user row; an attachment may still repeat it."""
        self._removed = [*self._removed[1 - _KEPT :], *self._queued[:1]]
        del self._queued[:1]

    def pop_all(self) -> None:
        """All went back into the input line; the person may send them with the next prompt."""
        self._popped, self._queued = self._queued, []

    def replied(self) -> None:
        """The model replied: no user row of what was sent before will come."""
        self._awaited.clear()

    def repeats(self, *texts: str) -> bool:
        """Whether a person's user row (in any of these readings) only repeats queued prompts: one, or several joined."""
        found = any(_take(marks, text) for text in texts for marks in (self._awaited, self._queued, self._popped))
        self._popped = []
        return found

    def repeats_late(self, text: str) -> bool:
        """The same for an attachment, which may come when its prompt already left the queue."""
        return _take(self._removed, text) or _take(self._queued, text) or _take(self._awaited, text)


def _take(marks: list[Mark], text: str) -> bool:
    """Remove from marks those whose texts, one or several in a row, make up the text; True when any of them was given out."""
    for start in range(len(marks)):
        rest = text
        for stop in range(start, len(marks)):
            digest, size, _ = marks[stop]
            if not size or _digest(rest[:size]) != digest:
                break
            rest = rest[size:].lstrip()
            if not rest:
                given = any(mark[2] for mark in marks[start : stop + 1])
                del marks[start : stop + 1]
                return given
    return False


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=8).hexdigest()
