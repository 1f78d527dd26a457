"""A process as we write it down, `pid start-time`, so that another one that got its number is not taken for it."""

from __future__ import annotations

import os

from libtool.storage import attempts, files


def agent() -> str:
    """The agent that started this process: the nearest ancestor that is no shell."""
    return attempts.caller_of("").removeprefix("process ")


def is_same(process: str) -> bool:
    """Whether the process still runs; where the system does not tell when it began, whether one of its number does."""
    number, _, began = process.partition(" ")
    if not number.isdecimal() or not files.is_running(int(number)):
        return False
    return not began or _began(number) in ("", began)


def _began(number: str) -> str:
    """When a process began, as the kernel counts; '' where it does not tell."""
    try:
        with open(os.path.join("/proc", number, "stat"), encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[19]
    except (OSError, IndexError):
        return ""
