from __future__ import annotations

import base64
import hashlib
import re
import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from libtool.cli.output import printable
from libtool.domain.text import BROKEN, MARK, clean, head_and_tail, one_line, whole_words, without_blobs, without_middle

ANY = st.text(st.characters(exclude_categories=[]))
"""Lone surrogates too."""
HOSTILE = st.lists(
    st.sampled_from(
        [
            "\x1b",
            "[",
            "]",
            "0",
            ";",
            "m",
            "\x07",
            "\\",
            "\r",
            "\n",
            "\t",
            "\0",
            "\x9b",
            "\u202e",
            "\u2028",
            "\ud83d",
            "\U000e0041",
            "(B",
            "a ",
            "é",
        ]
    )
).map("".join)
LINES = st.lists(st.text("ab \n", max_size=30), max_size=40).map("".join)


@given(ANY | HOSTILE)
@example("\x1b\x1b[0m[31m")
@example("\r\x00\n\r\r\n")
def test_clean_leaves_nothing_that_acts_or_hides_and_changes_nothing_twice(text: str) -> None:
    cleaned = clean(text)
    assert clean(cleaned) == cleaned
    assert printable(cleaned) == cleaned
    assert not [letter for letter in cleaned if unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") and letter not in "\t\n"]
    cleaned.encode()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("naïve 漢字 👩\u200d💻", "naïve 漢字 👩\u200d💻"),
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mé\x1b[m", "é"),
        ("\x1b]0;title\x07x\x1b]8;;https://a.example\x1b\\link\x1b]8;;\x1b\\", "xlink"),
        ("\x1b(Bplain\x1b)0 \x1b=keypad\x1b> \x1b7saved\x1b8", "plain keypad saved"),
        ("\x1b]0;never ended", "0;never ended"),
        ("one\r\ntwo\rthree\r\r\n", "one\ntwo\nthree\n\n"),
        ("10% \r100% \x1b[K\r\ndone", "10% \n100% \ndone"),
        ("a\u2028b\u2029c", "a\nb\nc"),
        ("\ufeffa\u200bb\u202ec\u2066d\U000e0041e\U000e007ff", "abcdef"),
        ("a\x00b\x7fc\x85d", "abcd"),
        ("\ud800x\udfff", "\ufffdx\ufffd"),
        ("\u2027\u202f\u2065\ufefe", "\u2027\u202f\u2065\ufefe"),
    ],
)
def test_clean_by_example(text: str, expected: str) -> None:
    assert clean(text) == expected


def noise(size: int) -> bytes:
    """Bytes as random as data, and the same in every run."""
    return hashlib.shake_128(b"kiln").digest(size)


def base64_run(size: int, *, url: bool) -> str:
    data = noise(size)
    return (base64.urlsafe_b64encode(data) if url else base64.b64encode(data)).decode()[:size]


@pytest.mark.parametrize("url", [False, True])
@pytest.mark.parametrize("size", [180, 181, 400, 5000])
def test_a_run_of_encoded_data_becomes_a_mark(size: int, *, url: bool) -> None:
    assert without_blobs(f"before {base64_run(size, url=url)} after é") == f"before [{size} characters of data] after é"


def test_lines_of_encoded_data_become_a_mark() -> None:
    lines = base64.encodebytes(noise(57 * 6)).decode()
    assert without_blobs(f"cert:\n{lines}end\n") == f"cert:\n[{len(lines)} characters of data]\nend\n"
    assert without_blobs(f"cert:\n{lines.rstrip()}") == f"cert:\n[{len(lines) - 1} characters of data]"
    three = "".join(lines.splitlines(keepends=True)[:3])
    assert without_blobs(f"cert:\n{three}end\n") == f"cert:\n{three}end\n"


PARTS = st.lists(
    st.sampled_from("src components userProfile settings page2 parseHTTPHeader node_modules v18 a B1 index".split()), min_size=1
)


@given(PARTS, st.sampled_from("-/_"), st.integers(1, 20))
def test_paths_and_hyphenated_names_stay(parts: list[str], separator: str, times: int) -> None:
    name = separator.join(parts * times)
    assert without_blobs(f"see {name} there") == f"see {name} there"


@given(st.lists(st.text("abcdefgh,.!?'\n ", max_size=60)).map(" ".join))
def test_prose_stays(text: str) -> None:
    assert without_blobs(text) == text


