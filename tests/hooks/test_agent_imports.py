"""What may be loaded while an agent waits."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.features.machine import SID
from tests.test_import_budget import SLOW, imported_by

if TYPE_CHECKING:
    from pathlib import Path

OURS = ("libtool.features", "libtool.adapters", "libtool.storage", "libtool.cli.parser", "libtool.domain.redact")


def test_an_event_with_nothing_to_do_loads_next_to_nothing(home: Path) -> None:
    loaded = imported_by(home, "hook", "claude-code", "PreToolUse", json.dumps({"session_id": SID}))
    assert loaded & (SLOW | {"argparse", "sqlite3", "subprocess", "logging"}) == set()
    assert not any(name.startswith(OURS) for name in loaded)


def test_a_turn_loads_only_what_tells_who_called(home: Path) -> None:
    loaded = imported_by(home, "hook", "claude-code", "Stop", json.dumps({"session_id": SID}))
    assert loaded & (SLOW | {"argparse", "sqlite3", "subprocess", "logging"}) == set()
    assert {name for name in loaded if name.startswith(OURS)} == {
        "libtool.storage",
        "libtool.storage.attempts",
        "libtool.storage.files",
        "libtool.storage.processes",
    }
