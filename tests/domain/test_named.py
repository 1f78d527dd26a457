from __future__ import annotations

import copy
import pickle
import typing

import pytest

from libtool.domain.named import NamedTuple


class Place(NamedTuple):
    """A place."""

    name: str
    line: int = 0
    """From 1."""

    @property
    def shown(self) -> str:
        return f"{self.name}:{self.line}"


class Typed(typing.NamedTuple):
    name: str
    line: int = 0


def test_it_is_what_typing_makes() -> None:
    one = Place("a")
    assert (one, one.shown, one._replace(line=3).shown) == (("a", 0), "a:0", "a:3")
    assert repr(Place("a", 2)) == "Place(name='a', line=2)"
    assert (Place._fields, Place._field_defaults, Place.__doc__) == (Typed._fields, Typed._field_defaults, "A place.")
    assert Place.__module__ == __name__
    with pytest.raises(TypeError):
        Place()  # type: ignore[call-arg]


def test_it_can_be_carried_to_another_process() -> None:
    assert copy.deepcopy(Place("a", 1)) == copy.copy(Place("a", 1)) == ("a", 1)
    assert type(pickle.loads(pickle.dumps(Place("a")))) is Place  # noqa: S301 - our own
