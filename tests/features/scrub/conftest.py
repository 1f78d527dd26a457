"""Fixtures of the scrub's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.features.machine import Machine
from tests.features.scrub.opencode_database import fill
from tests.features.scrub.staged import age

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine whose agents' own places alone are looked at."""
    return Machine(tmp_path / "machine", "roots = []\n")


@pytest.fixture
def database(machine: Machine) -> Path:
    """OpenCode's database, not in use since long."""
    path = machine.home / ".local/share/opencode/opencode.db"
    path.parent.mkdir(parents=True)
    fill(path).close()
    age(machine.home)
    return path
