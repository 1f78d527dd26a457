from __future__ import annotations

from pathlib import Path

import pytest

from libtool.config import Config, load
from libtool.domain.entry import parse
from libtool.errors import LibraryNotFound, UsageError
from libtool.features.new import new


@pytest.fixture
def config(home: Path) -> Config:
    (home / "library").mkdir()
    (home / "library" / ".lib-library").write_text("1\n")
    return load({}, str(home)).replace(library=str(home / "library"))


def test_an_entry_with_nothing_in_it(config: Config, home: Path) -> None:
    path = new(config, "staging-tokens")
    assert path == str(home / "library/entries/staging-tokens.md")
    entry = parse((home / "library/entries/staging-tokens.md").read_bytes())
    assert (entry.title, entry.answer, set(entry.items.values())) == ("Staging tokens", "", {()})
    for topic, title, kept in (("other", "  A `title` #\n", "A `title`"), ("third", "- -", "- -")):
        assert parse(Path(new(config, topic, title)).read_bytes()).title == kept


def test_what_is_no_topic_is_refused_with_what_would_do(config: Config) -> None:
    for text, slug in {
        "Staging Tokens": "staging-tokens",
        "größe_max": "grosse-max",
        "a" * 81: "a" * 80,
        "x " * 60: "x-" * 39 + "x",
    }.items():
        with pytest.raises(UsageError) as raised:
            new(config, text)
        assert raised.value.hint.startswith(f"`lib new {slug} --title ")
    with pytest.raises(UsageError) as raised:
        new(config, "Tokens", "T")
    assert raised.value.hint == "`lib new tokens`"
    with pytest.raises(UsageError) as raised:
        new(config, "東京")
    assert raised.value.hint == "small letters and digits, joined by `-`"


def test_what_is_there_stays(config: Config, home: Path) -> None:
    path = new(config, "a")
    (home / "library/entries/a.md").write_text("mine")
    with pytest.raises(UsageError, match="there is an entry on that topic"):
        new(config, "a")
    assert Path(path).read_text() == "mine"
    (home / "library/entries/b.md").symlink_to("nowhere")
    with pytest.raises(UsageError):
        new(config, "b")


def test_without_a_library(config: Config) -> None:
    with pytest.raises(LibraryNotFound):
        new(config.replace(library="/nowhere"), "a")
