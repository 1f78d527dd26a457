"""Looks for logins in a second process, while the first one waits for git and reads entries: half of a commit's wait on two cores.

It can only say that a text is clean. Whatever else it says, or does not, the first process looks for itself.
"""

from __future__ import annotations

import contextlib
import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from libtool.features.githooks.cleaning import Looks

_CLEAN = b"c"
_NOT = b"n"
_SIZE = 8
_STANDARD = 3
_MOST_FILES = 256
_PIECE = 1 << 16


class Beside:
    """The second process. It loads what it needs at once; `give` it the texts, then ask whether one `is_clean`."""

    def __init__(self, looks: Callable[[], Looks]) -> None:
        """`looks` gives, in the second process, what tells whether a text holds a login. Raises OSError."""
        self._order: list[bytes] = []
        self._said: dict[bytes, bool] | None = None
        ours, theirs = os.pipe(), os.pipe()
        self._pid = os.fork()
        if not self._pid:
            try:
                # A pipe of git's that stayed open here would never come to its end there.
                for end in range(_STANDARD, _MOST_FILES):
                    if end not in (ours[0], theirs[1]):
                        with contextlib.suppress(OSError):
                            os.close(end)
                serve(ours[0], theirs[1], looks)
            finally:
                os._exit(0)
        os.close(ours[0])
        os.close(theirs[1])
        self._give, self._take = ours[1], theirs[0]

    def give(self, texts: Sequence[bytes]) -> None:
        """All the texts to look at, once."""
        self._order = list(texts)
        try:
            for text in texts:
                _write(self._give, len(text).to_bytes(_SIZE) + text)
        except BrokenPipeError:
            self._order = []
        os.close(self._give)

    def is_clean(self, text: bytes) -> bool:
        """Whether the second process has found nothing in one of the texts given; waits for it the first time."""
        if self._said is None:
            answers = _all(self._take)
            os.close(self._take)
            os.waitpid(self._pid, 0)
            self._said = {one: answers[at : at + 1] == _CLEAN for at, one in enumerate(self._order)}
        return self._said.get(text, False)


def serve(given: int, answers: int, looks: Callable[[], Looks]) -> None:
    """The second process: read all texts from one descriptor, write a byte for each to the other."""
    try:
        look = looks()
        data = _all(given)
        at = 0
        while at < len(data):
            size = int.from_bytes(data[at : at + _SIZE])
            at += _SIZE
            _write(answers, _NOT if look(data[at : at + size]) else _CLEAN)
            at += size
    except Exception:  # noqa: BLE001, S110 - the first process does it again, and says what is wrong
        pass


def _write(end: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(end, view) :]


def _all(end: int) -> bytes:
    pieces = []
    while piece := os.read(end, _PIECE):
        pieces.append(piece)
    return b"".join(pieces)
