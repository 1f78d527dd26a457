from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from libtool.storage import processes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def test_the_agent_is_who_started_us_through_whatever_shell() -> None:
    ask = "from libtool.storage import processes; print(processes.agent())"
    said = subprocess.run(["sh", "-c", f'"{sys.executable}" -c "{ask}"; true'], capture_output=True, text=True, check=True).stdout
    assert said.split()[0] == str(os.getpid())
    assert processes.is_same(said.strip())
    assert processes.is_same(processes.agent())


@pytest.mark.parametrize("process", ["", "no number", "0x1 5", "999999999", "999999999 12"])
def test_a_process_that_is_gone_or_none(process: str) -> None:
    assert not processes.is_same(process)


def test_another_process_of_the_same_number_is_not_the_same() -> None:
    mine = str(os.getpid())
    assert processes.is_same(mine)
    began = processes._began(mine)
    assert processes.is_same(f"{mine} {began}")
    assert not began or not processes.is_same(f"{mine} {int(began) - 1}")
    assert processes._began("999999999") == ""


Table = dict[int, tuple[str, int, dict[str, str] | None]]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Table], None]:
    """Has these processes (name, parent, environment or None for one that is not shown) run; ours is a child of the first."""

    def made(rows: Table) -> None:
        monkeypatch.setattr(processes, "PROC", str(tmp_path))
        monkeypatch.setattr(os, "getppid", lambda: next(iter(rows)))
        for number, (name, parent, environ) in rows.items():
            (tmp_path / str(number)).mkdir()
            (tmp_path / str(number) / "stat").write_text(f"{number} ({name}) S {parent} 1 1 0")
            if environ is not None:
                (tmp_path / str(number) / "environ").write_text("".join(f"{one}={value}\0" for one, value in environ.items()))

    return made


OURS = {"A": "1", "B": "2"}
ORPHANS: list[Table] = [
    # A terminal that an agent has opened and that outlives it: whatever is started in there later is of nobody's session.
    {9: ("bash", 7, OURS), 7: ("tmux: server", 1, OURS), 1: ("systemd", 0, {})},
    {9: ("bash", 7, OURS), 7: ("tmux: server", 1, OURS), 1: ("init", 0, None)},
    {9: ("bash", 7, OURS), 7: ("tmux: server", 3, OURS), 3: ("systemd", 1, {}), 1: ("systemd", 0, None)},
    # A container whose first process is a shell.
    {9: ("bash", 7, OURS), 7: ("tmux: server", 1, OURS), 1: ("sh", 0, {})},
]
SEEN: list[tuple[Table, list[str]]] = [
    ({9: ("bash", 7, OURS), 7: ("claude", 1, {"A": "1"}), 1: ("systemd", 0, {})}, ["B"]),
    ({9: ("bash", 7, OURS), 7: ("claude", 1, {"A": "0", "B": "2"}), 1: ("systemd", 0, {})}, ["A"]),
    ({9: ("bash", 7, OURS), 7: ("claude", 1, {}), 1: ("systemd", 0, {})}, ["A", "B"]),
    # The first process of a container.
    ({9: ("bash", 1, OURS), 1: ("claude", 0, {})}, ["A", "B"]),
    # A sandbox: all that is seen of the agent is that it is no init.
    ({9: ("bash", 1, OURS), 1: ("bwrap", 0, None)}, ["A", "B"]),
    ({9: ("bash", 1, OURS), 1: ("bwrap", 0, OURS)}, ["A", "B"]),
    # One that a dead process has set is nearer, and does not count.
    ({9: ("bash", 7, OURS), 7: ("tmux", 3, OURS), 3: ("systemd", 2, {"A": "1"}), 2: ("agent", 1, {}), 1: ("init", 0, {})}, ["A"]),
]


@pytest.mark.parametrize("rows", ORPHANS)
def test_what_a_process_has_set_that_is_gone_does_not_count(table: Callable[[Table], None], rows: Table) -> None:
    table(rows)
    assert processes.nearest(OURS) == []


@pytest.mark.parametrize(("rows", "wanted"), SEEN)
def test_who_has_set_a_variable(table: Callable[[Table], None], rows: Table, wanted: list[str]) -> None:
    table(rows)
    assert processes.nearest(OURS) == wanted


def test_no_end_of_ancestors(table: Callable[[Table], None]) -> None:
    table({9: ("bash", 9, OURS)})
    assert processes.nearest(OURS) == ["A", "B"]


def test_a_system_that_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PROC", "/nowhere")
    assert processes.nearest(OURS) == ["A", "B"]
    assert processes.nearest({}) == []
