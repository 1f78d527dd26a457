from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.entry import is_topic
from libtool.domain.topics import Known, Match, match, slug

KNOWN = {
    "rotate-staging-tokens": Known("Rotate the staging API tokens", "The sidecar rotates tokens every night from the vault."),
    "kiln-cache": Known("Kiln cache", "Responses are cached for fifteen minutes in SQLite."),
    "retry-policy-v1": Known("Retry policy v1", "Five tries with full jitter against the harbour API."),
    "quay-names": Known("Quay names", "Names come from the harbour register."),
    "缓存": Known("缓存策略", "十五分钟"),
}


@pytest.mark.parametrize(
    ("hint", "title", "body", "topic"),
    [
        ("kiln-cache", "", "", "kiln-cache"),
        ("Kiln Cache", "", "", "kiln-cache"),
        ("", "Kiln cache!", "", "kiln-cache"),
        ("", "The cache of the kiln", "", "kiln-cache"),
        ("", "Caches, kilns", "", "kiln-cache"),
        ("", "Rotating the staging API token", "", "rotate-staging-tokens"),
        ("", "Staging token rotation for the API", "nightly rotation of tokens by the sidecar from the vault", "rotate-staging-tokens"),
    ],
)
def test_what_is_about_the_same_is_found(hint: str, title: str, body: str, topic: str) -> None:
    assert match(hint, title, body, KNOWN) == Match(topic, "")


@pytest.mark.parametrize(
    ("title", "suggestion"),
    [
        ("Rotate the production API tokens", "rotate-staging-tokens"),
        ("Retry policy v2", "retry-policy-v1"),
        ("Retry policy", "retry-policy-v1"),
        ("Kiln cache warmup", "kiln-cache"),
        ("Cache", "kiln-cache"),
        ("Upload limits", ""),
        ("", ""),
    ],
)
def test_what_may_be_another_thing_is_only_suggested(title: str, suggestion: str) -> None:
    assert match("", title, "Something quite different is said here.", KNOWN) == Match("", suggestion)


def test_an_empty_library_has_nothing() -> None:
    assert match("x", "y", "z", {}) == Match("", "")
    assert match("", "!!!", "", KNOWN) == Match("", "")
    assert match("", "word", "", {"--": Known("", "")}) == Match("", "")


def test_of_two_that_are_alike_none_is_sure() -> None:
    twins = {"a-kiln": Known("Kiln glaze", ""), "b-kiln": Known("Glaze kiln", "")}
    assert match("", "Glazes of kilns", "", twins).topic == ""


@pytest.mark.parametrize(
    ("hint", "title", "body", "made"),
    [
        ("kiln-cache", "x", "", "kiln-cache"),
        ("Kiln cache", "", "", "kiln-cache"),
        ("", "Kiln cache", "", "kiln-cache"),
        ("", "", "The kiln burns at night. Always.", "the-kiln-burns-at-night"),
        ("", "数据库 API", "", "session-1"),
        ("", "", "", "session-1"),
        ("", "long " * 40, "", "-".join(["long"] * 12)),
        ("", "x" * 200, "", "x" * 60),
    ],
)
def test_new_topics(hint: str, title: str, body: str, made: str) -> None:
    assert slug(hint, title, body, "session 1") == made


def test_a_topic_there_always_is() -> None:
    assert slug("", "", "", "缓存") == "untitled"


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_any_words_can_be_matched(hint: str, title: str, body: str) -> None:
    found = match(hint, title, body, KNOWN)
    assert found.topic in {*KNOWN, ""}
    assert is_topic(slug(hint, title, body, title))
