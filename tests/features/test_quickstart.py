from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from libtool.adapters.registry import ADAPTERS
from libtool.features import index, search
from libtool.features.quickstart import CARRIED, LOGIN, demonstration, keywords, places, short, stage
from libtool.features.status import status
from libtool.storage.search_db import Filter

if TYPE_CHECKING:
    from libtool.config import Config


def test_places_are_told_by_agent(staged: Config) -> None:
    there, missing = places(staged, {})
    assert there == {"claude-code": ["~/.claude"], "codex": ["~/.codex"], "gemini-cli": ["~/.gemini"], "pi": ["~/.pi/agent"]}
    assert missing == ["opencode", "qwen-code", "copilot-cli", "cursor", "cline"]
    assert set(there) | set(missing) < set(ADAPTERS)
    assert places(staged, {"CODEX_HOME": "/nowhere"})[1][0] == "codex"


def test_the_home_is_written_short() -> None:
    assert [short(path, "/home/ada") for path in ("/home/ada", "/home/ada/x", "/home/adam", "/x")] == ["~", "~/x", "/home/adam", "/x"]


def test_words_for_a_first_search_find_the_newest_session(indexed: Config) -> None:
    words = keywords(indexed)
    assert len(words.split()) == 3
    hits = search.search(indexed, words, Filter(), limit=8).hits
    assert (hits[0].tier, hits[0].agent, hits[0].turn) == ("strong", "pi", 1)


def prompt(home: Path, text: str, name: str = "0c0c0c0c") -> None:
    """A newest session that begins with this prompt."""
    path = next(home.glob(".pi/agent/sessions/*/*a90c57e2*.jsonl"))
    first = "Daylight saving begins on 29 March. Will the board show the right departure times in the night between?"
    content = path.read_text().replace(first, text).replace("a90c57e2", name).replace("2026-03-20", "2026-04-20")
    path.with_name(f"2026-04-20_{name}-3f18-4b6d-8d02-71c4be95f360.jsonl").write_text(content)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("修复离线缓存的时区错误 please, in the parser", {"修复离线缓存的时区错误", "please", "parser"}),
        ("rename get_user_name() in src/api/users.py and 12345678", {"rename", "get_user_name", "src/api/users.py"}),
        ("[REDACTED:token-0123456789ab] was refused by the gateway", {"refused", "gateway"}),
    ],
)
def test_words_are_taken_from_any_prompt(staged: Config, home: Path, text: str, words: set[str]) -> None:
    prompt(home, text)
    index.run(staged, {})
    assert set(keywords(staged).split()) == words


@pytest.mark.parametrize("text", ["go on", "?!", "the and of 1234567", "gateway"])
def test_a_prompt_that_says_little_is_passed_over(staged: Config, home: Path, text: str) -> None:
    prompt(home, text)
    index.run(staged, {})
    assert set(keywords(staged).split()) <= set("daylight saving begins march will board show right departure times night between".split())


def test_a_long_prompt_gives_words_of_its_beginning(staged: Config, home: Path) -> None:
    prompt(home, "Please look at the timetable of the northern harbour " + "and on " * 40 + "supercalifragilistic")
    index.run(staged, {})
    assert "supercalifragilistic" not in keywords(staged)
    assert "timetable" in keywords(staged)


def test_without_sessions_there_are_no_words(home: Path, staged: Config) -> None:
    for folder in (".claude", ".codex", ".gemini", ".pi"):
        os.rename(home / folder, home / folder[1:])
    index.run(staged, {})
    assert keywords(staged) == ""


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_the_demonstration_leaves_nothing_behind(staged: Config, error: type[BaseException]) -> None:
    with demonstration(staged) as demo:
        index.run(demo, {})
        assert os.stat(os.path.dirname(demo.data_dir)).st_mode & 0o077 == 0
        assert demo.machine == "desk"
    assert not os.path.exists(os.path.dirname(demo.home))
    with pytest.raises(error), demonstration(staged) as demo:
        raise error
    assert not os.path.exists(os.path.dirname(demo.home))
    assert not os.path.exists(staged.data_dir)


def test_the_carried_sessions_tell_a_story_without_a_login(indexed: Config, home: Path) -> None:
    found = status(indexed, {})
    assert sum(sum(counts.values()) for counts in found.agents.values()) == 7
    assert (found.unknown, found.damaged, found.unreadable, found.remarks) == ({}, {}, (), ())
    for words, said in (
        ("Decided cache SQLite", "Redis"),
        ("Superseded cache", "ETag"),
        ("Blocker quota", "60 requests"),
        ("Measured selectolax", "2.3 ms"),
    ):
        assert said in search.search(indexed, words, Filter(), limit=1).hits[0].snippet
    carried = "".join(path.read_text() for path in Path(CARRIED).rglob("*.jsonl"))
    assert carried.count(LOGIN) == 1
    assert not any(LOGIN in path.read_text() for path in home.rglob("*.jsonl"))


def test_each_login_of_the_carried_sessions_is_a_fresh_one(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        stage(str(tmp_path / name))
        texts.append(next((tmp_path / name).glob(".codex/sessions/*/*/*/*.jsonl")).read_text())
    assert texts[0] != texts[1]
