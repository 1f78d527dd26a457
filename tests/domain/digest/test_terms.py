from __future__ import annotations

import pytest

from libtool.domain.digest.terms import NAME_WEIGHT, NUMBER_WEIGHT, WORD_WEIGHT, terms


def test_names_weigh_more_than_words() -> None:
    found = terms("The KilnDriver reads fire_curve from src/kiln/fire.py and cool.py in 2400 ms, or run-curve, NASA and Potter")
    assert {word for word, weight in found.items() if weight == NAME_WEIGHT} == {
        *("kilndriver", "fire_curve", "src/kiln/fire.py", "cool.py", "run-curve", "nasa"),
    }
    assert found["2400"] == NUMBER_WEIGHT < NAME_WEIGHT
    assert found["potter"] == found["reads"] == WORD_WEIGHT < NUMBER_WEIGHT
    assert "the" not in found


def test_a_path_stands_for_its_last_part_which_weighs_nothing_more() -> None:
    assert terms("src/kiln/fire.py") == {"src/kiln/fire.py": NAME_WEIGHT, "fire.py": 0.0}


def test_what_is_too_short_or_too_long_is_no_term() -> None:
    assert terms("a ab " + "x" * 200) == {}
    assert terms("übermütig Ärger") == {"übermütig": WORD_WEIGHT, "ärger": WORD_WEIGHT}
    assert terms("éÉéÉ9 ..-") == {"éééé9": NUMBER_WEIGHT}


@pytest.mark.parametrize(
    "made_up", ["5f0c2a10-11aa-4b6c-9d01-0a1b2c3d4e5f", "/api/jobs/5f0c2a10-11aa-4b6c/log", "0a1b2c3d4e5f60718293", "run-1767028537"]
)
def test_what_holds_an_id_is_no_term(made_up: str) -> None:
    assert list(terms(f"see {made_up} there")) == ["see", "there"]


def test_characters_without_blanks_count_by_their_pairs() -> None:
    assert terms("東京の窯") == {"東京": WORD_WEIGHT / 2, "京の": WORD_WEIGHT / 2, "の窯": WORD_WEIGHT / 2}
