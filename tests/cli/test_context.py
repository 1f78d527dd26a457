from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.cli.context import Context
from libtool.cli.output import standard
from libtool.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def test_the_configuration_is_loaded_when_asked_for_and_once(home: Path) -> None:
    path = home / "lib.toml"
    path.write_text("wrong = 1")
    environ = {"LIB_CONFIG": str(path)}
    context = Context(environ, str(home), standard(environ))
    with pytest.raises(UsageError):
        _ = context.config
    path.write_text('machine = "desk"')
    first = context.config
    path.write_text('machine = "other"')
    assert context.config is first
    assert first.machine == "desk"
