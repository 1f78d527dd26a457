from __future__ import annotations

import shlex
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from libtool.errors import UsageError
from libtool.features.evaluate.model import MOST, Model
from libtool.features.evaluate.questions import Question

if TYPE_CHECKING:
    from pathlib import Path

QUESTION = Question("k1", "How hot?", (), ())
ECHO = f"{sys.executable} -c 'import sys; print(sys.stdin.read().upper())'"


def test_a_command_answers_from_question_and_redacted_notes() -> None:
    model = Model(ECHO, {}, lambda text: text.replace("hush", "[REDACTED]"))
    said = model(QUESTION, "1240 C, hush")
    assert said is not None
    assert "QUESTION: HOW HOT?" in said
    assert "1240 C, [REDACTED]" in said
    assert model.failures == 0


def test_a_command_that_fails_or_takes_too_long_gives_no_answer() -> None:
    failing = Model(f"{sys.executable} -c 'raise SystemExit(3)'", {}, str)
    assert (failing(QUESTION, ""), failing.failures) == (None, 1)
    slow = Model(f"{sys.executable} -c 'import time; time.sleep(60)'", {}, str, seconds=0.2)
    assert (slow(QUESTION, ""), slow.failures) == (None, 1)


@pytest.mark.parametrize("command", ["'", " "])
def test_what_is_no_command_is_refused(command: str) -> None:
    with pytest.raises(UsageError, match="--answer-with"):
        Model(command, {}, str)


def command(program: str) -> str:
    return shlex.join([sys.executable, "-c", program])


def test_what_a_slow_command_started_ends_with_it(tmp_path: Path) -> None:
    noted = tmp_path / "pid"
    program = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(noted)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)"
    )
    began = time.monotonic()
    slow = Model(command(program), {}, str, seconds=2.0)
    assert (slow(QUESTION, ""), slow.failures) == (None, 1)
    assert time.monotonic() - began < 50
    # Nobody waits for an orphan here, so it may stay as a zombie: state Z.
    child = int(noted.read_text())
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True, check=False).stdout
    assert not state.strip() or state.startswith("Z")


def test_a_flood_of_output_is_stopped_and_fills_no_memory() -> None:
    flood = Model(command("while True: print('x' * 65536)"), {}, str)
    assert (flood(QUESTION, ""), flood.failures) == (None, 1)
    much = Model(command(f"print('y' * {MOST - 1})"), {}, str)
    assert len(much(QUESTION, "") or "") == MOST


def test_a_command_that_reads_nothing_may_answer() -> None:
    silent = Model(command("print('1240 C')"), {}, str)
    assert silent(QUESTION, "x" * 1_000_000) == "1240 C\n"


def test_a_command_that_is_not_there_is_said_before_anything_is_asked(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot run /nowhere/model"):
        Model("/nowhere/model", {}, str)
    script = tmp_path / "script"
    script.write_bytes(b"\0no program")
    script.chmod(0o755)
    with pytest.raises(UsageError, match="Exec format error"):
        Model(str(script), {}, str)(QUESTION, "")
