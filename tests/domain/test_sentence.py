from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.schema import SENTENCE_LIMIT
from libtool.domain.sentence import first_sentence


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Use the vault sidecar; tokens rotate every 24 h.", "Use the vault sidecar; tokens rotate every 24 h."),
        ("Use A. Then B.", "Use A. Then B."),
        ("Use it. Then B.", "Use it."),
        ("Wait 24 h. Then go.", "Wait 24 h."),
        ("It is 3.5 times as fast. Yes.", "It is 3.5 times as fast."),
        ("Use e.g. Redis or, i.e. Valkey. No more.", "Use e.g. Redis or, i.e. Valkey."),
        ("Tokens, caches etc. expire. Done.", "Tokens, caches etc. expire."),
        ("Ask J. R. Smith (no. 7). Then wait.", "Ask J. R. Smith (no. 7)."),
        ("Edit `a.b. C`. Then wait.", "Edit `a.b. C`."),
        ('He said "stop." Then he left.', 'He said "stop."'),
        ("Really?! Yes.", "Really?!"),
        ("Wait… Then go.", "Wait…"),
        ("東京のサーバーを使う。次に進む。", "東京のサーバーを使う。"),
        ("「はい。」と言う。", "「はい。」"),
        ("No dot at all", "No dot at all"),
        ("wrapped\nover   lines. Yes.", "wrapped over lines."),
        ("- a list item. Two.", "a list item."),
        ("> a quote. Two.", "a quote."),
        ("2. numbered. Two.", "numbered."),
        ("See [the docs](https://x.org/a_(b)) now.", "See the docs now."),
        ("![alt](x.png 'T') and [text][ref] here.", "alt and text here."),
        ("[![a](b)](c) nested.", "a nested."),
        ("See <https://x.org> and <b>bold</b> &amp; 3 < 4.", "See https://x.org and \\<b>bold\\</b> \\&amp; 3 < 4."),
        ("Type `<T>` stays, [x] (y) too.", "Type `<T>` stays, [x] (y) too."),
        ("Odd ](x) and ][y.", "Odd ] (x) and ] [y."),
        ("A lone ` tick. Two.", "A lone tick."),
        ("Claims · 9 open · blocked.", "Claims - 9 open - blocked."),
        ("", ""),
    ],
)
def test_sentences(text: str, sentence: str) -> None:
    assert first_sentence(text) == sentence


def test_a_long_one_is_cut_on_a_word() -> None:
    cut = first_sentence("word " * 60)
    assert cut == "word " * 31 + "word…"
    assert len(cut) == SENTENCE_LIMIT
    assert first_sentence("東" * 200) == "東" * 159 + "…"
    assert first_sentence("x" * 157 + "e\u0301\u0301\u0301" + "x" * 40) == "x" * 157 + "…"
    assert first_sentence("word " * 29 + "`code that is cut somewhere` and more words") == "word " * 29 + "code that is…"
    assert first_sentence("word " * 31 + "(word word word") == ("word " * 31).rstrip() + "…"


@given(st.text(alphabet=st.sampled_from("ab. `[]()<>!&·。\n-*1é東"), max_size=300))
def test_it_is_one_line_of_bounded_length_and_closes_its_code(text: str) -> None:
    said = first_sentence(text)
    assert "\n" not in said
    assert len(said) <= SENTENCE_LIMIT * 2
    assert "](" not in said.replace("`", "") or "`" in said
    assert "·" not in said
