"""The environment that tests give to processes they start: the one of this test, isolated by conftest's `home`."""

from __future__ import annotations

import os


def environment(**more: str) -> dict[str, str]:
    """A copy of this process's variables, with `more`."""
    return {**os.environ, **more}  # noqa: TID251 - cleaned by conftest
