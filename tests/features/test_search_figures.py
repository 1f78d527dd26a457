"""The development questions, where they are at hand: what is answered, what is denied, and what is denied wrongly."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.cli.commands.search import ALSO
from libtool.config import load
from libtool.features import index

if TYPE_CHECKING:
    from tests.carried import Program

EVALUATION = Path(__file__).parents[3] / "shared" / "cases" / "eval"
TOKENS, BYTES_A_TOKEN = 600, 4
"""What counts of an answer, as in the score_eval.py beside the questions."""


class Asked:
    """What the searches of a question amounted to, all of them made."""

    def __init__(self, lib: Program, question: dict[str, object]) -> None:
        answers = [re.compile(str(pattern), re.IGNORECASE) for pattern in _list(question["answer_any"])]
        self.negative = question["kind"] == "negative"
        self.answered = self.by_strong = self.prior_work = False
        self.last = ""
        for attempt, query in enumerate(_list(question["queries"]), 1):
            code, said, _ = lib("search", "--attempt", str(attempt), str(query))
            self.last = said.encode()[: TOKENS * BYTES_A_TOKEN].decode("utf-8", "ignore")
            self.prior_work |= code == 0
            self.answered |= any(answer.search(self.last) for answer in answers)
            self.by_strong |= code == 0 and any(answer.search(self.last.partition(ALSO)[0]) for answer in answers)


def _list(value: object) -> list[object]:
    assert isinstance(value, list)
    return value


@pytest.mark.shared
@pytest.mark.skipif(not EVALUATION.is_dir(), reason="the development questions are not part of this repository")
def test_the_development_questions_are_answered_and_denied(home: Path, lib: Program) -> None:
    program, dev = EVALUATION / "layout_home.py", EVALUATION / "dev"
    subprocess.run([sys.executable, "-B", program, dev, dev / "MANIFEST.tsv", home], check=True, capture_output=True)
    index.run(load({}, str(home)), {})
    questions = [json.loads(line) for line in (dev / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    asked = [Asked(lib, question) for question in questions]
    answerable = [one for one in asked if not one.negative]
    negatives = [one for one in asked if one.negative]
    assert (len(answerable), len(negatives)) == (13, 3)
    assert sum(one.answered for one in answerable) == 13
    assert sum(one.by_strong for one in answerable) >= 9
    assert sum("no prior work" in one.last for one in negatives) == 3
    assert sum(not one.prior_work for one in answerable) <= 1
