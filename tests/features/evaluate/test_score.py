from __future__ import annotations

import itertools
import re

from libtool.features.evaluate.lookup import Lookup
from libtool.features.evaluate.questions import Question
from libtool.features.evaluate.score import Given, score

QUESTION = Question("k1", "How hot?", ("one", "two", "three"), (re.compile("1240"),))
NEGATIVE = Question("k2", "Why gas?", ("one", "two"), ())


def set_up(*given: tuple[str, bool]) -> Lookup:
    return Lookup("made up", lambda _query, attempt, _also: Given(*given[attempt - 1]))


def clock() -> float:
    return float(next(TICKS))


TICKS = itertools.count()


def test_a_question_costs_what_is_read_until_the_answer() -> None:
    one = score(set_up(("x" * 400, False), ("1240" * 10, True), ("never", True)), [QUESTION], clock=clock).outcomes[0]
    assert (one.answered, one.denied, one.tokens, one.seconds, one.model) == (True, False, 110, 2.0, None)


def test_an_answer_among_loose_hits_is_still_a_wrong_no() -> None:
    steps: list[tuple[int, int]] = []
    asked = set_up(("1240", False), ("y" * 400, False), ("z", False))
    found = score(asked, [QUESTION], clock=clock, progress=lambda done, total: steps.append((done, total)))
    assert steps == [(1, 1)]
    one = found.outcomes[0]
    assert (one.answered, one.denied, one.tokens) == (True, True, 1)
    assert (found.number(negative=False, answered=True), found.number(negative=False, denied=True)) == (1, 1)


def test_prior_work_after_the_answer_costs_nothing_more() -> None:
    one = score(set_up(("1240", False), ("y" * 400, True), ("z", False)), [QUESTION], clock=clock).outcomes[0]
    assert (one.answered, one.denied, one.tokens) == (True, False, 1)


def test_a_negative_is_denied_when_no_search_claims_prior_work() -> None:
    asked = [NEGATIVE, QUESTION]
    right = score(set_up(("a" * 8, False), ("b" * 8, False), ("1240", True)), asked, clock=clock)
    assert (right.number(negative=True), right.number(negative=True, denied=True), right.mean("tokens", negative=True)) == (1, 1, 4.0)
    wrong = score(set_up(("a", False), ("b", True), ("c", False)), [NEGATIVE], clock=clock)
    assert (wrong.number(negative=True, denied=True), wrong.mean("tokens"), wrong.number(negative=False)) == (0, None, 0)


def test_a_model_is_given_what_an_agent_would_have_read() -> None:
    notes: list[str] = []

    def model(question: Question, given: str) -> str | None:
        notes.append(given)
        return {"k1": "it was 1240 C", "k2": "No prior work."}[question.id] if "lost" not in given else None

    found = score(set_up(("first", True), ("1240", False), ("third", False)), [QUESTION, NEGATIVE], clock=clock, model=model)
    assert notes == ["first", "first"]
    assert [one.model for one in found.outcomes] == [True, True]
    lost = score(set_up(("lost", False), ("b", False), ("c", False)), [QUESTION], clock=clock, model=model)
    assert (notes[-1], lost.outcomes[0].model, lost.number(negative=False, model=True)) == ("lost\nb\nc", None, 0)


def test_another_ranking_is_asked_for_each_query() -> None:
    seen: list[object] = []

    def ask(query: str, attempt: int, also: object) -> Given:
        seen.append((query, attempt, also))
        return Given("", is_prior_work=False)

    score(Lookup("hybrid", ask, lambda text: [len(text)]), [NEGATIVE], clock=clock)
    score(Lookup("plain", ask), [NEGATIVE._replace(queries=("one",))], clock=clock)
    assert seen == [("one", 1, [3]), ("two", 2, [3]), ("one", 1, ())]
