"""The settings that real clients were run with."""

from __future__ import annotations

from pathlib import Path

import pytest

from libtool.config import load
from libtool.features.install.work import Wanted, install, uninstall

SHARED = Path(__file__).parents[4] / "shared" / "samples" / "clients"
FILES = {
    "claude-code": {".claude/settings.json": "claude-code/print/settings.json"},
    "codex": {".codex/config.toml": "codex/config.toml", ".codex/hooks.json": "codex/hooks.json"},
    "qwen-code": {".qwen/settings.json": "qwen-code/settings.json"},
}


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="no sample data here")
@pytest.mark.parametrize("agent", FILES)
def test_they_are_given_back_byte_for_byte(home: Path, agent: str) -> None:
    before = {home / place: (SHARED / sample).read_bytes() for place, sample in FILES[agent].items()}
    for path, content in before.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    config = load({}, str(home))
    assert install(config, {}, Wanted()).problems == ()
    assert any(path.read_bytes() != content for path, content in before.items())
    assert install(config, {}, Wanted()).changes == ()
    uninstall(config, {}, Wanted())
    assert {path: path.read_bytes() for path in before} == before
