"""A file that is ours alone in a folder of an agent: a plugin, an extension, a file of hooks, the skill."""

from __future__ import annotations

import json

from libtool.features.install import templates
from libtool.features.install.part import UnusableError

_MARKS = (b"`lib install` put it here", b"`lib install` put this here", b"lib hook ", b"lib' hook ", b"name: session-library")


class OwnFile:
    """A template as a whole file."""

    is_whole = True
    nothing = b""

    def __init__(self, template: str, *, is_shell: bool = False) -> None:
        self.template = template
        self._is_shell = is_shell

    def put(self, text: bytes | None, launcher: str) -> bytes:
        """See `Part`."""
        if text is not None:
            raise UnusableError("it is there, and lib did not put it there", "move it away, then run the command again")
        program = templates.guarded(launcher) if self._is_shell else launcher
        return templates.text(self.template).replace("@LIB@", json.dumps(program)[1:-1]).encode()

    def take(self, text: bytes, was: bytes | None = None) -> bytes | None:  # noqa: ARG002 - nothing empty is left
        """See `Part`."""
        return None if is_ours(text) else text

    def holds(self, text: bytes, launcher: str) -> bool:
        """See `Part`."""
        return text == self.put(None, launcher)


class Skill:
    """SKILL.md."""

    template = ""
    is_whole = True
    nothing = b""

    def put(self, text: bytes | None, launcher: str) -> bytes:  # noqa: ARG002 - an agent calls lib by its name
        """See `Part`."""
        if text is not None:
            raise UnusableError("another skill of this name is there", "move it away, then run the command again")
        return templates.skill().encode()

    def take(self, text: bytes, was: bytes | None = None) -> bytes | None:  # noqa: ARG002 - nothing empty is left
        """See `Part`."""
        return None if is_ours(text) else text

    def holds(self, text: bytes, launcher: str) -> bool:
        """See `Part`."""
        return text == self.put(None, launcher)


def is_ours(text: bytes) -> bool:
    """Whether a file looks like one that some version of lib wrote, or wrote to."""
    return any(mark in text for mark in _MARKS)
