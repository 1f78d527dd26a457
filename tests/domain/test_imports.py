"""What a cold `lib search` loads of the domain must load nothing that costs milliseconds."""

from __future__ import annotations

import os
import subprocess
import sys

import libtool

HOT = ("body", "dates", "fts", "porter", "query", "rank", "ref")
SLOW = {"typing", "dataclasses", "inspect", "pathlib", "json", "hashlib", "sqlite3", "datetime"}
SHOW = "import sys; sys.path.insert(0, {root!r}); import {names}; print('\\n'.join(sys.modules))"


def test_the_search_path_loads_nothing_slow() -> None:
    root = os.path.dirname(os.path.dirname(libtool.__file__))
    code = SHOW.format(root=root, names=", ".join(f"libtool.domain.{name}" for name in HOT))
    # Without site, which may load some of them itself and hide that we do.
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "libtool.domain.rank" in loaded
    assert not loaded & SLOW
