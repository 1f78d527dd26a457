from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from libtool.domain.redact.rule import expand
from libtool.errors import LibError, NotIndexed, UsageError
from libtool.features import login_enrol, login_review
from tests.features.machine import OTHER, SID, Machine

if TYPE_CHECKING:
    from libtool.features.login_review import Candidate

LONG, MIXED = expand("Q{n1}{a30}"), expand("K{n2}{w3}Q!{w3}{n2}")


@pytest.fixture
def unsure(machine: Machine) -> Machine:
    """A machine with two texts that may be logins."""
    machine.write(SID, [("how?", f"the kiln wants {LONG}"), ("and?", f"again {LONG}")])
    machine.write(OTHER, [("how?", f"def login_of(kiln): return keys({MIXED})")], first=700)
    machine.index()
    return machine


def candidates(machine: Machine) -> list[Candidate]:
    return login_review.review(machine.config)


def test_candidates_are_told_by_shape_and_place(unsure: Machine) -> None:
    found = candidates(unsure)
    assert [(one.near, one.ref, one.times) for one in found] == [
        (True, f"claude-code:{OTHER[-8:]}#1", 1),
        (False, f"claude-code:{SID[-8:]}#1", 2),
    ]
    assert found[1].shape == "20 to 39 characters, upper and lower case, digits"
    assert LONG not in repr(found)
    assert MIXED not in repr(found)


def test_without_a_store_there_is_nothing_to_decide(machine: Machine) -> None:
    with pytest.raises(NotIndexed):
        login_review.review(machine.config)


def test_a_number_of_them_is_gathered_at_most(unsure: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(login_review, "MOST", 1)
    monkeypatch.setattr(login_review, "_PAGE", 1)
    assert len(candidates(unsure)) == 1


def test_what_was_decided_is_not_listed_again(unsure: Machine) -> None:
    mixed, long = candidates(unsure)
    fingerprint, value = login_review.value_of(unsure.config, mixed.fingerprint[:8])
    assert (fingerprint, value) == (mixed.fingerprint, MIXED)
    login_review.dismiss(unsure.config, fingerprint)
    assert candidates(unsure) == [long]
    login_enrol.enrol(unsure.config, login_review.value_of(unsure.config, long.fingerprint)[1])
    assert candidates(unsure) == []
    assert LONG.encode() not in unsure.bytes_of_all_files()
    with pytest.raises(LibError, match="to be decided"):
        login_review.value_of(unsure.config, mixed.fingerprint)


def test_an_ambiguous_one_lists_the_candidates(unsure: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    found = candidates(unsure)
    monkeypatch.setattr(login_review, "prefix", lambda _text: "")
    with pytest.raises(UsageError, match="one of several") as refused:
        login_review.value_of(unsure.config, "")
    assert all(one.fingerprint in refused.value.hint for one in found)
