from __future__ import annotations

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
    earlier, person, model, heading, intent, asked, check, unchecked = gains(
        one(text, message=1),
        one(text, H),
        one(text, message=2),
        one(text, kind=HEADING, message=2),
        one(text, kind=INTENT, message=2),
        one(text, H, kind=INTENT),
        one("ensure close_damper() comes", message=2),
        one("assure close_damper() comes", message=2),
    )
    assert person > model > heading > intent
    assert asked == person
    assert check < unchecked
    assert earlier < model


def test_what_was_said_and_done_often_weighs_more() -> None:
    often, acted, once = gains(
        one("damper_a is shut"), one("damper_b is shut"), one("damper_c is shut"), counts={"damper_a": 9}, acted={"damper_b": 4}
    )
    assert often > acted > once


def test_a_word_of_every_sentence_tells_nothing() -> None:
    pool = [one("damper shut"), one("shutter shut"), one("shed shut")]
    assert gains(*pool, counts={"shut": 3})[0] < gains(*pool, counts={"shut": 0})[0]


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


def test_in_a_long_session_a_turn_must_be_worth_its_cite_and_the_new_counts() -> None:
    pool = [one("close_damper() comes early", turn=turn, message=turn) for turn in range(weigh.MANY + 2)]
    values = gains(*pool)
    assert values == sorted(values)
    cited = Weigher(pool, {}, {}, cite=30)
    assert cited.gain(1) < values[1]
    assert cited.take(0) == [0]
    assert cited.take(0) == []
    few = pool[:2]
    assert gains(*few, cite=30) == gains(*few)


def test_the_order_of_a_pool() -> None:
    pool = [one("plain words here"), one("close_damper() comes early"), one("close_damper() comes early")]
    assert static_order(pool, {}, {}) == [2, 1, 0]
