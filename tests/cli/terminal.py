"""A real terminal as standard input of the program that runs in this process."""

from __future__ import annotations

import os
import pty
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest


@contextmanager
def typed(monkeypatch: pytest.MonkeyPatch, text: str) -> Iterator[None]:
    """Within it, standard input is a terminal at which a person has typed `text`."""
    person, program = pty.openpty()
    with os.fdopen(program, "r") as stream, monkeypatch.context() as patched:
        os.write(person, text.encode())
        patched.setattr(sys, "stdin", stream)
        yield
    os.close(person)
