from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain import format_page
from libtool.domain.codes import CODES, EXAMPLE
from libtool.domain.entry import (
    Malformed,
    answer_date,
    answer_text,
    first_difference,
    identity,
    is_topic,
    parse,
    render,
    slug_of,
    sort_key,
    superseded,
    tidy,
    unprinted,
)
from libtool.domain.entry_reader import item_of
from libtool.domain.mend import recover
from libtool.domain.schema import DECIDED, POINTERS, SESSION


def test_the_example_is_read_and_written_back() -> None:
    entry = parse(EXAMPLE.encode())
    assert entry.title == "Rotate the staging API tokens"
    assert entry.answer == "Use the vault sidecar; tokens rotate every 24 h. (2026-10-03)"
    assert entry.items[POINTERS] == ("acme/api@9f3c2d1 deploy/sidecar.yaml#L10-L44", 'absent acme/api@9f3c2d1 "token cron"')
    assert render(entry) == EXAMPLE.encode()


@pytest.mark.parametrize(
    ("data", "line", "code"),
    [
        (b"# A\n\xff", 2, "E103"),
        (EXAMPLE.replace("## Blocker", "## Notes").encode(), 11, "E204"),
        (EXAMPLE.encode() + b"\n", 35, "E210"),
    ],
)
def test_what_is_no_entry(data: bytes, line: int, code: str) -> None:
    with pytest.raises(Malformed) as raised:
        parse(data)
    assert (raised.value.line, raised.value.code) == (line, code)
    assert str(raised.value).startswith(f"{line}: {code}")


def test_items_of_one_identity_stand_once_and_in_order() -> None:
    assert tidy(DECIDED, ["2026-10-02: b", "c", "2026-10-01: a", "2026-10-02:  b", "c "]) == ("c ", "2026-10-01: a", "2026-10-02: b")
    assert tidy(DECIDED, ["e\u0301", "\u00e9"]) == ("\u00e9",)
    assert tidy(SESSION, ["b:123456 x 2026-10-01", "a:123456 x 2026-10-02"]) == ("b:123456 x 2026-10-01", "a:123456 x 2026-10-02")
    assert tidy(POINTERS, ["absent a", "b"]) == ("b", "absent a")
    assert tidy(DECIDED, ["absent a", "b"]) == ("absent a", "b")


def test_a_date_is_one_only_where_it_belongs() -> None:
    for text, date in {"2026-10-01: a": "2026-10-01", "2026-10-01:": "2026-10-01", "2026-10-01:a": "", "on 2026-10-01": ""}.items():
        assert sort_key(DECIDED, text)[0] == date
    assert sort_key(SESSION, "a:1 x on2026-10-01")[0] == ""


def test_fingerprints_are_part_of_an_identity_until_they_are_taken_out() -> None:
    mark = "[REDACTED:pw-{}]"
    assert identity(mark.format("a" * 12)) != identity(mark.format("b" * 12))
    assert unprinted("x " + mark.format("a" * 12)) == "x [REDACTED:pw]"


@pytest.mark.parametrize(
    ("answer", "date", "text", "item"),
    [
        ("Use it. (2026-10-01)", "2026-10-01", "Use it.", "2026-10-01: Use it."),
        ("Use\nit. (2026-10-01)\n\nMore (2026-10-02)", "2026-10-01", "Use it. More (2026-10-02)", "2026-10-01: Use it. More (2026-10-02)"),
        ("### Why\n\nSo. (2026-10-01)", "2026-10-01", "### Why So.", "2026-10-01: ### Why So."),
        ("```\n(2026-10-01)\n```", "", "``` (2026-10-01) ```", "``` (2026-10-01) ```"),
        ("---\nUse (2026-10-01)", "2026-10-01", "--- Use", "2026-10-01: --- Use"),
        ("So(2026-10-01)", "", "So(2026-10-01)", "So(2026-10-01)"),
        ("(2026-10-01)", "2026-10-01", "", "2026-10-01:"),
        ("", "", "", ""),
    ],
)
def test_what_an_answer_says_and_when(answer: str, date: str, text: str, item: str) -> None:
    assert (answer_date(answer), answer_text(answer), superseded(answer)) == (date, text, item)


def test_topics() -> None:
    for text in ("a", "a-b", "3f", "a" * 80):
        assert is_topic(text)
        assert slug_of(text) == text
    for text in ("", "A", "a_b", "a--b", "-a", "a-", "a" * 81, "é", "a\n", "a/b", "..", "٣"):
        assert not is_topic(text)


@given(st.text(max_size=200))
def test_a_suggested_topic_is_one(text: str) -> None:
    slug = slug_of(text)
    assert slug == "" or is_topic(slug)


def test_an_items_text_is_canonical() -> None:
    assert item_of(["", " - - ", "  a", "", "", "\tb", ""]) == "a\n\n    b"
    assert item_of(["--", ""]) == ""
    assert item_of(["- x", "--"]) == "- x\n--"


def test_where_two_texts_begin_to_differ() -> None:
    assert [first_difference(b"a\nb", other) for other in (b"a\nb", b"x", b"a\nc", b"a\nb\n", b"a")] == [0, 1, 2, 2, 1]


def test_the_page_tells_of_every_code() -> None:
    page = format_page.render("made")
    assert [line[4:] for line in page.splitlines() if line.startswith("### ")] == list(CODES)
    assert "-Use the vault sidecar; tokens rotate every 24 h. (2026-10-03)" in page
    assert "\x00" not in page
    assert "<U+0000>" in page
    assert max(len(line) for line in page.splitlines()) < 260


def test_a_title_keeps_the_marks_that_belong_to_it() -> None:
    for written, title in {
        "# C# ##": "C#",
        "# C#": "C#",
        "# a # b # #": "a # b",
        "# # #": "Untitled",
        "# a##b": "a##b",
        "#\tx ": "x",
    }.items():
        assert recover(written.encode()).title == title
