from __future__ import annotations

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libtool.domain import fts
from libtool.domain.body import ASSISTANT_CODES, TOOL_CODES, USER_CODES
from libtool.domain.fts import CJK, bigrams, camel_parts, camel_words, columns, date_words
from tests.domain.fts5 import COLUMNS, Table

ANY = st.text(st.characters(exclude_categories=[]))
MIXED = st.text("aZ9 _-é漢字がカ한국。・々ー𠮷", max_size=60)
SEGMENTS = st.lists(st.tuples(st.sampled_from(USER_CODES + ASSISTANT_CODES + TOOL_CODES), st.integers(0, 9), ANY | MIXED), max_size=6)
IS_CJK = re.compile(f"[{CJK}]")


@given(ANY | st.text("aZ9 _-é", max_size=200))
@example("x" * 79 + "Y" + " " + "x" * 80 + "Y")
@example("aBéaB 1A A1 Ab")
def test_camel_words_are_those_of_a_slow_pattern(text: str) -> None:
    words = [word for word in re.findall("[A-Za-z0-9]+", text) if re.search("[a-z0-9][A-Z]", word) and len(word) <= 80]
    assert camel_words(text) == words


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("parseHTTPHeader2", ["parse", "HTTP", "Header", "2"]),
        ("maxRetries", ["max", "Retries"]),
        ("IOError", ["IO", "Error"]),
        ("sha256Sum", ["sha", "256", "Sum"]),
        ("ABC", ["ABC"]),
        ("Ab", ["Ab"]),
        ("", []),
    ],
)
def test_camel_parts(word: str, parts: list[str]) -> None:
    assert camel_parts(word) == parts


@given(st.text("aZ09", max_size=100))
def test_the_parts_of_a_word_are_the_word(word: str) -> None:
    assert "".join(camel_parts(word)) == word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("no CJK, naïve", "no CJK, naïve"),
        ("数据库", "数据 据库"),
        ("a数据b", "a 数据 b"),
        ("库", "库"),
        ("数据。错误", "数据 。 错误"),
        ("データ・ベース", "デー ータ ・ ベー ース"),
        ("한국어 텍스트", "한국 국어 텍스 스트"),
        ("人々は", "人々 々は"),
    ],
)
def test_runs_become_pairs(text: str, expected: str) -> None:
    assert " ".join(bigrams(text).split()) == expected


@given(MIXED)
def test_pairs_lose_nothing_and_leave_other_text_alone(text: str) -> None:
    pairs = bigrams(text)
    assert IS_CJK.sub("", pairs).split() == IS_CJK.sub(" ", text).split()
    for run in re.findall(f"[{CJK}]+", text):
        assert [run[at : at + 2] for at in range(max(1, len(run) - 1))] == bigrams(run).split()
    assert not [run for run in re.findall(f"[{CJK}]+", pairs) if len(run) > 2]


def test_what_is_passed_over_holds_no_character_of_pairs() -> None:
    every = [chr(code) for code in range(0x110000)]
    assert {one for one in every if re.match(f"[{CJK}]", one)} == {one for one in every if bigrams(f"a{one}b") != f"a{one}b"}


def test_parts_are_the_same_however_many_names_came_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fts, "_REMEMBERED", 2)
    # Not the one of the process, which may know these names by now.
    monkeypatch.setattr(fts, "_PARTED", fts._Parted())
    names = "parseHTTPHeader2 netClient IPv6Address parseHTTPHeader2 netClient"
    assert (
        columns([("H", 1, names), ("C", 1, "x86_64 IPv6Address")], "", "kiln")[3] == " kiln parse HTTP Header 2 net Client I Pv 6 Address"
    )


def test_every_character_of_pairs_is_a_letter_of_fts5() -> None:
    letters = [chr(code) for code in range(0x10000) if IS_CJK.match(chr(code))]
    assert Table("unicode61").tokens(*letters) == [[letter] for letter in letters]


@given(SEGMENTS, ANY)
def test_columns_depend_on_nothing_but_what_they_are_given(segments: list[tuple[str, int, str]], extra: str) -> None:
    assert columns(segments, extra, extra) == columns(iter(segments), extra, extra)


def test_a_chunk_is_split_by_speaker_and_names_come_with_their_parts() -> None:
    segments = [
        ("H", 1, "why does loadKiln fail"),
        ("A", 1, "数据库 is locked"),
        ("C", 1, "$ run loadKiln"),
        ("K", 2, "go"),
        ("F", 2, "IOError"),
    ]
    user, assistant, tool, ids = columns(segments, "2026-10-03T11:22:33Z", "kilns main")
    assert user == "why does loadKiln fail\ngo"
    assert assistant.split() == ["数据", "据库", "is", "locked"]
    assert tool == "$ run loadKiln\nIOError"
    assert ids == "2026-10-03 October kilns main load Kiln"


@pytest.mark.parametrize("word", ["loadKiln", "kiln", "数据库", "2026", "october", "locked"])
def test_what_is_indexed_is_found(word: str) -> None:
    index = Table("porter unicode61", COLUMNS)
    row = index.add(*columns([("H", 1, "why does loadKiln fail"), ("A", 1, "数据库 is locked")], "2026-10-03T01:02:03Z", "ada kilnworks"))
    index.add(*columns([("A", 1, "nothing of it")], "", ""))
    assert index.matches('"' + bigrams(word).strip() + '"') == [row]


@pytest.mark.parametrize(
    ("time_", "words"),
    [
        ("2026-10-03T11:22:33Z", "2026-10-03 October"),
        ("2026-01-31", "2026-01-31 January"),
        ("2026-12", "2026-12 December"),
        ("", ""),
        ("2026", ""),
        ("2026-00-01", ""),
        ("2026-13-01", ""),
        ("2026-²-01", ""),
        ("2026-xx", ""),
    ],
)
def test_date_words(time_: str, words: str) -> None:
    assert date_words(time_) == words


@given(ANY)
def test_no_text_for_a_time_is_an_error(text: str) -> None:
    date_words(text)
    date_words("2026-" + text)


@pytest.mark.parametrize("text", ["a" * 20_000_000, "aA" * 5_000_000, "aA " * 1_000_000, "漢" * 1_000_000, "é" * 10_000_000])
def test_hostile_texts_take_linear_time(text: str) -> None:
    begun = time.process_time()
    columns([("A", 1, text)], "", "")
    assert time.process_time() - begun < 20
