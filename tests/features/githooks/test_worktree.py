from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from libtool.features.githooks import worktree

if TYPE_CHECKING:
    from pathlib import Path


def test_only_plain_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "link").symlink_to("a")
    os.mkfifo(tmp_path / "pipe")
    assert worktree.read(str(tmp_path / "a")) == b"one"
    assert [worktree.read(str(tmp_path / name)) for name in ("link", "none", "pipe", ".")] == [None] * 4


def test_what_is_there_by_now_stays(tmp_path: Path) -> None:
    path = str(tmp_path / "a")
    assert worktree.replace(path, None, b"one")
    assert not worktree.replace(path, None, b"two")
    assert not worktree.replace(path, b"other", b"two")
    assert worktree.replace(path, b"one", b"two")
    assert not worktree.replace(str(tmp_path / "none"), b"one", b"two")
    assert worktree.read(path) == b"two"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize(("content", "after"), [(b"a\nb\n", b"a\nB\n"), (b"a\r\nb\r\n", b"a\r\nB\r\n"), (b"a\r\nb\n", b"a\r\nB\n")])
def test_line_ends_stay_what_they_are(tmp_path: Path, content: bytes, after: bytes) -> None:
    path = tmp_path / "a"
    path.write_bytes(content)
    assert worktree.change(str(path), lambda text: text.replace(b"b", b"B"))
    assert path.read_bytes() == after
    assert worktree.change(str(path), lambda text: text)
    assert not worktree.change(str(tmp_path / "none"), lambda text: text)
