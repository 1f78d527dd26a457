from __future__ import annotations

from libtool.domain.digest import Digest, Item, body, render
from tests.domain.digest.talk import FACTS

DATE = "2026-03-02"


def test_a_digest_is_kept_as_segments() -> None:
    made = Digest(
        "Cool the kiln",
        Item("Close the damper: early.", 2, DATE),
        {"Decided": (Item("One: two.", 1, DATE), Item("Three.", 2, DATE)), "Open": (Item("Four.", 2, DATE),)},
        (Item("edited cool.py", 0, ""),),
    )
    found = body.segments(made)
    assert found == [
        ("T", 0, "Cool the kiln"),
        ("N", 2, "Answer: Close the damper: early. (2026-03-02)"),
        ("N", 1, "Decided: One: two."),
        ("N", 2, "Decided: Three."),
        ("N", 2, "Open: Four."),
        ("N", 0, "Pointers: edited cool.py"),
    ]
    assert render(body.read(found), FACTS) == render(made, FACTS)


def test_one_without_a_date_too() -> None:
    made = Digest("Cool the kiln", Item("Close it.", 0, ""), {}, ())
    assert body.read(body.segments(made)) == made
