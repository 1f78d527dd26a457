from __future__ import annotations

import pytest

from libtool.domain.review.labels import CANONICAL, KNOWN, TOPIC, is_generic, is_nothing, plain, section
from libtool.domain.review.lines import label_of
from libtool.domain.schema import SECTIONS


def test_every_word_of_the_table_is_as_plain_gives_it() -> None:
    assert [word for word in KNOWN if plain(word) != word] == []
    assert set(KNOWN.values()) == {*SECTIONS, TOPIC}
    assert set(CANONICAL.values()) == set(SECTIONS)


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("✅ 2. **Décidé:**", "Decided"),
        ("OPEN QUESTIONS", "Open"),
        ("Nächste Schritte", "Open"),
        ("回答", "Answer"),
        ("ブロッカー", "Blocker"),
        ("TL;DR", "Answer"),
        ("Weather", None),
        ("Open " + "x" * 80, None),
    ],
)
def test_labels(label: str, name: str | None) -> None:
    assert section(label) == name


@pytest.mark.parametrize("text", ["None.", "- none", "n/a", "", "—", "Keine", "無", "nothing to report"])
def test_nothing(text: str) -> None:
    assert is_nothing(text)


@pytest.mark.parametrize("text", ["none of it holds", "3.11", "42", "no " * 40])
def test_something(text: str) -> None:
    assert not is_nothing(text)


def test_titles_that_name_no_topic() -> None:
    assert [title for title in ("Session summary", "Topic 3", "12", "Notes:") if not is_generic(title)] == []
    assert not is_generic("Kiln 2")


@pytest.mark.parametrize(
    "line", ["", "text", "a: b", "<b>x</b>", "| x | y |", "see [Open](x)", "**bold** words", "## ", "-", "- a: b", "Weather"]
)
def test_lines_that_are_no_labels(line: str) -> None:
    label = label_of(line)
    assert label is None or label.name is None


def test_a_very_long_line_keeps_all_of_its_words() -> None:
    label = label_of("**Answer:** " + "word " * 1000)
    assert label is not None
    assert label.rest.count("word") == 1000


@pytest.mark.parametrize("line", ["Topic: a", "**Topic**: a", "## Entry: a", "<topic>a</topic>", "<title>a</title>"])
def test_a_topic_can_be_named_in_many_ways(line: str) -> None:
    label = label_of(line)
    assert label is not None
    assert (label.name, label.rest) == (TOPIC, "a")
