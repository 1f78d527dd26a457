from __future__ import annotations

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain import conflict
from libtool.domain.codes import EXAMPLE
from libtool.domain.decode import decoded
from libtool.domain.entry import Entry, parse, render
from libtool.domain.mend import _settled, canonical, mend, recover
from libtool.domain.schema import OPEN, SUPERSEDED
from tests.domain.strategies import TODAY, entries, hostile, right


def words(data: bytes) -> Counter[str]:
    """Words of a text, the markers of conflicts and sections apart."""
    lines = decoded(data).split("\n")
    marks = set(conflict.markers(lines))
    text = "\n".join(line for at, line in enumerate(lines) if at not in marks)
    return Counter(re.findall(r"\w+", text))


MARKS = re.compile(r"(?i)^(answer|decided|blocker|superseded|measured|open|pointers|session|none|[0-9]{1,3})$")
"""Section names, None., and the numbers of a numbered list: what `mend` may read as a marker."""


@given(entries())
def test_a_right_entry_stays_byte_for_byte(entry: Entry) -> None:
    data = render(entry)
    assert (
        render(parse(data))
        == data
        == canonical(data, topic="x")
        == mend(data, topic="x", today=TODAY)
        == mend(data, topic="x", today=TODAY, before=data)
    )
    again = parse(data)
    assert (again.title, again.answer, again.items) == (entry.title, entry.answer, entry.items)


@given(hostile(), st.one_of(st.none(), hostile()))
def test_anything_becomes_an_entry_once(data: bytes, before: bytes | None) -> None:
    once = mend(data, topic="a-b", today=TODAY, before=before)
    assert mend(once, topic="a-b", today=TODAY, before=before) == once
    assert canonical(once, topic="a-b") == once
    assert right(once)


@given(hostile())
def test_no_word_is_lost(data: bytes) -> None:
    before, after = words(data), words(mend(data, topic="a-b", today=TODAY))
    assert {word for word in before if word not in after and not MARKS.match(word)} == set()


def example(answer: str, superseded: str = "None.") -> bytes:
    text = EXAMPLE.replace("Use the vault sidecar; tokens rotate every 24 h. (2026-10-03)", answer)
    return text.replace("- 2026-09-12: rotate by hand every Monday. (codex:0199a8f2#7)", superseded).encode()


def settled(data: bytes, before: bytes | None = None) -> tuple[str, tuple[str, ...]]:
    entry = parse(mend(data, topic="x", today=TODAY, before=before))
    return entry.answer, entry.items[SUPERSEDED]


OLD = example("Old way. (2026-10-01)")


@pytest.mark.parametrize(
    ("answer", "superseded", "now", "replaced"),
    [
        ("Old way.", "None.", "Old way. (2026-10-01)", ()),
        ("Old way. (2026-10-09)", "None.", "Old way. (2026-10-09)", ()),
        ("New way.", "None.", "New way. (2026-11-30)", ("2026-10-01: Old way.",)),
        ("New way. (2026-10-01)", "None.", "New way. (2026-11-30)", ("2026-10-01: Old way.",)),
        ("New way. (2026-10-02)", "None.", "New way. (2026-10-02)", ("2026-10-01: Old way.",)),
        ("None.", "None.", "", ("2026-10-01: Old way.",)),
        ("New way.", "- 2026-11-30: New way.", "New way. (2026-12-01)", ("2026-10-01: Old way.", "2026-11-30: New way.")),
        ("New (2026-10-02)", "- 2026-10-02: New", "New (2026-11-30)", ("2026-10-01: Old way.", "2026-10-02: New")),
        ("Old way.", "- 2026-10-01: Old way.", "Old way. (2026-10-02)", ("2026-10-01: Old way.",)),
    ],
)
def test_a_replaced_answer_is_dated_and_recorded(answer: str, superseded: str, now: str, replaced: tuple[str, ...]) -> None:
    assert settled(example(answer, superseded), OLD) == (now, replaced)


def test_dates_of_the_committed_version_that_no_calendar_has() -> None:
    for old, now in (("2026-99-01", "2026-12-01"), ("9999-12-31", "2026-12-01")):
        assert settled(example("New."), example(f"Old. ({old})"))[0] == f"New. ({now})"
        assert settled(example("Old.", f"- {old}: Old."), example(f"Old. ({old})"))[0] == f"Old. ({old})"


