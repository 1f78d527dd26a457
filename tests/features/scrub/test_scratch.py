"""The folder for copies: private, gone at the end, and cleaned of what killed runs left."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.features.scrub import scratch

if TYPE_CHECKING:
    from pathlib import Path


def test_a_killed_run_leaves_nothing_for_long(tmp_path: Path) -> None:
    for name in ("scrub-4194310-abc", f"scrub-{os.getppid()}-abc", "scrub-not"):
        (tmp_path / name).mkdir()
    with scratch.folder(str(tmp_path)) as path:
        assert os.stat(path).st_mode & 0o777 == 0o700
        assert sorted(os.listdir(tmp_path)) == sorted([f"scrub-{os.getppid()}-abc", "scrub-not", os.path.basename(path)])
    assert not os.path.exists(path)
