"""The child's own steps, seen from inside; tests/hooks/test_agent.py sees it from outside."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

import pytest

from libtool.hooks import detached

if TYPE_CHECKING:
    from collections.abc import Callable


class EndedError(BaseException):
    """Instead of the end of the process."""


def steps_of(monkeypatch: pytest.MonkeyPatch, work: Callable[[], object], forks: tuple[int, int] = (0, 0)) -> list[str]:
    """What the child does to its process, in order."""
    done: list[str] = []
    processes = iter(forks)

    def end(code: int) -> None:
        done.append(f"exit {code}")
        raise EndedError

    def worked() -> None:
        done.append("work")
        work()

    with monkeypatch.context() as patched:
        patched.setattr(os, "fork", lambda: next(processes))
        patched.setattr(os, "setsid", lambda: done.append("setsid"))
        patched.setattr(os, "_exit", end)
        patched.setattr(os, "dup2", lambda _, number: done.append(f"dup2 {number}"))
        patched.setattr(os, "closerange", lambda first, _: done.append(f"close from {first}"))
        patched.setattr(os, "nice", lambda _: done.append("nice"))
        patched.setattr(os, "umask", lambda mode: done.append(f"umask {mode:o}"))
        patched.setattr(signal, "signal", lambda *_: None)
        with pytest.raises(EndedError):
            detached.start(worked)
    return done


def test_the_grandchild_lets_go_of_everything_works_and_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = steps_of(monkeypatch, lambda: None)
    assert steps == ["setsid", "dup2 0", "dup2 1", "dup2 2", "close from 3", "nice", "umask 77", "work", "exit 0"]


def test_the_child_in_between_ends_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert steps_of(monkeypatch, lambda: None, (0, 4711)) == ["setsid", "exit 0"]


def test_work_that_fails_ends_the_process_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ValueError

    assert steps_of(monkeypatch, broken)[-2:] == ["work", "exit 0"]


def test_no_zombie_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    fork = os.fork
    children: list[int] = []

    def noted() -> int:
        children.append(fork())
        return children[-1]

    monkeypatch.setattr(os, "fork", noted)
    reads, writes = os.pipe()
    os.set_inheritable(writes, True)  # noqa: FBT003
    detached.start(lambda: None)
    (child,) = children
    with pytest.raises(ChildProcessError):
        os.waitpid(child, os.WNOHANG)
    os.close(writes)
    # The end of our pipe is in no other process.
    assert os.read(reads, 1) == b""
    os.close(reads)
