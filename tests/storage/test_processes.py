from __future__ import annotations

import os
import subprocess
import sys

import pytest

from libtool.storage import processes


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
