from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters.shapes import head_rows, utc


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
        (b'{"a":1}{"b":2}\n', [{"a": 1}]),
        (b'\x00\x00{"a":1}\n\n[1]\nnull\n{"b":', [{"a": 1}]),
        (b'{"a":"\xff"}\n', [{"a": "\ufffd"}]),
        (b"{" * 100_000, []),
        (b'{"a":' * 100_000, []),
        (b'{"a":1}\n' * 9, [{"a": 1}] * 4),
        (b"x\n" * 20 + b'{"a":1}\n', []),
    ],
)
def test_head_rows(head: bytes, wanted: list[dict[str, object]]) -> None:
    assert head_rows(head) == wanted
