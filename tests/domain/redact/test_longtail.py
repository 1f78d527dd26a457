"""The second pass: with the real scanner where it is installed, and without."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from libtool.domain.redact import Redactor, longtail
from libtool.domain.redact.rule import expand

if TYPE_CHECKING:
    from pathlib import Path

KEY = bytes(range(32))
TOKEN = expand("tail{a36}")


def scanner(confidence: str = "high", *, visible: bool = True) -> longtail.LongTail:
    """A pass that takes one made-up token, as bytes."""

    def scan(data: bytes) -> list[Any]:
        at = data.find(TOKEN.encode())
        place = {"start_offset": at, "end_offset": at + len(TOKEN)}
        return [SimpleNamespace(visible=visible, confidence=confidence, secret=TOKEN, location=place)] if at >= 0 else []

    return longtail.LongTail(scan)


def test_spans_are_in_code_points() -> None:
    text = f"gr\u00f6\u00dfe \U0001f600 \ud800 {TOKEN} end"
    assert scanner().spans(text) == [(text.index(TOKEN), text.index(TOKEN) + len(TOKEN))]
    assert scanner().spans("nothing") == []


def test_what_is_not_sure_is_left() -> None:
    assert scanner("low").spans(TOKEN) == []
    assert scanner(visible=False).spans(TOKEN) == []


def test_a_redactor_asks_it_too_one_by_one_and_many_at_once() -> None:
    text = f"and {TOKEN}, you see"
    assert Redactor(KEY).redact(text) == text
    out = Redactor(KEY, second=scanner().spans).redact(text)
    assert out.startswith("and [REDACTED:token-")
    assert Redactor(KEY, second=scanner().spans).redact(out) == out
    assert Redactor(KEY, second=scanner().spans).redact_all(["x", text]) == ["x", out]


def test_without_the_package_there_is_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "kingfisher_sdk", None)
    assert longtail.load(str(tmp_path)) is None


def test_with_the_package_a_token_that_we_do_not_know_is_found(tmp_path: Path) -> None:
    pytest.importorskip("kingfisher_sdk")
    second = longtail.load(str(tmp_path))
    assert second is not None
    token = expand("gh" + "p_{a36}")
    text = f"gr\u00f6\u00dfe {token}\n"
    assert (6, 6 + len(token)) in second.spans(text)


def test_the_package_is_asked_without_decoding_and_with_its_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked: list[object] = []

    def rules(**options: object) -> str:
        asked.append(options)
        return "rules"

    def make(given: str, **options: object) -> SimpleNamespace:
        asked.append((given, options))
        return SimpleNamespace(scan=lambda _data: [])

    monkeypatch.setitem(sys.modules, "kingfisher_sdk", SimpleNamespace(Rules=rules, Scanner=make))
    second = longtail.load(str(tmp_path))
    assert second is not None
    assert second.spans("x") == []
    assert asked == [{"cache_dir": str(tmp_path)}, ("rules", {"base64": False})]
