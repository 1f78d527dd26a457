from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.config import Config, load
from libtool.domain.codes import EXAMPLE
from libtool.errors import LibraryNotFound
from libtool.features.topics import topics

if TYPE_CHECKING:
    from pathlib import Path

SENTENCE = "Use the vault sidecar; tokens rotate every 24 h."


@pytest.fixture
def config(home: Path) -> Config:
    folder = home / "library" / "entries"
    folder.mkdir(parents=True)
    for topic, sentence in {
        "staging-tokens": SENTENCE,
        "cache-limits": "Evict at 15 minutes; Größe is 3 MB, tokens are not cached.",
        "caching": "Ask the broker.",
        "tokyo": "東京のサーバーを使う。",
        "ports": "Port 8080 token.",
    }.items():
        (folder / f"{topic}.md").write_text(EXAMPLE.replace(SENTENCE, sentence))
    (folder / "Not a topic.md").write_text(EXAMPLE)
    return load({}, str(home)).replace(library=str(home / "library"))


def found(config: Config, *keywords: str) -> list[str]:
    return [one.topic for one in topics(config, keywords).topics]


def test_all_words_must_be_met(config: Config) -> None:
    assert found(config, "tokens", "sidecar") == ["staging-tokens"]
    assert found(config, "tokens sidecar") == ["staging-tokens"]
    assert found(config, "tokens", "broker") == []


def test_case_accents_and_endings_make_no_difference(config: Config) -> None:
    assert found(config, "GROSSE") == found(config, "größe") == ["cache-limits"]
    assert found(config, "rotating") == ["staging-tokens"]
    assert found(config, "東京") == ["tokyo"]


def test_a_match_in_the_topic_comes_first_and_a_whole_word_before_a_part(config: Config) -> None:
    assert found(config, "token") == ["staging-tokens", "ports", "cache-limits"]
    assert found(config, "caching") == ["caching", "cache-limits"]
    assert found(config, "cachin") == ["caching"]
    assert found(config, "oken") == ["staging-tokens", "cache-limits", "ports"]
    assert found(config, "80") == ["ports"]


def test_without_words_all_by_topic(config: Config) -> None:
    assert found(config) == ["cache-limits", "caching", "ports", "staging-tokens", "tokyo"]
    assert topics(config, []).entries == 5
    assert found(config, "!?") == []


def test_dates_and_marks_are_found_too(config: Config) -> None:
    assert len(found(config, "open")) == 5
    assert len(found(config, "2026-10-03")) == 5


def test_without_a_library(config: Config) -> None:
    with pytest.raises(LibraryNotFound):
        topics(config.replace(library="/nowhere"), [])
