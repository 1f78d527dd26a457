from __future__ import annotations

import pytest

from libtool.domain import condense
from libtool.domain.digest import evidence
from libtool.domain.digest.collect import Candidate
from libtool.domain.digest.sentences import PLAIN


def section(text: str, code: str = condense.ASSISTANT, turn: int = 1, last_turn: int = 1) -> str:
    return evidence.section(Candidate(text, code, PLAIN, turn, 1, 1), last_turn=last_turn)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("We keep the damper", evidence.DECIDED),
        ("The firing is blocked by the missing cone", evidence.BLOCKER),
        ("The shed is not yet swept", evidence.OPEN),
        ("The gas burner is no longer in use", evidence.SUPERSEDED),
        ("We now use the sidecar instead of the cron job", evidence.SUPERSEDED),
        ("It raises an Error instead of a warning", evidence.DECIDED),
        ("All 31 tests pass", evidence.MEASURED),
        ("The p95 latency took 41 ms", evidence.MEASURED),
        ("Line 31 holds 5 files", evidence.DECIDED),
        ("因为缺少权限, 被阻塞了", evidence.BLOCKER),
        ("Das ist noch nicht fertig", evidence.OPEN),
    ],
)
def test_words_tell_the_section(text: str, name: str) -> None:
    assert section(text) == name


def test_a_blocker_is_one_only_at_the_end_and_in_the_models_words() -> None:
    assert section("The firing is blocked by the cone", turn=1, last_turn=2) == evidence.DECIDED
    assert section("The firing is blocked by the cone", code=condense.HUMAN) == evidence.DECIDED


def test_what_a_person_asked_for_later_on_is_not_open() -> None:
    assert section("Should we sweep the shed", code=condense.HUMAN, turn=1, last_turn=2) == evidence.DECIDED
    assert section("Should we sweep the shed", code=condense.HUMAN, turn=2, last_turn=2) == evidence.OPEN


def test_what_a_person_wants_instead_is_decided() -> None:
    assert section("Use the damper instead of the fan", code=condense.ANSWER) == evidence.DECIDED
    assert section("We use the damper instead of the fan") == evidence.SUPERSEDED


def test_only_the_model_measures() -> None:
    assert section("All 31 tests pass", code=condense.HUMAN) == evidence.DECIDED


def test_some_sentences_conclude() -> None:
    assert evidence.concludes("Fixed the damper")
    assert not evidence.concludes("A damper")