@given(st.lists(st.sampled_from(["=" * 59, "A1b" * 60, "é", "\n", " ", "A" * 64 + "\n", "ab-cd_" * 40]), max_size=30).map("".join))
def test_what_is_left_is_never_longer_and_never_one_long_run_of_data(text: str) -> None:
    left = without_blobs(text)
    assert len(left) <= len(text)
    for run in re.findall(r"[A-Za-z0-9+/_=-]{180,}", left):
        assert len(re.findall(r"[-_/]", run)) * 40 > len(run)


@given(ANY, st.integers(1, 60))
@example(" " * 1000 + "x", 5)
@example("a" + " " * 1000 + "b" + " " * 1000 + "c", 60)
def test_one_line_is_short_folded_and_says_when_it_leaves_something_out(text: str, limit: int) -> None:
    line = one_line(text, limit)
    whole = " ".join(text.split())
    assert len(line) <= limit
    assert line == whole or (line.endswith("…") and whole.startswith(line[:-1]))
    assert line == " ".join(line.split())


@given(LINES, st.integers(0, 200), st.integers(0, 200))
def test_head_and_tail_is_both_ends_cut_at_lines(text: str, head: int, tail: int) -> None:
    cut = head_and_tail(text, head, tail)
    assert len(cut) <= head + tail + len(MARK)
    if len(text) <= head + tail + len(MARK):
        assert cut == text
        return
    first, last = cut.split(MARK)
    assert text.startswith(first)
    assert text.endswith(last)
    assert len(first) in range(head // 2, head + 1)
    assert tail - tail // 3 <= len(last) <= tail


def test_head_and_tail_cuts_at_a_line_end_that_is_near() -> None:
    text = "a" * 70 + "\n" + "b" * 200 + "\n" + "c" * 80
    assert head_and_tail(text, 100, 90) == "a" * 70 + MARK + "c" * 80
    assert head_and_tail(text, 100, 90, mark="~") == "a" * 70 + "~" + "c" * 80
    assert head_and_tail("d" * 300, 100, 90) == "d" * 100 + MARK + "d" * 90


WORDS = st.lists(st.text("abc0_", min_size=1, max_size=40), max_size=120)


@given(WORDS, st.integers(0, 600), st.integers(0, 600))
def test_a_cut_before_redaction_breaks_no_word(words: list[str], head: int, tail: int) -> None:
    text = " ".join(words)
    cut = without_middle(text, head, tail)
    assert cut.replace(MARK, " ").split() == words or set(cut.split()) <= {*words, MARK.strip()}
    assert cut.startswith(text[:head])
    assert cut.endswith(text[len(text) - tail :])
    assert len(cut) <= head + tail + 2 * BROKEN + len(MARK)
    begun = whole_words(text, head)
    assert text.startswith(begun)
    assert set(begun.split()) <= set(words)
    assert len(begun) in range(min(head, len(text)), head + BROKEN + 1)


def test_a_word_too_long_to_keep_whole_is_cut() -> None:
    assert whole_words("x" * 5000, 100) == "x" * 100
    assert without_middle("x" * 5000, 100, 50) == "x" * 100 + MARK + "x" * 50


@pytest.mark.parametrize(
    "text",
    [
        "\x1b" * 1_000_000,
        "\x1b]" * 500_000,
        ("\x1b]" + "a" * 2000) * 500,
        "\x1b[" + "0;" * 500_000,
        "\r" * 1_000_000,
        "\u2028" * 500_000,
        "a" * 5_000_000,
        "=" * 5_000_000 + "é",
        ("A" * 76 + "\n") * 20_000,
        ("A" * 99 + "!\n") * 20_000,
        (("A" * 64 + "\n") * 3 + "\n") * 5_000,
        "-a" * 1_000_000,
    ],
    ids=range(12),
)
def test_hostile_texts_take_linear_time(text: str) -> None:
    begun = time.process_time()
    without_blobs(clean(text))
    one_line(text, 200)
    without_middle(text, 1000, 1000)
    assert time.process_time() - begun < 10


@given(st.lists(st.text("ab\u00e9", min_size=1, max_size=40), min_size=1, max_size=60), st.integers(50, 200), st.integers(50, 200))
def test_no_word_is_cut_in_two_at_the_end(words: list[str], head: int, tail: int) -> None:
    text = " ".join(words)
    shown = head_and_tail(text, head, tail, mark=" ~ ").split() + one_line(text, head).removesuffix("\u2026").split()
    assert set(shown) <= {*words, "~"}
