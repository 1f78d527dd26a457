from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool import config
from libtool.storage import logins
from libtool.storage.store import Store

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def settings(tmp_path: Path) -> config.Config:
    (tmp_path / "data").mkdir()
    return config.load({"LIB_DATA_DIR": str(tmp_path / "data")}, str(tmp_path))


def test_without_a_store_nothing_is_known(settings: config.Config) -> None:
    assert logins.known(settings) == set()


def test_logins_that_spread_are_known(settings: config.Config) -> None:
    store = Store(settings.store_db)
    store.begin()
    store.save_logins([("0123456789ab", "pw", 1, ""), ("ba9876543210", "pw", 0, "")])
    store.commit()
    store.close()
    assert logins.known(settings) == {"0123456789ab"}


def test_a_store_of_another_shape_stops_nothing(settings: config.Config) -> None:
    store = Store(settings.store_db)
    store.db.execute("DROP TABLE login")
    store.close()
    assert logins.known(settings) == set()


def test_a_damaged_store_stops_nothing(settings: config.Config) -> None:
    with open(settings.store_db, "wb") as file:
        file.write(b"no database" * 1000)
    assert logins.known(settings) == set()
