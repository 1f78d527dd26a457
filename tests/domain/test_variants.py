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
    assert variants.find(text, variants.pattern([STYLES[typed](words)])) == (4, len(text) - 3)


@given(NAME, st.sampled_from(sorted(STYLES)), st.data())
def test_words_of_any_number_and_case_with_any_separators_between_are_found(words: list[str], style: str, data: st.DataObject) -> None:
    there = ""
    for word in words:
        there += data.draw(st.sampled_from(variants.SEPARATORS)) if there else ""
        there += data.draw(st.sampled_from((str.lower, str.upper, str.title)))(data.draw(st.sampled_from(variants.number(word))))
    assert variants.find(there, variants.pattern([STYLES[style](words)])) == (0, len(there))
    # Behind it another word may begin.
    found = variants.find(f"{there}_store", variants.pattern([STYLES[style](words)]))
    assert found == (0, len(there))


@given(NAME, st.sampled_from(sorted(STYLES)), st.booleans())
def test_singular_and_plural_find_each_other(words: list[str], style: str, forwards: bool) -> None:
    many = [*words[:-1], variants.plural(words[-1])]
    text, typed = (STYLES[style](one) for one in ((words, many) if forwards else (many, words)))
    assume(words[-1].isalpha() and variants.singulars(words[-1]) == (words[-1],) and words[-1] in variants.singulars(many[-1]))
    assert variants.find(text, variants.pattern([typed])) == (0, len(text))


@given(st.text())
def test_any_text_has_forms_or_no_name(text: str) -> None:
    for name in variants.names(text):
        found = variants.forms(name)
        assert found[0] == name.strip().lower()
        assert len(found) == len(set(found))
        assert variants.words(name)
        assert variants.pattern([name]).search(name)


@given(st.text("aAbB_éÉß-. çÇжЖ重2", min_size=1))
def test_every_form_that_is_told_is_one_that_is_found(text: str) -> None:
    for name in variants.names(text):
        assert all(variants.pattern([name]).search(form) for form in variants.forms(name))


@given(st.text("aABsSйЙ重2_"))
def test_words_lose_no_letter(text: str) -> None:
    assert "".join(variants.words(text)) == text.replace("_", "").lower()


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("getUserName2", ["get", "user", "name", "2"]),
        ("HTTPServer", ["http", "server"]),
        ("TOKEN_CRON", ["token", "cron"]),
        ("retry policy", ["retry", "policy"]),
        ("größeÄndern", ["größe", "ändern"]),
        ("нашПовторЗапроса", ["наш", "повтор", "запроса"]),
        ("重试policy", ["重试", "policy"]),
        ("cafe\u0301Bar", ["café", "bar"]),
        ("ABCd", ["ab", "cd"]),
        ("٣x²", ["٣", "x", "²"]),
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


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("sha256_sum", "sha_256_sum"),
        ("sha256_sum", "Sha256Sum"),
        ("sha_256_sum", "sha256sum"),
        ("2fa token", "2-fa-token"),
        ("evp encrypt init", "EVP_EncryptInit"),
        ("py build value", "Py_BuildValue"),
        ("max retries count", "MAX_RETRY_COUNT"),
        ("userIDs", "user_id"),
        ("user_ids", "userIDs"),
        ("retry policy", "std::retry::policy"),
        ("retry policy", "retry/policy.py"),
        ("RetryPolicy", r"Retry\Policy"),
        ("my double", "my__double"),
        ("get auth token from user session store by id", "getAuthTokenFromUserSessionStoreById"),
        ("token", "tokenStore"),
        ("cache", "cachesStored"),
        ("cache", "cacheStore"),
        ("caches", "cacheStore"),
        ("cat cat", "tomcatCat cat"),
        ("повторЗапроса", "ПОВТОР_ЗАПРОСА"),
        ("größe", "GRÖSSE"),
        ("café", "cafe\u0301"),
        ("CAFE\u0301", "café"),
        ("重试", "这里重试三次"),
        # An ideograph whose composed form is another character, and the one it is.
        ("\uf900", "x \uf900"),
        ("\uf900", "x \u8c48"),
        ("a+b", "x = A+B;"),
        ("C++", "in c++ only"),
        ("[a-z]{2}", "re '[A-Z]{2}'"),
    ],
)
def test_found(name: str, there: str) -> None:
    assert variants.find(there, variants.pattern([name]))


@pytest.mark.parametrize(("name", "there"), [("cat", "concatenate"), ("a.*b", "axxb"), ("token cron", "token, cron"), ("id", "idle")])
def test_not_found(name: str, there: str) -> None:
    assert variants.find(there, variants.pattern([name])) is None


def test_forms_are_as_typed_and_with_each_separator() -> None:
    assert variants.forms("TokenCron")[:4] == ["tokencron", "token_cron", "token-cron", "token cron"]
    assert variants.forms("token") == ["token"]


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
        ("这里重试三次", "重试", True),
    ],
)
def test_whole_words(text: str, part: str, whole: bool) -> None:
    at = text.index(part)
    assert variants.whole(text, at, at + len(part)) is whole
