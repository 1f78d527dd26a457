"""Backups: whole, private, listed, and gone when purged."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any

import pytest

from libtool.storage.backups import Backups

if TYPE_CHECKING:
    from pathlib import Path

    from libtool.storage.backups import Backup

NOW = "2026-03-01T09:00:00Z"


@pytest.fixture
def backups(tmp_path: Path) -> Backups:
    return Backups(str(tmp_path / "data" / "backups"))


def keep(backups: Backups, content: bytes = b"secret") -> Backup:
    return backups.keep("/home/ada/x.jsonl", io.BytesIO(content), os.stat(__file__), NOW)


def test_kept_listed_dropped(backups: Backups) -> None:
    assert (backups.all(), backups.size(), backups.purge()) == ([], (0, 0), 0)
    one, two = keep(backups), keep(backups, b"more")
    assert backups.all() == [one, two]
    assert backups.size() == (2, 10)
    for name in os.listdir(backups.folder):
        assert os.stat(backups.file(name)).st_mode & 0o777 == 0o600
    assert os.stat(backups.folder).st_mode & 0o777 == 0o700
    backups.will_be(one.name, "ab", 3)
    backups.will_be("unknown", "ab", 3)
    assert backups.all() == [one._replace(after="ab", after_size=3), two]
    backups.drop(one.name)
    backups.drop(one.name)
    assert backups.all() == [two]
    assert backups.purge() == 1
    assert not os.path.exists(backups.folder)


def test_a_line_that_a_kill_cut(backups: Backups) -> None:
    one = keep(backups)
    with open(backups.file("index.jsonl"), "ab") as file:
        file.write(b'{"event": "aft')
    two = keep(backups)
    assert backups.all() == [one, two]


def test_a_copy_that_is_gone_is_no_backup(backups: Backups) -> None:
    os.unlink(backups.file(keep(backups).name))
    assert backups.all() == []


def test_room(backups: Backups) -> None:
    assert backups.has_room(1)
    assert not backups.has_room(1 << 62)


def test_a_backup_that_cannot_be_listed_is_none(backups: Backups, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(_self: object, _event: dict[str, Any]) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Backups, "_note", fails)
    with pytest.raises(OSError, match="space"):
        keep(backups)
    assert os.listdir(backups.folder) == []


def test_nothing_is_listed_where_the_folder_is_none(tmp_path: Path) -> None:
    (tmp_path / "backups").write_text("in the way")
    assert Backups(str(tmp_path / "backups")).all() == []
