from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.shell_frame import shell_output

FRAME = "Command: %s\nDirectory: (root)\n%s\nError: (none)\nExit Code: %d\nSignal: (none)\nBackground PIDs: (none)\nProcess Group PGID: 7"


@pytest.mark.parametrize(
    ("framed", "bare"),
    [
        (FRAME % ("ls", "Output: hive\nsmoker", 0), "hive\nsmoker"),
        (FRAME % ("cat <<E\na\n\nE", "Output: (empty)", 0), ""),
        (FRAME % ("ls x", "Output: ls: no x", 2), "ls: no x\nExit Code: 2"),
        (FRAME % ("ls", "Stdout: hive\nStderr: (empty)", 0), "hive"),
        (FRAME % ("ls", "Stdout: (empty)\nStderr: ls: no x", 2), "Stderr: ls: no x\nExit Code: 2"),
        ("Output: hive\nProcess Group PGID: 12", "hive"),
        ("Output: no hive\nExit Code: 3\nProcess Group PGID: 12", "no hive\nExit Code: 3"),
        ("Output: \nProcess Group PGID: 12", ""),
        ("Output: Exit Code: 0", ""),
        ("Output: Error: bees\nSignal: 9", "Error: bees\nSignal: 9"),
        ("Output:none", "Output:none"),
        ("Command: ls\nDirectory: (root)\nhive", "Command: ls\nDirectory: (root)\nhive"),
        ("Command was cancelled.", "Command was cancelled."),
        ("", ""),
    ],
)
def test_the_frame_goes_and_what_tells_something_stays(framed: str, bare: str) -> None:
    assert shell_output(framed).strip("\n") == bare


@given(command=st.text(max_size=20), printed=st.text(max_size=40), code=st.integers(1, 9))
def test_nothing_that_was_printed_is_lost(command: str, printed: str, code: int) -> None:
    bare = shell_output(FRAME % (command.replace("\nDirectory: ", ""), f"Output: x{printed}y", code))
    assert bare == f"x{printed}y\nExit Code: {code}"
