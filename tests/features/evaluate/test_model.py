from __future__ import annotations

import sys

import pytest

from libtool.errors import UsageError
from libtool.features.evaluate.model import Model
from libtool.features.evaluate.questions import Question

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


def test_a_command_that_is_not_there_is_said() -> None:
    with pytest.raises(UsageError, match="cannot run /nowhere/model"):
        Model("/nowhere/model", {}, str)(QUESTION, "")
