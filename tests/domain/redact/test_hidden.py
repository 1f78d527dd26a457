"""Tokens that invisible characters split, full-width letters spell, or line ends cut."""

# ruff: noqa: RUF001 - full-width letters are what is tested

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact import Redactor
from libtool.domain.redact.folded import fold
from libtool.domain.redact.rule import example
from libtool.domain.text import clean

KEY = bytes(32)
GITHUB = "gh" + "p_" + example("{a36}")[0]
OPENAI = "sk-" + "proj-" + example("{u74}")[0] + "T3BlbkFJ" + example("{u75}")[0][:74]
WIDE = {code - 0xFEE0: code for code in range(0xFF01, 0xFF5F)}


@pytest.mark.parametrize("hidden", ["\u00ad", "\u200d", "\u200c", "\u200b", "\u2060", "\ufeff", "\u2062", "\u00ad\u200d"])
def test_invisible_characters_hide_no_token(hidden: str) -> None:
    text = f"é use {GITHUB[:9]}{hidden}{GITHUB[9:20]}{hidden}{GITHUB[20:]} now"
    redactor = Redactor(KEY)
    assert redactor.redact(text) == f"é use {redactor.scan(GITHUB)[0].placeholder} now"
    assert GITHUB in clean(text)
    assert hidden not in redactor.redact(json.dumps({"a": text}))


def test_full_width_letters_hide_no_token_and_no_label() -> None:
    redactor = Redactor(KEY)
    for text in (f"use {GITHUB.translate(WIDE)} now", f"use {GITHUB[:3]}{GITHUB[3:].translate(WIDE)} now"):
        assert redactor.redact(text) == f"use {redactor.scan(GITHUB)[0].placeholder} now"
    login = "Tiger" + "4821x"
    assert redactor.redact(f"ｐａｓｓｗｏｒｄ： {login}").endswith("]")
    assert redactor.redact("密码是什么：（Ａ）") == "密码是什么：（Ａ）"


@given(st.text(st.sampled_from("ab１Ａ\u00ad\u200d \n")))
def test_folding_can_be_undone(text: str) -> None:
    folded = fold(text)
    if folded is None:
        return
    upto = 0
    for place, letter in enumerate(folded.text):
        start, end = folded.back(place, place + 1)
        assert text[start:end].translate({code: plain for plain, code in WIDE.items()}) == letter
        assert set(text[upto:start]) <= set("\u00ad\u200d")
        upto = end
    assert set(text[upto:]) <= set("\u00ad\u200d")


@given(st.text(st.sampled_from("a1\u200c\u200d\u00ad\u200b é")))
def test_cleaning_twice_changes_nothing(text: str) -> None:
    assert clean(clean(text)) == clean(text)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\\\n", "\r", "\n    "])
@pytest.mark.parametrize("cut", [10, 20, 34, 38])
def test_a_line_end_hides_no_token(end: str, cut: int) -> None:
    text = f"run with {GITHUB[:cut]}{end}{GITHUB[cut:]}\nand more words"
    out = Redactor(KEY).redact(text)
    assert out.startswith("run with [REDACTED:github-")
    assert out.endswith("]\nand more words")
    assert Redactor(KEY).redact(out) == out


def test_a_token_over_several_lines_goes_whole() -> None:
    lines = "\n".join(OPENAI[at : at + 60] for at in range(0, len(OPENAI), 60))
    assert Redactor(KEY).redact(f"key:\n{lines}\nthen").startswith("key:\n[REDACTED:openai-")
    assert Redactor(KEY).redact(f"key:\n{lines}\nthen").endswith("]\nthen")


@pytest.mark.parametrize(
    "text",
    [
        f"{GITHUB}\n{example('{a20}')[0]}",
        f"{GITHUB}\nmore",
        "see sk-learn-\nversion2 of it",
        "x" + GITHUB[:20] + "\n" + GITHUB[20:],
        GITHUB[:12] + "\nhttps://acme.io",
        "the prefix gh" + "p_xxxxxxxx\nfollows",
        "gh" + "p_aaaahhhh\n" + "a1" * 14,
    ],
)
def test_the_next_line_is_none_of_a_token(text: str) -> None:
    out = Redactor(KEY).redact(text)
    assert out.partition("\n")[2] == text.partition("\n")[2]
