"""Fixtures of the features' tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.features.machine import Machine
from tests.features.sync_lab import Lab

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which nothing was indexed yet."""
    return Machine(tmp_path)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """A remote, and machines that sync with it."""
    return Lab(tmp_path)


@pytest.fixture(params=[False, True], ids=["git", "no-git"])
def without_git(request: pytest.FixtureRequest) -> bool:
    """Whether git is not to be found on PATH, so that dulwich alone has to do."""
    return bool(request.param)
