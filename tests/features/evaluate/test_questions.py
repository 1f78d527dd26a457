from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.errors import UsageError
from libtool.features.evaluate.questions import read

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\ufeff{"id": "k1", "question": " How hot? ", "queries": ["kiln heat", "cone"], "answer_any": ["1[0-9]{3} ?C"], "note": "any"}

{"question": "Why a gas kiln?", "kind": "negative"}
"""


def test_a_question_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(GOOD, encoding="utf-8")
    first, second = read(str(path))
    assert (first.id, first.text, first.queries, first.is_negative) == ("k1", "How hot?", ("kiln heat", "cone"), False)
    assert first.is_answered("at 1240c")
    assert not first.is_answered("hot")
    assert (second.id, second.queries, second.is_negative, second.is_answered("anything")) == ("3", ("Why a gas kiln?",), True, False)


def test_only_a_line_feed_ends_a_line(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    path.write_bytes('{"question": "before\u2028after", "kind": "negative"}\r\n'.encode())
    assert [one.text for one in read(str(path))] == ["before\u2028after"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "holds no question"),
        ("{", ":1: not JSON"),
        ("[]", ':1: no "question"'),
        ('{"question": 1}', 'no "question"'),
        ('{"question": " "}', 'no "question"'),
        ('{"question": "q", "queries": "a"}', '"queries" must be a list of texts'),
        ('{"question": "q", "queries": [" "]}', '"queries" must be a list of texts'),
        ('{"question": "q", "queries": ["a", "b", "c", "d"]}', "more than 3 queries"),
        ('{"question": "q"}', 'no "answer_any"'),
        ('{"question": "q", "answer_any": ["("]}', "no regular expression"),
        ('{"question": "q", "answer_any": ["x*"]}', "matches every text"),
        ('{"question": "q", "answer_any": ["x"], "kind": "negative"}', '"answer_any" of a question whose "kind" is "negative"'),
        ('{"id": {}, "question": "q", "kind": "negative"}', '"id" must be a text'),
        ('{"id": " ", "question": "q", "kind": "negative"}', '"id" must be a text'),
        ('{"id": 2, "question": "q", "kind": "negative"}\n{"question": "r", "kind": "negative"}', "two questions are called 2"),
        ("[" * 100_000, ":1: not JSON"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "q.jsonl"
    path.write_text(line, encoding="utf-8")
    with pytest.raises(UsageError) as failed:
        read(str(path))
    assert message in failed.value.message


def test_a_file_that_cannot_be_read_is_a_wrong_argument(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        read(str(tmp_path / "none"))
    (tmp_path / "q").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not UTF-8"):
        read(str(tmp_path / "q"))
