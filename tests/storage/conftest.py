"""Our two databases, empty and open for writing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.storage.search_build import SearchBuild
from libtool.storage.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(str(tmp_path / "store.db")) as made:
        yield made


@pytest.fixture
def search(tmp_path: Path) -> Iterator[SearchBuild]:
    with SearchBuild(str(tmp_path / "search.db")) as made:
        yield made
