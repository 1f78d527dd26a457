"""Three machines and a remote, in random order and with kills: a short run. tests/compat/three_machines.py has the long one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.compat.three_machines import World

if TYPE_CHECKING:
    from pathlib import Path

STEPS = 25


@pytest.mark.parametrize("seed", [7, 8])
def test_three_machines_end_as_one_and_lose_nothing(tmp_path: Path, seed: int) -> None:
    world = World(tmp_path, seed)
    for _ in range(STEPS):
        world.step()
    world.finish()
    assert world.held - world.freed
