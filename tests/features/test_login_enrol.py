from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from libtool.domain.redact import Redactor
from libtool.domain.redact.rule import expand
from libtool.errors import UsageError
from libtool.features import login_enrol
from tests.features.machine import SID

if TYPE_CHECKING:
    from tests.features.machine import Machine

KEY = bytes(range(32))
LOGIN = expand("{w3}{n3}{w4}-Q{u9}")


def test_a_login_may_be_enrolled_before_anything_is_indexed(machine: Machine) -> None:
    done = login_enrol.enrol(machine.config, LOGIN)
    assert done == login_enrol.Enrolled(done.fingerprint, new=True, changed=0, wiped=True, told=())
    machine.write(SID, [("I say", f"it is {LOGIN}, then")])
    machine.index()
    assert machine.texts(SID)[-1] == f"it is [REDACTED:own-{done.fingerprint}], then"
    assert LOGIN.encode() not in machine.bytes_of_all_files()


@pytest.mark.parametrize("text", ["", "a", "12345678", "dinosaur", "two words9", 'quo"te99', "x1" * 100, "[REDACTED:pw-0123456789ab]"])
def test_what_cannot_be_looked_for_is_refused_and_not_quoted(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        login_enrol.found_as(KEY, text)
    assert not text or len(text) < 2 or text not in f"{refused.value.message} {refused.value.hint}"


@given(st.text(st.characters(codec="ascii", categories=["L", "N", "P", "S"]), max_size=20))
def test_what_is_accepted_is_found_in_a_text(text: str) -> None:
    try:
        fingerprint = login_enrol.found_as(KEY, text)
    except UsageError:
        return
    redacted = Redactor(KEY, known={fingerprint}).redact_known(f"it was {text} then")
    assert text not in redacted.replace("REDACTED", "")
