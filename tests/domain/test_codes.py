from __future__ import annotations

import re

import pytest

from libtool.domain.codes import CODES, EXAMPLE
from libtool.domain.mend import mend
from libtool.domain.redact import Redactor
from libtool.domain.validate import problems
from tests.domain.strategies import TODAY

LOGIN = "password: Tiger" + "4821x"
IN_TEXT = {name: code for name, code in CODES.items() if code.old}


def broken(name: str) -> bytes:
    code = CODES[name]
    assert code.old in EXAMPLE
    return EXAMPLE.replace(code.old, code.new.replace("password: «a password»", LOGIN), 1).encode()


def codes_of(data: bytes) -> list[str]:
    return [one.code for one in problems(data, "x", topics={"x"}, today=TODAY, redactor=Redactor(bytes(32)))]


def test_the_example_is_right() -> None:
    assert codes_of(EXAMPLE.encode()) == []


@pytest.mark.parametrize("name", IN_TEXT)
def test_each_example_breaks_its_rule_and_no_other(name: str) -> None:
    assert codes_of(broken(name)) == [name]


@pytest.mark.parametrize("name", IN_TEXT)
def test_what_can_be_mended_is(name: str) -> None:
    mended = mend(broken(name), topic="x", today=TODAY)
    assert codes_of(mended) == ([] if CODES[name].fixable else [name])


def test_codes_are_what_a_line_is_searched_for() -> None:
    assert all(re.fullmatch(r"[EW][1-9][0-9]{2}", name) and code.is_warning == (name[0] == "W") for name, code in CODES.items())
    assert list(CODES) == sorted(CODES)
