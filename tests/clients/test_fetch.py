from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tests.clients import fetch

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

PACKAGE = "@acme/agent@1.0.0"


def test_without_npm_the_reason_is_said_and_nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert fetch.fetch([PACKAGE], str(tmp_path), 60) == {
        PACKAGE: f"{PACKAGE} cannot be fetched: npm does not start (No such file or directory)"
    }
    assert os.listdir(tmp_path) == []
    assert fetch.needed([PACKAGE]) == [PACKAGE, fetch.NODE]


def test_what_is_there_is_not_fetched_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    os.makedirs(fetch.programs(PACKAGE, str(tmp_path)))
    assert fetch.fetch([PACKAGE], str(tmp_path), 60) == {}
