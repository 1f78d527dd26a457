from __future__ import annotations

import os
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.storage import attempts, files
from libtool.storage.attempts import ROW_SECONDS, caller_of, count, end

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "attempts")


def test_empty_searches_in_a_row_are_counted_for_each_caller(path: str) -> None:
    assert [count(path, "a", 1000.0 + at, empty=True) for at in range(3)] == [1, 2, 3]
    assert count(path, "b", 1003, empty=True) == 1
    assert count(path, "a", 1004, empty=False) == 0
    assert count(path, "a", 1005, empty=True) == 1
    assert count(path, "b", 1006, empty=True) == 2
    assert os.stat(path).st_mode & 0o777 == 0o600


def test_a_hit_that_ends_no_row_writes_nothing(path: str) -> None:
    assert count(path, "a", 1000, empty=False) == 0
    assert not os.path.exists(path)


def test_a_row_ends_by_a_verdict_and_by_time(path: str) -> None:
    count(path, "a", 1000, empty=True)
    end(path, "a", 1001)
    end(path, "a", 1001)
    assert count(path, "a", 1002, empty=True) == 1
    assert count(path, "a", 1002 + ROW_SECONDS, empty=True) == 2
    assert count(path, "a", 1003 + 2 * ROW_SECONDS, empty=True) == 1
    # A clock that was set back ends it too.
    assert count(path, "a", 5, empty=True) == 1


def test_the_file_stays_small_and_keeps_what_is_new(path: str) -> None:
    for number in range(4000):
        count(path, f"caller {number}", 1000, empty=True)
    assert os.path.getsize(path) <= attempts._MOST
    assert count(path, "caller 3999", 1000, empty=True) == 2
    assert count(path, "caller 1", 1000, empty=True) == 1


def test_a_file_that_cannot_be_shortened_counts_on(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_args: object) -> None:
        raise OSError

    monkeypatch.setattr(attempts, "_MOST", 0)
    monkeypatch.setattr(files, "write", full)
    assert [count(path, "a", 1000, empty=True) for _ in range(3)] == [1, 2, 3]


def test_agents_that_search_at_once_lose_no_count(path: str) -> None:
    program = (
        "import sys; from libtool.storage.attempts import count; "
        "print(*(count(sys.argv[1], sys.argv[2], 1000.0, empty=True) for _ in range(300)))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", program, path, name], stdout=subprocess.PIPE, text=True)
        for name in ("a", "b", "same", "same")
    ]
    told = [list(map(int, process.communicate()[0].split())) for process in running]
    assert told[0] == told[1] == list(range(1, 301))
    assert sorted(told[2] + told[3]) == list(range(1, 601))


def test_a_caller_of_any_characters(path: str) -> None:
    odd = "a\tb\n\udcff c" + "x" * 999
    assert [count(path, odd, 1000, empty=True) for _ in range(2)] == [1, 2]
    end(path, odd, 1000)
    assert count(path, odd, 1000, empty=True) == 1


@pytest.mark.parametrize("content", [b"\xff\n", b"no fields\n", b"a\tx\t1000\n", b"a\t1\tnan\n", b"a\t1\t\n", b"a\t1\t9999\n"])
def test_a_file_that_cannot_be_understood_begins_anew(path: str, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
    assert count(path, "a", 1000, empty=True) == 1
    assert count(path, "a", 1000, empty=True) == 2


def test_a_file_that_cannot_be_written_makes_each_search_the_first(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    path = str(tmp_path / "file" / "attempts")
    assert [count(path, "a", 1000, empty=True) for _ in range(2)] == [1, 1]


def test_the_caller_is_the_session_else_what_called_the_shell(tmp_path: Path) -> None:
    assert caller_of("some-session") == "some-session"
    direct = f"{sys.executable} {tmp_path}/ask.py; true"
    (tmp_path / "ask.py").write_text("from libtool.storage.attempts import caller_of; print(caller_of(''))")
    (tmp_path / "run.sh").write_text(f"env sh -c '{direct}'; true")
    commands = ([sys.executable, f"{tmp_path}/ask.py"], ["sh", "-c", direct], ["sh", f"{tmp_path}/run.sh"])
    said = {subprocess.run(command, capture_output=True, text=True, check=True).stdout for command in commands}
    assert len(said) == 1
    if os.path.isdir("/proc/self"):
        assert said.pop().startswith(f"process {os.getpid()} ")


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes through /proc")
def test_shells_between_are_passed_over() -> None:
    shell = subprocess.Popen(["sh", "-c", "sleep 60; true"])
    try:
        (child,) = _children_of(shell.pid)
        # Between its fork and its exec it is a shell still.
        while _name_of(child) != "sleep":
            pass
        assert attempts._ancestor(shell.pid) == attempts._ancestor(os.getpid())
        assert attempts._ancestor(child).startswith(f"{child} ")
        assert attempts._ancestor(os.getpid()).startswith(f"{os.getpid()} ")
    finally:
        os.kill(child, 9)
        shell.wait()


def _name_of(process: int) -> str:
    with open(f"/proc/{process}/comm", encoding="ascii") as file:
        return file.read().strip()


def _children_of(process: int) -> list[int]:
    """Waits until there are some."""
    while True:
        with open(f"/proc/{process}/task/{process}/children", encoding="ascii") as file:
            if found := file.read().split():
                return list(map(int, found))


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks at processes through /proc")
def test_a_long_chain_of_shells_ends() -> None:
    """Nine shells, each the parent of the next."""
    script = "read line"
    for _ in range(9):
        script = f"sh -c {shlex.quote(script)}; true"
    outer = subprocess.Popen(["sh", "-c", script], stdin=subprocess.PIPE)
    try:
        innermost = outer.pid
        for _ in range(9):
            (innermost,) = _children_of(innermost)
        assert attempts._ancestor(innermost).isdecimal()
    finally:
        outer.communicate(b"\n")


def test_an_ancestor_that_is_gone_is_named_by_its_number() -> None:
    assert attempts._ancestor(4_194_305) == "4194305"
