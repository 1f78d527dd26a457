"""A process as we write it down, `pid start-time`, so that another one that got its number is not taken for it."""

from __future__ import annotations

import os

from libtool.storage import attempts, files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

PROC = "/proc"
_MOST = 64
"""Ancestors that are looked at."""
_INITS = frozenset("systemd init tini docker-init dumb-init catatonit s6-svscan runsvdir".split())


def agent() -> str:
    """The agent that started this process: the nearest ancestor that is no shell."""
    return attempts.caller_of("").removeprefix("process ")


def is_same(process: str) -> bool:
    """Whether the process still runs; where the system does not tell when it began, whether one of its number does."""
    number, _, began = process.partition(" ")
    if not number.isdecimal() or not files.is_running(int(number)):
        return False
    return not began or _began(number) in ("", began)


def nearest(variables: Mapping[str, str]) -> list[str]:
    """Those of these variables of ours that the nearest process has set to this value.

    Which one set a variable is seen by the environment that it was itself started with. All those that were set further up than can be seen
    (a sandbox, a system that shows nothing) are equally far. One does not count when who set it has ended: we are no part of what it was
    set for.
    """
    missing, process = dict(variables), str(os.getppid())
    for _ in range(_MOST):
        begun_with = _environment(process)
        name, parent = _name_and_parent(process)
        is_none = _takes_in(process, name)
        if begun_with is None:
            return [] if is_none else list(missing)
        found = [one for one, value in missing.items() if begun_with.get(one) != value]
        if found and not is_none:
            return found
        for one in found:
            del missing[one]
        process = parent
    return list(missing)


def _takes_in(number: str, name: str) -> bool:
    """Whether a process is one that others come to belong to when their own parent ends, and no agent."""
    return name in _INITS or (number == "1" and name in attempts.SHELLS)


def _environment(number: str) -> dict[str, str] | None:
    """The environment that a process was started with; None where that is not shown."""
    try:
        with open(os.path.join(PROC, number, "environ"), encoding="utf-8", errors="surrogateescape") as file:
            return dict(line.split("=", 1) for line in file.read().split("\0") if "=" in line)
    except OSError:
        return None


def _name_and_parent(number: str) -> tuple[str, str]:
    """Name and parent of a process; ('', '0') where they are not told."""
    try:
        with open(os.path.join(PROC, number, "stat"), encoding="utf-8", errors="replace") as file:
            head, _, rest = file.read().rpartition(")")
        return head.partition("(")[2], rest.split()[1]
    except (OSError, IndexError):
        return "", "0"


def _began(number: str) -> str:
    """When a process began, as the kernel counts; '' where it does not tell."""
    try:
        with open(os.path.join(PROC, number, "stat"), encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
