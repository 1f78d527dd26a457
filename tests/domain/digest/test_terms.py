from __future__ import annotations

from libtool.domain.digest import terms as module
from libtool.domain.digest.terms import NAME_WEIGHT, WORD_WEIGHT, is_name, terms


def test_names_weigh_more_than_words() -> None:
    found = terms("The KilnDriver reads fire_curve from src/kiln/fire.py in 2400 ms, or run-curve, NASA and Potter")
    assert found["kilndriver"] == NAME_WEIGHT
    assert found["fire_curve"] == NAME_WEIGHT
    assert found["src/kiln/fire.py"] == NAME_WEIGHT
    assert found["fire.py"] == module.TAIL_WEIGHT
    assert found["2400"] < NAME_WEIGHT
    assert found["run-curve"] < NAME_WEIGHT
    assert found["nasa"] < NAME_WEIGHT
    assert found["potter"] == found["reads"] == WORD_WEIGHT
    assert terms("fire.py")["fire.py"] == NAME_WEIGHT * module._FILE
    assert "the" not in found
    assert is_name(found["run-curve"])
    assert not is_name(found["reads"])


def test_what_is_too_short_or_too_long_is_no_term() -> None:
    assert terms("a ab " + "x" * 200) == {}
    assert terms("übermütig Ärger") == {"übermütig": WORD_WEIGHT, "ärger": WORD_WEIGHT}
    assert terms("éÉéÉ9 ..-") == {"éééé9": NAME_WEIGHT * module._NUMBER}


def test_characters_without_blanks_count_by_their_pairs() -> None:
    assert terms("東京の窯") == {"東京": WORD_WEIGHT / 2, "京の": WORD_WEIGHT / 2, "の窯": WORD_WEIGHT / 2}
