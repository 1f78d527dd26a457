from __future__ import annotations

import json

from libtool.domain import condense
from libtool.domain.chunk import Segment
from libtool.domain.digest import collect
from libtool.domain.digest.collect import Collector, relative
from tests.domain.digest.talk import collected

A, H = condense.ASSISTANT, condense.HUMAN


def test_sentences_keep_where_they_come_from() -> None:
    pool = collected(
        [
            (condense.TITLE, 0, "Cool the kiln"),
            (H, 1, "Why does the glaze crack so early?"),
            (A, 1, "The kiln cools too fast at night.\nThe damper in fire.py stays open."),
            (condense.CALL, 1, "$ python fire.py"),
            (condense.RESULT, 1, "600 degrees"),
            (A, 1, "The damper is closed by now, at last."),
            (condense.THINKING, 1, "This is no conclusion of the session."),
        ]
    )
    assert pool.title == "Cool the kiln"
    assert pool.prompt == "Why does the glaze crack so early?"
    places = [(one.code, one.turn, one.message, one.line) for one in pool.candidates]
    assert places == [(H, 1, 1, 0), (A, 1, 2, 0), (A, 1, 2, 1), (A, 1, 5, 0)]
    assert pool.counts["damper"] == 2
    assert pool.acted == {"python": 1, "fire.py": 1}
    assert pool.dates == {0: "2026-03-01", 1: "2026-03-02"}


def test_pieces_of_one_message_are_one() -> None:
    whole = collected([(A, 1, "The kiln has two states:\n- open until the first cone\n```\ncode is here\n```\nwords behind the block")])
    parts = collected(
        [(A, 1, "The kiln has two states:\n- open until the first cone\n```"), (A, 1, "code is here\n```\nwords behind the block")]
    )
    assert parts.candidates == whole.candidates


def test_a_line_that_led_to_a_call_or_to_another_message_is_kept() -> None:
    pool = collected(
        [(A, 1, "Now the damper of the kiln is shut:"), (condense.CALL, 1, "Edit cool.py"), (A, 1, "It has a new handle:"), (H, 2, "Fine.")]
    )
    assert [(one.text, one.message) for one in pool.candidates] == [("damper of kiln is shut", 1), ("It has new handle", 3)]


def test_the_message_of_a_commit_was_said_by_the_model() -> None:
    pool = collected([(A, 1, "The damper is shut by now."), (condense.CALL, 2, "$ git commit -m 'Close the damper at 600 degrees'")])
    assert [(one.text, one.code, one.turn) for one in pool.candidates] == [
        ("damper is shut by now.", A, 1),
        ("Close damper at 600 degrees", condense.CALL, 2),
    ]
    assert pool.acted["damper"] == 1


def test_what_asks_the_library_leaves_no_trace() -> None:
    said = [(H, 1, "Why does the glaze crack so early?"), (A, 1, "The kiln cools too fast at night.")]
    asked = [said[0], (condense.CALL, 1, "$ lib search kiln_glaze"), (condense.FAILED, 1, "no prior work on kiln_glaze"), said[1]]
    assert collected(asked).state() == collected(said).state()


def test_the_pool_is_bounded_and_keeps_the_newest_and_the_best() -> None:
    pool = Collector()
    pool.add(Segment(A, 1, "The name src/kiln/fire_curve.py stands in KilnDriver.read_cone() of old."))
    for number in range(3000):
        word = "".join(chr(97 + int(digit)) for digit in str(number))
        pool.add(Segment(A, number + 2, f"Plain words {word} say nothing {word}x of names {word}y at all."), "2026-03-01T09:00:00Z")
    assert len(pool.candidates) <= collect.MOST
    assert pool.candidates[0].turn == 1
    assert pool.candidates[-1].turn == 3001
    assert len(pool.counts) <= collect.MOST_TERMS
    assert len(pool.dates) <= collect.MOST


def test_a_long_paste_is_looked_at_from_both_ends() -> None:
    text = "The first sentence of the paste.\n" + "=" * 60_000 + "\n" + "The last sentence of the paste."
    texts = [one.text for one in collected([(H, 1, text)]).candidates]
    assert texts == ["first sentence of paste.", "last sentence of paste."]


def test_a_copy_goes_on_by_itself() -> None:
    pool = collected([(H, 1, "Why does the glaze crack so early?"), (condense.CALL, 1, "Edit fire.py")])
    before = json.dumps(pool.state())
    other = pool.copy()
    other.add(Segment(A, 1, "The kiln cools too fast at night."))
    other.add(Segment(condense.CALL, 1, "Edit cool.py"))
    assert json.dumps(pool.state()) == before
    assert len(other.candidates) == 2


def test_a_path_is_told_from_the_folder() -> None:
    assert relative("/home/ada/kiln/src/fire.py", "/home/ada/kiln/") == "src/fire.py"
    assert relative("/etc/hosts", "/home/ada/kiln") == "/etc/hosts"
    assert relative("fire.py", "") == "fire.py"
