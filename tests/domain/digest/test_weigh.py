from __future__ import annotations

import pytest

from libtool.domain import condense
from libtool.domain.digest import weigh
from libtool.domain.digest.collect import Candidate
from libtool.domain.digest.sentences import HEADING, INTENT, PLAIN
from libtool.domain.digest.weigh import Weigher, static_order

A, H = condense.ASSISTANT, condense.HUMAN


def one(text: str, code: str = A, *, kind: str = PLAIN, turn: int = 1, message: int = 1, about: str = "") -> Candidate:
    return Candidate(text, code, kind, turn, message, 0, about)


def gains(*pool: Candidate, counts: dict[str, int] | None = None, acted: dict[str, int] | None = None, cite: int = 0) -> list[float]:
    weigher = Weigher(pool, counts or {}, acted or {}, cite=cite)
    return [weigher.gain(at) for at in range(len(pool))]


def test_who_said_it_and_how_counts() -> None:
    text = "close_damper() comes early"
    closing, person, order, asked, committed, planned, reported, heading, intent = gains(
        one(text),
        one(text, H),
        one(text, H, kind=INTENT),
        one(f"{text}?", H),
        one(text, condense.CALL),
        one(text, condense.PLAN),
        one(text, condense.SUMMARY),
        one(text, kind=HEADING),
        one(text, kind=INTENT),
    )
    assert closing == person == order > committed == planned > reported
    assert committed > heading == intent
    assert asked < planned


def test_what_was_done_and_what_is_newer_weighs_more() -> None:
    old, told, newer, newest = gains(
        one("close_damper() goes down", H, message=1),
        one("close_damper() failed it", H, message=1),
        one("close_damper() goes down", H, message=2),
        one("close_damper() goes down", H, message=3),
    )
    assert told > old
    assert old < newer < newest
    assert newest / old == pytest.approx(weigh.FAVOURED / weigh.SECOND)


def test_the_last_message_of_a_turn_weighs_more() -> None:
    text = "close_damper() comes early"
    before, last, after = gains(one(text, message=1), one(text, message=2), one(text, H, message=2))
    assert last == after > before * weigh.FAVOURED


def test_what_was_said_and_done_often_weighs_more() -> None:
    often, acted, once = gains(
        one("damper_a is shut"), one("damper_b is shut"), one("damper_c is shut"), counts={"damper_a": 9}, acted={"damper_b": 4}
    )
    assert often > acted > once


def test_more_than_often_is_no_more() -> None:
    pool = [one("damper shut"), one("damper wide")]
    assert gains(*pool, counts={"shut": 900})[0] == gains(*pool, counts={"shut": weigh.MOST_COUNTED})[0]
    assert gains(*pool, counts={"shut": 1})[0] < gains(*pool, counts={"shut": 2})[0]


def test_what_is_said_already_adds_little() -> None:
    pool = [one("close_damper() comes early"), one("close_damper() comes early"), one("close_damper()")]
    weigher = Weigher(pool, {}, {})
    first = [weigher.gain(at) for at in range(3)]
    assert weigher.take(0) == []
    second = [weigher.gain(at) for at in range(3)]
    assert 0 < second[1] < first[1]
    # A mere name says nothing more.
    assert second[2] == 0
    weigher.take(1)
    assert weigher.gain(1) == 0
    assert weigher.is_like_one(1, 0.8)
    assert not Weigher(pool, {}, {}).is_like_one(1, 0.8)


def test_the_name_of_a_file_is_paid_for_once() -> None:
    pool = [one("close_damper() comes early", about="src/kiln/cool.py"), one("raise_ceiling() to the top", about="src/kiln/cool.py")]
    weigher = Weigher(pool, {}, {})
    bare = gains(one("raise_ceiling() to the top"))[0]
    before = weigher.gain(1)
    assert before != bare
    assert weigher.take(0) == [0, 1]
    assert weigher.gain(1) == bare
    weigher.take(1)


def test_where_there_are_more_turns_than_room_a_turn_must_be_worth_its_cite() -> None:
    pool = [one("close_damper() comes early", turn=turn) for turn in range(weigh.ROOM + 1)]
    cited = Weigher(pool, {}, {}, cite=30)
    assert cited.gain(1) < gains(*pool)[1]
    assert cited.take(0) == [0]
    assert cited.take(0) == []
    assert gains(*pool[1:], cite=30) == gains(*pool[1:])


def test_the_order_of_a_pool() -> None:
    pool = [one("plain words here"), one("close_damper() comes early"), one("close_damper() comes early")]
    assert static_order(pool, {}, {}) == [2, 1, 0]
