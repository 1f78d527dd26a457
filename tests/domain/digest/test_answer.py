from __future__ import annotations

from libtool.domain import condense
from libtool.domain.digest import answer
from libtool.domain.digest.weigh import Weigher
from tests.domain.digest.talk import Said, collected, digest

A, H, C = condense.ASSISTANT, condense.HUMAN, condense.CALL


def chosen(said: list[Said]) -> str:
    pool = collected(said)
    weigher = Weigher(pool.candidates, pool.counts, pool.acted)
    gains = [weigher.gain(at) for at in range(len(pool.candidates))]
    return pool.candidates[answer.choose(pool.candidates, gains)].text


def test_it_is_a_conclusion_of_the_closing_message() -> None:
    said = [
        (H, 1, "Why does src/kiln/fire.py let the glaze crack?"),
        (A, 1, "Let me look into src/kiln/fire.py and into src/kiln/cool.py first."),
        (C, 1, "$ python fire.py"),
        (
            A,
            1,
            """The crack was caused by open_damper() in src/kiln/cool.py, which is fixed now.
The other files are unrelated to src/kiln/cool.py.
All 31 tests pass in src/kiln/test_cool.py.
Do you want me to commit src/kiln/cool.py?
I'll sweep src/kiln/shed.py next if I may.
## The state of src/kiln/fire.py and others""",
        ),
    ]
    assert chosen(said) == "crack was caused by open_damper() in src/kiln/cool.py, which is fixed now."


def test_it_is_of_the_last_turn_with_much_of_the_work() -> None:
    work: list[Said] = [(C, 1, f"$ make step{number}") for number in range(9)]
    said = [
        (H, 1, "Why does the glaze crack so early?"),
        *work,
        (A, 1, "Fixed the damper in cool.py, the glaze holds."),
        (H, 2, "commit it please, and thank you"),
        (A, 2, "Committed the damper of cool.py as 4be91d7 now."),
    ]
    assert chosen(said).startswith("Fixed damper in cool.py")


def test_where_the_model_said_nothing_it_is_what_was_asked() -> None:
    assert chosen([(H, 1, "Why does the glaze crack so early?")]) == "Why does glaze crack so early?"


def test_the_rest_of_its_line_comes_with_it() -> None:
    made = digest(
        [(H, 1, "Fix the kiln, it cracks everything"), (A, 1, "Fixed the damper in cool.py for good. The glaze of fire.py holds now.")]
    )
    assert made.answer.text == "Fixed damper in cool.py for good. Glaze of fire.py holds now."
    long = "Fixed the damper in cool.py for good. " + "The glaze of the other pots in the shed is another matter to be told. " * 6
    made = digest([(H, 1, "Fix the kiln, it cracks everything"), (A, 1, long)])
    assert made.answer.text == "Fixed damper in cool.py for good."


def test_what_was_said_on_the_way_is_no_answer() -> None:
    said: list[Said] = [
        (H, 1, "Why does the glaze crack so early?"),
        (
            A,
            1,
            "I see the issue in src/kiln/cool.py more clearly now.\nThe damper of cool.py opened too early.",
        ),
    ]
    assert chosen(said) == "damper of cool.py opened too early."


def test_no_question_and_nothing_beside_the_matter_comes_along() -> None:
    text = "I see it now. Fixed the damper in cool.py for good. Other files are unrelated to the kiln. Should I commit it?"
    made = digest([(H, 1, "Fix the kiln, it cracks everything"), (A, 1, text)])
    assert made.answer.text == "Fixed damper in cool.py for good."
