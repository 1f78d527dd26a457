"""The question file of `lib eval`: JSONL, a question a line (docs/evaluation.md shows one)."""

from __future__ import annotations

import json
import re
from collections import Counter
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
            # JSON texts may hold U+2028 and the like as they are.
            lines = file.read().split("\n")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", hint=_HINT) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8", hint=_HINT) from error
    found = [_question(line, f"{path}:{number}", number) for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise UsageError(f"{path} holds no question", hint=_HINT)
    names = Counter(one.id for one in found)
    if twice := next((name for name, count in names.items() if count > 1), ""):
        raise UsageError(
            f"{path}: two questions are called {twice[:40]}", hint='give each its own "id"; without one it is the number of the line'
        )
    return found


def _question(line: str, place: str, number: int) -> Question:
    try:
        row = json.loads(line)
    except (json.JSONDecodeError, RecursionError) as error:
        raise UsageError(f"{place}: not JSON", hint=_HINT) from error
    if not isinstance(row, dict) or not isinstance(row.get("question"), str) or not row["question"].strip():
        raise UsageError(f'{place}: no "question"', hint=_HINT)
    name = row.get("id", number)
    if not isinstance(name, str | int) or not str(name).strip():
        raise UsageError(f'{place}: "id" must be a text', hint=_HINT)
    queries = _texts(row, "queries", place) or (row["question"],)
    if len(queries) > MOST_QUERIES:
        raise UsageError(f"{place}: more than {MOST_QUERIES} queries", hint=_HINT)
    answers = _texts(row, "answer_any", place)
    if bool(answers) == (row.get("kind") == "negative"):
        what = '"answer_any" of a question whose "kind" is "negative"' if answers else 'no "answer_any"'
        raise UsageError(f"{place}: {what}", hint='a question without an answer is written with "kind": "negative"')
    try:
        patterns = tuple(re.compile(answer, re.IGNORECASE) for answer in answers)
    except re.error as error:
        raise UsageError(f'{place}: "answer_any" is no regular expression: {error}', hint=_HINT) from error
    if any(pattern.search("") for pattern in patterns):
        raise UsageError(f'{place}: an "answer_any" matches every text', hint="write what only the answer holds")
    return Question(str(name).strip(), row["question"].strip(), queries, patterns)


def _texts(row: Mapping[str, object], name: str, place: str) -> tuple[str, ...]:
    value = row.get(name, [])
    if not isinstance(value, list) or not all(isinstance(one, str) and one.strip() for one in value):
        raise UsageError(f'{place}: "{name}" must be a list of texts', hint=_HINT)
    return tuple(value)
