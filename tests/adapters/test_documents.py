from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.adapters import documents
from libtool.adapters.base import Source, Tally
from libtool.adapters.documents import (
    LAST_SECOND,
    dict_of,
    dicts_of,
    file_id,
    from_millis,
    parse_document,
    read_document,
    read_text,
    text_of,
    type_name,
    without_surrogates,
)

if TYPE_CHECKING:
    from pathlib import Path

values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(value=values)
def test_a_document_is_read_as_it_was_written(value: Any) -> None:
    tally = Tally()
    clean = json.loads(json.dumps(value).encode())
    assert parse_document(json.dumps(clean, ensure_ascii=False).encode(), tally) == clean
    assert tally.damaged == 0


@pytest.mark.parametrize(
    ("data", "value", "damaged"),
    [
        (b"\xef\xbb\xbf[1]", [1], 0),
        (b"[1]\x00\x00", [1], 0),
        (b'{"a": 1} and text behind', {"a": 1}, 0),
        (b'["\\ud83d x"]', ["? x"], 0),
        (b"", None, 0),
        (b"[1, 2", None, 1),
        (b"[" * 100_000, None, 1),
        (b'["\xff"]', ["\ufffd"], 0),
    ],
)
def test_odd_documents(data: bytes, value: object, damaged: int) -> None:
    tally = Tally()
    assert parse_document(data, tally) == value
    assert tally.damaged == damaged


@given(text=st.text(st.characters(codec=None)))
def test_text_without_surrogates_can_be_stored(text: str) -> None:
    clean = text_of(without_surrogates(text))
    assert len(clean) == len(text)
    clean.encode("utf-8")


@given(millis=st.integers(1, LAST_SECOND * 1000))
def test_times_sort_as_their_numbers(millis: int) -> None:
    assert from_millis(millis) <= from_millis(min(millis + 1, LAST_SECOND * 1000))
    assert from_millis(millis)[-4:-1] == f"{millis % 1000:03}"


def test_times() -> None:
    assert from_millis(1_790_000_000_123) == "2026-09-21T14:13:20.123Z"
    assert [from_millis(value) for value in (0, -5, True, None, "1", LAST_SECOND * 1000 + 1, float("nan"), float("inf"))] == [""] * 8
    assert from_millis(1_790_000_000_123.75) == "2026-09-21T14:13:20.123Z"


def test_foreign_values() -> None:
    assert (text_of(1), text_of("x")) == ("", "x")
    assert (dict_of([]), dict_of({"a": 1})) == ({}, {"a": 1})
    assert (dicts_of({"a": 1}), dicts_of([1, {"a": 1}, None])) == ([], [{"a": 1}])
    assert (type_name("x\n" * 100), type_name(None), type_name(["x"])) == ("x" * 30, "(NoneType)", "(list)")


def test_a_file_too_large_is_counted_and_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b"[1, 2, 3]")
    monkeypatch.setattr(documents, "MAX_DOCUMENT", 4)
    for read in (read_document, read_text):
        source = Source.open(str(path))
        with source.file:
            assert not read(source)
        assert (source.tally.oversize, source.offset) == (1, 9)


def test_text_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "x.md"
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\x00\xff\n")
    source = Source.open(str(path))
    with source.file:
        assert read_text(source) == "a\nb\ufffd\n"
    assert source.offset == source.size


def test_an_id_comes_from_the_name_alone() -> None:
    assert file_id("/a/x.md") == file_id("/b/x.md") != file_id("/a/y.md")
    assert file_id("x.md").startswith("file-")
    assert len(file_id("x\udcff.md")) == 21
