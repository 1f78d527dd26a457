"""Fixtures of the features' tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.features.machine import Machine

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine on which nothing was indexed yet."""
    return Machine(tmp_path)
