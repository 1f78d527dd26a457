"""A process started without subprocess: the same in, out and end."""

from __future__ import annotations

import os
import sys

import pytest

from libtool.storage.git_process import Process


def shell(script: str, given: bytes = b"") -> Process:
    return Process(["/bin/sh", "-c", script], {"PATH": os.defpath}, given)


def test_what_is_given_comes_out() -> None:
    process = shell("cat; echo said >&2; exit 3", b"one\n")
    process.give(b"two\n")
    assert process.end() == (3, b"one\ntwo\n", b"said\n")


def test_much_on_both_pipes_stops_nobody() -> None:
    code, out, err = Process([sys.executable, "-c", "import os; os.write(2, b'e' * 300000); os.write(1, b'o' * 300000)"], {}).end()
    assert (code, len(out), len(err)) == (0, 300_000, 300_000)


def test_a_process_that_is_gone_takes_nothing_and_tells_its_signal() -> None:
    process = shell("exec 0<&-; kill -9 $$")
    os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
    process.give(b"more")
    assert process.end() == (-9, b"", b"")


def test_a_pipe_ends_a_child_again() -> None:
    # SIGPIPE is ignored in this process; with it ignored, yes would say that its pipe is broken.
    assert shell("yes | head -n 1").end() == (0, b"y\n", b"")


def test_no_such_program_leaves_no_pipe_open() -> None:
    before = len(os.listdir("/dev/fd"))
    with pytest.raises(OSError, match="No such file"):
        Process(["/nowhere/git"], {})
    assert len(os.listdir("/dev/fd")) == before
