"""One set-up against all questions: what was answered, what was denied, and the cost."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from libtool.features.evaluate.questions import Question

BYTES_A_TOKEN = 4
NO = re.compile(r"no[-_ ]prior[-_ ]work", re.IGNORECASE)
"""How a model says that there is none."""


class Given(NamedTuple):
    """What one step of a set-up gave an agent to read."""

    text: str
    is_prior_work: bool
    """Whether it claims to be the answer: `lib search`'s verdict is hits."""


class SetUp(Protocol):
    """A way to look something up."""

    name: str
    can_deny: bool
    """Whether it can say that there is nothing: reading transcripts cannot."""

    def steps(self, question: Question) -> int:
        """How many times an agent may ask for this question."""

    def ask(self, question: Question, step: int) -> Given:
        """What step number `step`, from 0, gives."""


class Outcome(NamedTuple):
    """One question under one set-up."""

    id: str
    negative: bool
    answered: bool
    """A pattern matched what was given, in or before the step that `tokens` and `seconds` end with."""
    denied: bool
    """No step gave prior work."""
    tokens: int
    seconds: float
    model: bool | None = None
    """Whether the model's answer was right; None when none was asked, or it failed."""


class Score(NamedTuple):
    """A set-up's outcomes."""

    name: str
    can_deny: bool
    outcomes: tuple[Outcome, ...]

    def number(self, *, negative: bool, answered: bool | None = None, denied: bool | None = None, model: bool | None = None) -> int:
        """Questions of one sort for which all that is given holds."""
        wanted = {name: value for name, value in (("answered", answered), ("denied", denied), ("model", model)) if value is not None}
        return sum(one.negative == negative and all(getattr(one, name) == value for name, value in wanted.items()) for one in self.outcomes)

    def mean(self, name: str, *, negative: bool = False) -> float | None:
        """The mean tokens or seconds of a question of one sort; None where there is none.

        What a set-up that cannot say no does not answer, it has not read anything for: its cost is that of what it answers.
        """
        values = [getattr(one, name) for one in self.outcomes if one.negative == negative and (self.can_deny or one.answered)]
        return sum(values) / len(values) if values else None


def score(
    set_up: SetUp,
    questions: Sequence[Question],
    *,
    clock: Callable[[], float],
    model: Callable[[Question, str], str | None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Score:
    """Ask everything. `model` answers from a question and all that an agent would have read; None when it failed."""
    outcomes = []
    for number, question in enumerate(questions, 1):
        outcomes.append(_outcome(set_up, question, clock, model))
        if progress is not None:
            progress(number, len(questions))
    return Score(set_up.name, set_up.can_deny, tuple(outcomes))


def _outcome(set_up: SetUp, question: Question, clock: Callable[[], float], model: Callable[[Question, str], str | None] | None) -> Outcome:
    """The steps in order, as far as they cost: to the first that holds the answer, or else all.

    Whether prior work is denied does not depend on patterns, so for that all steps are taken until one claims it.
    """
    began = clock()
    texts: list[str] = []
    answered = prior_work = False
    tokens, seconds = 0, 0.0
    for step in range(set_up.steps(question)):
        given = set_up.ask(question, step)
        if not prior_work:
            # An agent stops at what claims to be the answer.
            texts.append(given.text)
        prior_work = prior_work or given.is_prior_work
        if not answered:
            tokens += len(given.text.encode("utf-8", "replace")) // BYTES_A_TOKEN
            seconds = clock() - began
            answered = question.is_answered(given.text)
        if answered and prior_work:
            break
    said = model(question, "\n".join(texts)) if model else None
    right = None if said is None else _is_right(question, said)
    return Outcome(question.id, question.is_negative, answered, not prior_work, tokens, seconds, right)


def _is_right(question: Question, said: str) -> bool:
    return bool(NO.search(said)) if question.is_negative else question.is_answered(said)
