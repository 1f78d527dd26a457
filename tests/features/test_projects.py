from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.domain.project import Project
from libtool.features import projects
from libtool.features.projects import ProjectNames, read_small

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_cannot_be_read_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "HEAD").write_bytes(b"ref: \xff")
    os.mkfifo(tmp_path / "pipe")
    assert read_small(str(tmp_path / "HEAD")) == "ref: \ufffd"
    assert [read_small(str(tmp_path / name)) for name in ("", "pipe", "nothing", "HEAD/config", "a\0b")] == [None] * 5
    assert read_small("/proc/self/mem") is None
    monkeypatch.setattr(projects, "_LIMIT", 3)
    assert read_small(str(tmp_path / "HEAD")) == "ref"


def test_a_folder_is_looked_at_once(tmp_path: Path) -> None:
    (tmp_path / "kiln" / ".git").mkdir(parents=True)
    (tmp_path / "kiln" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    names = ProjectNames()
    project = names("", str(tmp_path / "kiln"))
    assert project == Project(f"local:{tmp_path}/kiln", "kiln")
    (tmp_path / "kiln" / ".git" / "HEAD").unlink()
    assert names("", str(tmp_path / "kiln")) is project
    assert names("ada/pottery", str(tmp_path / "kiln")) == Project("github.com/ada/pottery", "pottery")
