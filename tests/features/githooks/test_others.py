from __future__ import annotations

import pytest

from libtool.features.githooks.others import asks_for_more
from libtool.features.init_files import CHECKS


@pytest.mark.parametrize(
    ("config", "more"),
    [
        (CHECKS, False),
        ("repos: []\n", False),
        ("repos:\n- repo: x\n  hooks:\n  - id: lib-index\n  - id: ruff\n", True),
        ("repos:\n- repo: x\n  hooks:\n  - name: n\n    id: 'black'\n", True),
        ("repos: [{repo: x, hooks: [{id: y}]}]\n", True),
    ],
)
def test_whether_there_are_checks_of_others(config: str, *, more: bool) -> None:
    assert asks_for_more(config.encode()) is more