@pytest.mark.parametrize(
    ("answer", "now", "replaced"),
    [
        ("One.\nTwo.", "One.\nTwo. (2026-11-30)", ()),
        ("One. (2026-10-01)\nTwo.", "One.\nTwo. (2026-10-01)", ()),
        ("(2026-10-01)\nTwo.", "Two. (2026-10-01)", ()),
        ("One (2026-10-01).", "One. (2026-10-01)", ()),
        ("A. (2026-10-01)\nB. (2026-10-02)\n\nMore of B.", "B. (2026-10-02)\n\nMore of B.", ("2026-10-01: A.",)),
        ("A. (2026-10-02)\nB. (2026-10-01)\n\nMore of B.", "A. (2026-10-02)", ("2026-10-01: B. More of B.",)),
        ("A. (2026-10-02)\nB. (2026-10-02)", "B. (2026-10-02)", ("2026-10-02: A.",)),
        ("A. (2026-10-01)\n\n## Answer\n\nB.", "A. (2026-10-01)", ("B.",)),
        ("```\ncode\n```", "```\ncode\n```\n\n(2026-11-30)", ()),
        ("### Why\nSo.\n```\ncode\n```", "### Why\nSo. (2026-11-30)\n```\ncode\n```", ()),
        ("One.\n\n\n\nTwo.", "One. (2026-11-30)\n\nTwo.", ()),
    ],
)
def test_the_date_stands_at_the_end_of_the_first_paragraph(answer: str, now: str, replaced: tuple[str, ...]) -> None:
    assert settled(example(answer)) == (now, replaced)


def test_what_has_no_place_is_kept_whole() -> None:
    entry = recover(
        b"# T\n\nDraft\nof it.\n\n- x\n\n## Notes\n\n```\na\n\n\nb\n```\n\n# Again\n\nmore\n## Open\n- 2026-10-01: q\n", topic="t"
    )
    assert entry.items[OPEN] == ("Again\n\nmore", "Draft\nof it.\n\n- x", "Notes\n\n```\na\n\nb\n```", "2026-10-01: q")


def test_conflicts_keep_both_sides() -> None:
    conflict_text = EXAMPLE.replace("## Open\n\n", "## Open\n\n<<<<<<< HEAD\n- mine\n||||||| base\n- was\n=======\n- theirs\n>>>>>>> x\n")
    assert [item[:6] for item in recover(conflict_text.encode()).items[OPEN]] == ["mine", "theirs", "was", "2026-1"]
    titles = EXAMPLE.replace("# Rotate", "<<<<<<< HEAD\n# - Alpha\n=======\n# Rotate").replace(
        "tokens\n\n## A", "tokens\n>>>>>>> x\n\n## A"
    )
    entry = recover(titles.encode())
    assert (entry.title, entry.items[OPEN][0]) == ("Rotate the staging API tokens", "- Alpha")


def test_markers_that_make_no_sense_are_dropped_alone() -> None:
    for marks in ("{a}>>>>>>> x\n{b}", "<<<<<<< HEAD\n{a}=======\n{b}", "<<<<<<< HEAD\n{a}>>>>>>> x\n{b}"):
        text = EXAMPLE.replace("## Open\n\n", "## Open\n\n" + marks.format(a="- a\n", b="- b\n"))
        assert recover(text.encode()).items[OPEN][:2] == ("a", "b")


def test_without_a_title_the_topic_is_one() -> None:
    assert recover(b"x", topic="staging-tokens").title == "Staging tokens"
    assert recover(b"x").title == "Untitled"


def test_a_text_that_never_settles_is_given_up() -> None:
    assert _settled(b"", lambda data: data + b"x") == b"x" * 8


def test_utf16_and_controls_become_text() -> None:
    assert canonical(EXAMPLE.encode("utf-16"), topic="x") == EXAMPLE.encode()
    odd = EXAMPLE.replace("Use the", "\ufeffUse\x0bthe\u202e\x00").replace("\n", "\r\n")
    assert canonical(odd.encode(), topic="x") == EXAMPLE.replace("Use the", "Use the\ufffd").encode()
    assert b"caf\xef\xbf\xbd" in canonical(EXAMPLE.encode().replace(b"sidecar", b"caf\xe9"), topic="x")


def test_reading_is_given_up_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("libtool.domain.mend._ROUNDS", 1)
    assert recover(b"x", topic="t").items[OPEN] == ("x",)
