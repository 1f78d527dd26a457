from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.githooks import reindex

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_one_process_does_the_work_for_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindex, "SETTLE_SECONDS", 0.0)
    import filelock

    mark = tmp_path / reindex.MARK
    asked = []

    def work() -> None:
        asked.append(not mark.exists())
        if len(asked) == 1:
            mark.touch()

    assert reindex.run(str(tmp_path), work) == 0
    mark.touch()
    assert reindex.run(str(tmp_path), work) == 2
    assert asked == [True, True]
    assert not mark.exists()
    mark.touch()
    with filelock.FileLock(str(tmp_path / reindex.LOCK)):
        assert reindex.run(str(tmp_path), work) == 0
    assert mark.exists()


def test_a_process_is_started_unless_one_is_about_to_begin(tmp_path: Path, home: Path) -> None:
    environ = {"HOME": str(home), "PATH": os.defpath}
    mark = tmp_path / reindex.MARK
    assert reindex.ask(str(tmp_path), environ)
    assert not reindex.ask(str(tmp_path), environ)
    os.utime(mark, (0, 0))
    assert reindex.ask(str(tmp_path), environ)
    assert reindex.ask(str(tmp_path / "none"), environ)
