from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.shapes import head_rows, outline, utc


@pytest.mark.parametrize(
    ("given_time", "wanted"),
    [
        ("2026-05-04T09:00:01.250Z", "2026-05-04T09:00:01.250Z"),
        ("2026-05-04T09:00:01Z", "2026-05-04T09:00:01Z"),
        ("2026-05-04T11:00:01.250+02:00", "2026-05-04T09:00:01.250000Z"),
        ("20260504T090001Z", "2026-05-04T09:00:01Z"),
        ("2026-05-04T09:00:01", ""),
        ("0001-01-01T00:00:00+05:00", ""),
        ("yesterday", ""),
        ("2" * 100, ""),
        (1777885201000, ""),
        (None, ""),
        ([], ""),
    ],
)
def test_times(given_time: object, wanted: str) -> None:
    assert utc(given_time) == wanted


@given(st.datetimes(timezones=st.timezones()))
def test_any_time_with_a_zone_becomes_utc_or_nothing(moment: object) -> None:
    assert re.fullmatch(r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", utc(str(moment).replace(" ", "T")))


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (b"", []),
        (b'\xef\xbb\xbf{"a":1}\r\n{"b":2}\n', [{"a": 1}, {"b": 2}]),
        (b'{"a":1}{"b":2}\n', [{"a": 1}, {"b": 2}]),
        (b'{"a":"cut{"b":2}\n', [{"b": 2}]),
        (b'\x00\x00{"a":1}\n\n[1]\n[{}]\nnull\n{"b":', [{"a": 1}]),
        (b'{"a":"\xff"}\n', [{"a": "\ufffd"}]),
        (b'{"a":"\\ud800"}\n', [{"a": "?"}]),
        (b"{" * 100_000, []),
        (b'{"a":' * 100_000, []),
        (b'{"a":1}\n' * 9, [{"a": 1}] * 9),
        (b"x\n" * 400 + b'{"a":1}\n', [{"a": 1}]),
        (b"\x00" * 70_000 + b"\n" * 70_000 + b'{"a":1}', [{"a": 1}]),
    ],
)
def test_head_rows(head: bytes, wanted: list[dict[str, object]]) -> None:
    assert list(head_rows(head)) == wanted


def test_an_outline_has_the_rows_without_their_long_texts() -> None:
    rows: list[dict[str, object]] = [
        {"type": "user", "text": 'log "quoted" \\ line\n' * 9000, "n": list(range(500))},
        {"plain": "x" * 5000, "short": "x" * 900, "escaped": '"' * 60},
        {"many": list(range(300_000))},
        {"last": "words"},
    ]
    made = outline("\n".join(json.dumps(row) for row in rows).encode())
    assert list(head_rows(made)) == [rows[0] | {"text": ""}, rows[1] | {"plain": ""}, rows[3]]


@given(st.dictionaries(st.text(max_size=5), st.text(max_size=30) | st.integers() | st.lists(st.text(max_size=9)), max_size=4))
def test_an_outline_of_short_rows_is_the_same(row: dict[str, object]) -> None:
    line = json.dumps(row).encode()
    assert outline(line) == line
