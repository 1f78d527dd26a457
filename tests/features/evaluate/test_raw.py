from __future__ import annotations

import re
from typing import TYPE_CHECKING

from libtool.features.evaluate.questions import Question
from libtool.features.evaluate.raw import Raw

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.config import Config


def question(*patterns: str) -> Question:
    return Question("q", "?", (), tuple(re.compile(pattern) for pattern in patterns))


def test_the_shortest_transcript_that_answers_is_read_whole(indexed: Config) -> None:
    cache = question("TimetableCache")
    steps: list[tuple[int, int]] = []
    raw = Raw(indexed, {})
    raw.look([cache], lambda done, total: steps.append((done, total)))
    assert steps == [(number, 7) for number in range(1, 8)]
    assert raw.steps(cache) == 1
    given = raw.ask(cache, 0)
    assert given.is_prior_work
    assert cache.is_answered(given.text)
    assert "class TimetableCache: ..." in given.text


def test_what_no_transcript_answers_cannot_be_read(indexed: Config) -> None:
    raw = Raw(indexed, {})
    raw.look([question("no such words at all")])
    assert raw.steps(question("no such words at all")) == 0


def test_a_transcript_that_cannot_be_read_answers_nothing(home: Path, indexed: Config) -> None:
    quota = question("429")
    raw = Raw(indexed, {})
    raw.look([quota])
    path = next(home.rglob("rollout-*.jsonl"))
    path.unlink()
    path.mkdir()
    assert raw.ask(quota, 0).text == ""
    again = Raw(indexed, {})
    again.look([quota])
    assert again.steps(quota) == 0
