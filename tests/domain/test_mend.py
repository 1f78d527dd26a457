from __future__ import annotations

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from libtool.domain import conflict
from libtool.domain.decode import decoded
from libtool.domain.entry import Entry, parse, render
from libtool.domain.mend import canonical, mend
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
