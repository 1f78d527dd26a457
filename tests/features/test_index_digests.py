from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.features import digest, index, workers
from tests.features.machine import SID

if TYPE_CHECKING:
    from tests.features.machine import Machine


@pytest.mark.parametrize(("used", "seconds"), [(0.5, 1.0), (12.0, 1.0), (80.0, 2.0)])
def test_digests_are_given_a_share_of_the_time_that_all_processors_took(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, used: float, seconds: float
) -> None:
    given = []

    def catch_up(_: object, *, seconds: float) -> None:
        given.append(seconds)

    monkeypatch.setattr(index, "DIGEST_SECONDS", 1.0)
    monkeypatch.setattr(index, "_used", lambda: used)
    monkeypatch.setattr(workers, "available", lambda: 4)
    monkeypatch.setattr(digest, "catch_up", catch_up)
    machine.write(SID, [("hello", "there")])
    machine.index()
    assert given == [seconds]
