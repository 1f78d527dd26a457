"""The files that lib puts in place: in the installed package below `shims`, in a checkout below `hooks`; the skill in `skill`."""

from __future__ import annotations

import os
import shlex

import libtool
from libtool.errors import LibError

_PACKAGE = os.path.dirname(os.path.abspath(libtool.__file__))
SKILL = "session-library"
"""The skill's name, and that of its folder: agents want the two to be the same."""


def text(name: str) -> str:
    """A template below hooks/agent."""
    return shim(f"agent/{name}")


def shim(name: str) -> str:
    """A template below hooks: what git or an agent calls, or `lib`, which starts lib."""
    return _read((os.path.join(_PACKAGE, "shims"), os.path.join(os.path.dirname(_PACKAGE), "hooks")), name)


def guarded(program: str) -> str:
    """How a shell calls the launcher: where that is gone nothing happens, instead of an error at every turn."""
    word = shlex.quote(program)
    return f"[ ! -x {word} ] || {word}"


def skill() -> str:
    """SKILL.md."""
    return _read((os.path.join(_PACKAGE, "skill"),), "SKILL.md")


def _read(folders: tuple[str, ...], name: str) -> str:
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            with open(path, encoding="utf-8") as file:
                return file.read()
    raise LibError(f"lib's own file {name} is missing", hint="install lib again")
