from __future__ import annotations

import pytest

from libtool.domain.redact.providers import RULES
from libtool.domain.redact.rule import example
from libtool.domain.redact.wrapped import token

(GITHUB,) = (rule for rule in RULES if rule.hits[0].count("ghp_") == 1 and not rule.left)
TEXT, ((START, END),) = example(GITHUB.hits[0])
TOKEN = TEXT[START:END]
HEAD, TAIL = TOKEN[:20], TOKEN[20:]


def test_a_token_goes_on_in_the_next_line() -> None:
    assert token(GITHUB, f"{HEAD}\n{TAIL} x", 0) == (0, len(TOKEN) + 1)


@pytest.mark.parametrize("text", [f"x{HEAD}\n{TAIL}", f" {TOKEN} ", f" {HEAD}\n"])
def test_inside_a_word_or_without_a_line_end_there_is_none(text: str) -> None:
    assert token(GITHUB, text, 1) is None
