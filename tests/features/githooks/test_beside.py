from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.features.githooks import beside

if TYPE_CHECKING:
    from collections.abc import Callable

    from libtool.features.githooks.cleaning import Looks


def looks() -> Looks:
    return lambda data: [(1, "key", "0" * 12)] if b"key" in data else []


def test_only_what_is_clean_is_said_to_be() -> None:
    other = beside.Beside(looks)
    big = b"word " * 100_000
    other.give([b"", b"a key", big])
    assert [other.is_clean(one) for one in (b"a key", b"", big, b"not given")] == [False, True, True, False]


def test_a_second_process_that_dies_has_said_nothing() -> None:
    other = beside.Beside(lambda: os._exit(1))
    other.give([b"word " * 100_000])
    assert not other.is_clean(b"word " * 100_000)


def served(texts: bytes, looks: Callable[[], Looks]) -> bytes:
    (given, give), (take, answers) = os.pipe(), os.pipe()
    os.write(give, texts)
    os.close(give)
    beside.serve(given, answers, looks)
    os.close(answers)
    with open(take, "rb") as file:
        said = file.read()
    os.close(given)
    return said


def test_the_second_process_from_inside() -> None:
    assert served((3).to_bytes(8) + b"key" + (4).to_bytes(8) + b"word", looks) == b"nc"

    def broken() -> Looks:
        raise ValueError

    assert served(b"", broken) == b""


def test_the_second_process_keeps_no_pipe_of_git_s(monkeypatch: pytest.MonkeyPatch) -> None:
    class Over(BaseException):
        pass

    def leave(code: int) -> None:
        raise Over(code)

    served_with: list[tuple[int, int]] = []
    closed: list[int] = []
    monkeypatch.setattr(os, "fork", lambda: 0)
    monkeypatch.setattr(os, "_exit", leave)
    monkeypatch.setattr(os, "close", closed.append)
    monkeypatch.setattr(beside, "serve", lambda given, answers, _looks: served_with.append((given, answers)))
    with pytest.raises(Over):
        beside.Beside(looks)
    assert not set(served_with[0]) & set(closed)
    assert set(range(3, 256)) == {*closed, *served_with[0]}
