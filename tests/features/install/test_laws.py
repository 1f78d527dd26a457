"""What `lib install` does to any text of settings, `lib install --uninstall` undoes byte for byte."""

from __future__ import annotations

import os
import tempfile

from hypothesis import given, settings
from hypothesis import strategies as st

from libtool.config import load
from libtool.features.install.work import Wanted, install, uninstall
from tests.features.install.test_json_hooks import SPACE, texts
from tests.features.install.test_toml_keys import TEXTS

MARKS = st.sampled_from(["", "\N{ZERO WIDTH NO-BREAK SPACE}"])
ANY = st.text(max_size=30).filter(lambda text: not any("\ud800" <= sign <= "\udfff" for sign in text))
OF_JSON = st.builds("".join, st.tuples(MARKS, SPACE, texts(), SPACE)) | ANY
FILES = {".claude/settings.json": "claude-code", ".codex/config.toml": "codex", ".cursor/hooks.json": "cursor"}


@settings(max_examples=30, deadline=None)
@given(OF_JSON, st.builds(str.__add__, MARKS, TEXTS) | ANY, st.booleans())
def test_uninstall_gives_the_old_bytes_back(json: str, toml: str, again: bool) -> None:
    with tempfile.TemporaryDirectory() as home:
        config = load({}, home)
        before = {name: (toml if name.endswith("toml") else json).encode() for name in FILES}
        for name, text in before.items():
            os.makedirs(os.path.dirname(os.path.join(home, name)), exist_ok=True)
            with open(os.path.join(home, name), "wb") as file:
                file.write(text)
        refused = {problem.path for problem in install(config, {}, Wanted(tuple(FILES.values()))).problems}
        between = {name: _read(home, name) for name in FILES}
        for name in FILES:
            path = os.path.join(home, name)
            assert path not in refused or between[name] == before[name]
        if again:
            install(config, {}, Wanted(tuple(FILES.values())))
            assert {name: _read(home, name) for name in FILES} == between
        uninstall(config, {}, Wanted())
        assert {name: _read(home, name) for name in FILES} == before


def _read(home: str, name: str) -> bytes:
    with open(os.path.join(home, name), "rb") as file:
        return file.read()
