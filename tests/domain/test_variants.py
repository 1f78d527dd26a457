from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from libtool.domain import variants

if TYPE_CHECKING:
    from collections.abc import Callable

WORD = st.from_regex(r"[a-z]{3,8}", fullmatch=True)
LEADING = st.from_regex(r"[a-z]{2,7}[0-9]{0,2}", fullmatch=True)
NAME = st.tuples(LEADING, st.lists(WORD, max_size=4)).map(lambda pair: [pair[0], *pair[1]])
STYLES: dict[str, Callable[[list[str]], str]] = {
    "snake": "_".join,
    "screaming": lambda words: "_".join(words).upper(),
    "kebab": "-".join,
    "train": lambda words: "-".join(word.title() for word in words),
    "spaced": " ".join,
    "dotted": ".".join,
    "camel": lambda words: words[0] + "".join(word.title() for word in words[1:]),
    "pascal": lambda words: "".join(word.title() for word in words),
}


@pytest.mark.parametrize("typed", STYLES)
@pytest.mark.parametrize("there", STYLES)
@given(words=NAME)
def test_every_spelling_finds_every_other(typed: str, there: str, words: list[str]) -> None:
    text = f"x = {STYLES[there](words)}(1)"
    expression = variants.pattern(variants.forms(STYLES[typed](words)))
    assert any(variants.whole(text, *match.span()) for match in expression.finditer(text))


@given(NAME, st.sampled_from(sorted(STYLES)), st.booleans())
def test_singular_and_plural_find_each_other(words: list[str], style: str, forwards: bool) -> None:
    many = [*words[:-1], variants.plural(words[-1])]
    text, typed = (STYLES[style](one) for one in ((words, many) if forwards else (many, words)))
    expression = variants.pattern(variants.forms(typed))
    assume(words[-1].isalpha() and variants.singulars(words[-1]) == (words[-1],) and words[-1] in variants.singulars(many[-1]))
    assert any(variants.whole(text, *match.span()) for match in expression.finditer(text))


@given(st.text())
def test_any_text_has_forms_or_no_name(text: str) -> None:
    for name in variants.names(text):
        found = variants.forms(name)
        assert found
        assert all(form == form.lower() and form for form in found)
        assert variants.pattern(found).search(name.lower())
        assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("getUserName2", ["get", "user", "name", "2"]),
        ("HTTPServer", ["http", "server"]),
        ("TOKEN_CRON", ["token", "cron"]),
        ("retry policy", ["retry", "policy"]),
        ("größeÄndern", ["gr", "öß", "e", "ä", "ndern"]),
        ("v1.2", ["v", "1", "2"]),
        ("...", []),
    ],
)
def test_words(name: str, words: list[str]) -> None:
    assert variants.words(name) == words


def test_names_are_divided_by_commas() -> None:
    assert variants.names(" retry  policy, backoff ,,backoff, ...") == ["retry policy", "backoff"]


@pytest.mark.parametrize(
    ("many", "one"),
    [
        ("policies", "policy"),
        ("cookies", "cookie"),
        ("boxes", "box"),
        ("classes", "class"),
        ("matches", "match"),
        ("caches", "cache"),
        ("tokens", "token"),
        ("days", "day"),
        ("ties", "tie"),
        ("ids", "id"),
    ],
)
def test_plurals(many: str, one: str) -> None:
    assert one in variants.singulars(many)
    assert variants.plural(one) == many
    assert {one, many} <= set(variants.number(one)) & set(variants.number(many))


@pytest.mark.parametrize("word", ["status", "class", "analysis", "bus", "is", "cron", "gas"])
def test_what_is_no_plural_stays(word: str) -> None:
    assert variants.singulars(word) == (word,)


def test_plural_of_a_vowel_and_y() -> None:
    assert [variants.plural(word) for word in ("day", "policy", "box", "token", "y")] == ["days", "policies", "boxes", "tokens", "ys"]


def test_digits_are_apart_or_glued_to_either_side() -> None:
    assert {"sha_256_sum", "sha256_sum", "sha_256sum", "sha256sum"} <= set(variants.forms("sha256_sum"))
    assert {"2fa-token", "2_fa_token"} <= set(variants.forms("2fa token"))


def test_a_sentence_is_looked_for_as_it_is() -> None:
    sentence = "one two three four five six seven eight nine"
    assert variants.forms(sentence) == [sentence]


def test_of_a_long_name_only_the_last_word_is_varied() -> None:
    assert "a_nodes_of_trees_left" not in variants.forms("a node of tree left")
    assert "a_node_of_policies" in variants.forms("a node of policy")


def test_a_form_that_holds_another_is_left_out() -> None:
    assert variants.without_longer(variants.forms("tokens")) == ["token"]
    assert variants.without_longer(["ab", "b", "c", "b"]) == ["b", "c"]


def test_letters_that_no_search_folds_are_spelled_out() -> None:
    assert variants.searched(["größe", "plain", "plains"]) == ["größe", "GRÖSSE", "Größe", "plain"]


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("concatenate", "cat", False),
        ("cat", "cat", True),
        ("cats", "cat", True),
        ("boxes", "box", True),
        ("catsuit", "cat", False),
        ("the cat sat", "cat", True),
        ("getCatNow", "Cat", True),
        ("HTTPProxy", "Proxy", True),
        ("HTTPS", "HTTP", True),
        ("HTTPProxy", "HTTP", False),
        ("cat2", "cat", True),
        ("v12", "v1", False),
        ("my_cat_now", "cat", True),
        ("tomcat", "cat", False),
    ],
)
def test_whole_words(text: str, part: str, whole: bool) -> None:
    at = text.index(part)
    assert variants.whole(text, at, at + len(part)) is whole
