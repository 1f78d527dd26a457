"""The question file of `lib eval`: JSONL, a question a line (docs/evaluation.md shows one)."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_QUERIES = 3
"""As many searches as the skill allows."""
_HINT = "docs/evaluation.md shows how one looks"


class Question(NamedTuple):
    """One question."""

    id: str
    text: str
    queries: tuple[str, ...]
    """What an agent would type, in order."""
    answers: tuple[re.Pattern[str], ...]
    """A text that one of them matches holds the answer; none at all where nothing was ever decided: the right answer is no."""

    @property
    def is_negative(self) -> bool:
        """Whether there is no prior work."""
        return not self.answers

    def is_answered(self, text: str) -> bool:
        """Whether a text holds the answer."""
        return any(pattern.search(text) for pattern in self.answers)


def read(path: str) -> list[Question]:
    """The questions of a file. Raises UsageError, with the line."""
    try:
        with open(path, encoding="utf-8-sig") as file:
            lines = file.read().splitlines()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", hint=_HINT) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8", hint=_HINT) from error
    found = [_question(line, f"{path}:{number}", number) for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise UsageError(f"{path} holds no question", hint=_HINT)
    return found


def _question(line: str, place: str, number: int) -> Question:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise UsageError(f"{place}: not JSON", hint=_HINT) from error
    if not isinstance(row, dict) or not isinstance(row.get("question"), str) or not row["question"].strip():
        raise UsageError(f'{place}: no "question"', hint=_HINT)
    queries = _texts(row, "queries", place) or (row["question"],)
    if len(queries) > MOST_QUERIES:
        raise UsageError(f"{place}: more than {MOST_QUERIES} queries", hint=_HINT)
    answers = _texts(row, "answer_any", place)
    if not answers and row.get("kind") != "negative":
        raise UsageError(f'{place}: no "answer_any"', hint='a question without an answer is written with "kind": "negative"')
    try:
        patterns = tuple(re.compile(answer, re.IGNORECASE) for answer in answers)
    except re.error as error:
        raise UsageError(f'{place}: "answer_any" is no regular expression: {error}', hint=_HINT) from error
    return Question(str(row.get("id") or number), row["question"].strip(), queries, patterns)


def _texts(row: Mapping[str, object], name: str, place: str) -> tuple[str, ...]:
    value = row.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise UsageError(f'{place}: "{name}" must be a list of texts', hint=_HINT)
    return tuple(value)
