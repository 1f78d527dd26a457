"""The tolerant line reader: what it gives, what it counts, where the next run goes on."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters import lines
from libtool.adapters.base import Source
from libtool.adapters.lines import json_rows, raw_lines

if TYPE_CHECKING:
    from pathlib import Path

NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
ROWS = st.lists(st.dictionaries(NAMES, VALUES, max_size=4), max_size=6)


def source(data: bytes, start: int = 0) -> Source:
    file = io.BytesIO(data)
    file.seek(start)
    return Source("x", file, len(data), start, start)


def rows(data: bytes) -> list[dict[str, Any]]:
    return [row for _, row in json_rows(source(data))]


def text(values: list[dict[str, Any]], end: str = "\n") -> bytes:
    return "".join(json.dumps(value, ensure_ascii=False) + end for value in values).encode()


@given(ROWS)
def test_rows_come_back(values: list[dict[str, Any]]) -> None:
    opened = source(text(values))
    assert [row for _, row in json_rows(opened)] == values
    assert opened.offset == opened.size


@given(ROWS)
def test_glued_rows_come_back(values: list[dict[str, Any]]) -> None:
    assert rows(text(values, " ").strip() + b"\n") == values


@given(ROWS, st.data())
def test_two_runs_give_what_one_gives(values: list[dict[str, Any]], data: st.DataObject) -> None:
    whole = text(values)
    cut = data.draw(st.integers(0, len(whole)))
    first = source(whole[:cut])
    found = [row for _, row in json_rows(first)]
    found += [row for _, row in json_rows(source(whole, first.offset))]
    assert found == values
    assert first.tally.damaged == 0


@given(st.binary(max_size=400))
def test_any_bytes_are_survived(data: bytes) -> None:
    opened = source(data)
    for _, row in json_rows(opened):
        json.dumps(row, ensure_ascii=False).encode()
    assert opened.offset <= opened.size


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xef\xbb\xbf" + b'{"a":1}\n', [{"a": 1}]),
        (b'{"a":1}\r\n\r\n{"b":2}\r\n', [{"a": 1}, {"b": 2}]),
        (b'\x00\x00{"a":1}\n', [{"a": 1}]),
        (b'{"a":"\xff"}\n', [{"a": "\ufffd"}]),
        (b'{"a":1} [2] {"b":3}\n', [{"a": 1}, {"b": 3}]),
        (b'{"a":1}', [{"a": 1}]),
        (b"[1]\n12\n", []),
        (b"", []),
    ],
)
def test_odd_lines(data: bytes, expected: list[dict[str, Any]]) -> None:
    opened = source(data)
    assert [row for _, row in json_rows(opened)] == expected
    assert opened.tally.damaged == 0
    assert opened.offset == len(data)


def test_a_lone_surrogate_does_not_reach_the_caller() -> None:
    (row,) = rows(b'{"a":"\\ud83d","b":"\\ud83d\\ude00"}\n')
    assert "\ud83d" not in row["a"]
    assert row["b"] == "\N{GRINNING FACE}"


def test_damage_is_counted_and_what_stands_before_it_is_kept() -> None:
    opened = source(b'{"a":1}{"b":\n' + b"[" * 100_000 + b"\n" + b'{"c":3}\n')
    assert [row for _, row in json_rows(opened)] == [{"a": 1}, {"c": 3}]
    assert opened.tally.damaged == 2


@pytest.mark.parametrize(
    "cut",
    [
        b'{"a":"hel',
        b'{"a":{"type":"x"},"b":[{"c":1},',
        b'{"x":1}{"a":"b',
        b"not json ",
        b'{"a":' * 300,
        b'{"a":[] "' * 500,
        b'{"a":"\\ud83d',
    ],
)
def test_a_whole_row_behind_one_that_was_cut_is_kept(cut: bytes) -> None:
    opened = source(cut + b'{"w":{"in":1},"s":"\\ud83d"} {"v":2}\n{"last":3}\n')
    before = [{"x": 1}] if cut.startswith(b'{"x"') else []
    assert [row for _, row in json_rows(opened)] == [*before, {"w": {"in": 1}, "s": "?"}, {"v": 2}, {"last": 3}]
    assert (opened.tally.damaged, opened.offset) == (1, opened.size)


def test_looking_for_glued_rows_is_bounded() -> None:
    for line in (
        b'{"a":1,' * 400_000,
        b'{"a":"' + b"x" * 3000 + b'","b":{"c' * 4000,
        b'{"k": [' * 300_000 + b"}" * 99,
        b'{"a":' * 300 + b"[" + b"1," * 50_000,
    ):
        opened = source(line + b"\n" + b'{"last":3}\n')
        assert [row for _, row in json_rows(opened)] == [{"last": 3}]
        assert opened.tally.damaged == 1


@pytest.mark.parametrize("tail", [b'{"b":', b"12", b'{"b":1}{"c'])
def test_a_cut_last_line_is_left_for_the_next_run(tail: bytes) -> None:
    opened = source(b'{"a":1}\n' + tail)
    list(json_rows(opened))
    assert opened.offset == 8
    assert opened.tally.damaged == 0


def test_skip_and_load_see_whole_lines_only() -> None:
    seen: list[bytes] = []

    def skip(line: bytes) -> bool:
        seen.append(line)
        return line.startswith(b'{"s"')

    opened = source(b'{"s":1}\n{"a":1}\n{"s":2')
    assert [row for _, row in json_rows(opened, skip, lambda line: orjson.loads(line) | {"loaded": True})] == [{"a": 1, "loaded": True}]
    assert seen == [b'{"s":1}\n', b'{"a":1}\n']
    assert opened.offset == 16


def test_offsets_are_those_of_the_lines() -> None:
    assert list(raw_lines(source(b"a\n\n \nbc\n"))) == [(0, b"a\n"), (5, b"bc\n")]


@pytest.mark.parametrize("end", [b"", b"\n", b"\nend\n"])
def test_a_line_over_the_limit_is_skipped_and_counted(monkeypatch: pytest.MonkeyPatch, end: bytes) -> None:
    monkeypatch.setattr(lines, "MAX_LINE", 16)
    opened = source(b"head\n" + b"x" * (3 << 20) + end)
    assert [line for _, line in raw_lines(opened)] == [b"head\n", b"end\n"][: 1 + end.count(b"end")]
    assert opened.tally.oversize == 1
    assert opened.offset == opened.size


def test_opening(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b'{"a":1}\n{"b":2}\n')
    opened = Source.open(str(path), start=8, home="/h")
    with opened.file:
        assert [row for _, row in json_rows(opened)] == [{"b": 2}]
    assert (opened.size, opened.start, opened.offset, opened.home) == (16, 8, 16, "/h")
    with pytest.raises(IsADirectoryError):
        Source.open(str(tmp_path))
