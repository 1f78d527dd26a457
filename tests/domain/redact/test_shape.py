from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact import Redactor
from libtool.domain.redact.rule import expand
from libtool.domain.redact.shape import shape


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("ghp_{a36}", "ghp_... 40 to 79 characters, upper and lower case, digits"),
        ("{x40}", "40 to 79 characters, lower case, digits"),
        ("{n6}", "under 8 characters, digits"),
        ("{U10}_", "8 to 11 characters, upper case, digits, symbols"),
        ("ghp_abc", "under 8 characters, lower case, symbols"),
        ("{w300}", "200 characters or more, lower case"),
        ("口令口令口令", "under 8 characters, letters"),
    ],
)
def test_a_shape_tells_the_kind_of_characters(template: str, said: str) -> None:
    assert shape(expand(template), ("ghp_", "gh")) == said


@given(st.text(min_size=1, max_size=300))
def test_equal_kinds_of_characters_give_equal_shapes(login: str) -> None:
    assert shape(login) == shape("".join("a" if c.islower() else "B" if c.isupper() else "7" if c.isdigit() else c for c in login))
    assert len(shape(login)) < 80


def test_the_redactor_tells_the_shape_of_what_it_finds() -> None:
    redactor = Redactor(bytes(32))
    redactor.redact(expand("run with ghp_{a36} and password: {u14}"))
    assert sorted(login.shape[:8] for login in redactor.found.values()) == ["12 to 19", "ghp_... "]
