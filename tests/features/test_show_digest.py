from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.domain.ref import parse
from libtool.errors import LibError
from libtool.features import show_digest
from libtool.features.show import UnknownSessionError
from tests.features.machine import SID
from tests.features.test_digest import TURNS

if TYPE_CHECKING:
    from tests.features.machine import Machine


def test_a_digest_is_that_of_the_store_under_its_ref(machine: Machine) -> None:
    machine.write(SID, TURNS)
    machine.index()
    found = show_digest.of_ref(machine.config, parse(f"claude-code:{SID}"))
    assert (found.ref, found.agent, found.session) == (f"digest:claude-code:{SID[-8:]}", "claude-code", SID)
    assert found.digest.title in found.text
    assert show_digest.of_ref(machine.config, parse(found.ref)) == found


def test_what_has_none_is_said(machine: Machine) -> None:
    machine.write(SID, [("ok", "ok")])
    machine.index()
    with pytest.raises(LibError, match="holds nothing that a digest could tell"):
        show_digest.of_ref(machine.config, parse(f"claude-code:{SID}"))
    with pytest.raises(UnknownSessionError):
        show_digest.of_ref(machine.config, parse("claude-code:unknown-session"))
