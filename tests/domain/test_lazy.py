from __future__ import annotations

import re

import pytest

from libtool.domain.lazy import lazy


def test_a_lazy_pattern_does_what_a_pattern_does() -> None:
    pattern = lazy("A", re.IGNORECASE)
    assert pattern.findall("aAb") == ["a", "A"]
    assert pattern.match("b") is None
    assert lazy("a").pattern == "a"


def test_it_is_compiled_when_it_is_first_used() -> None:
    broken = lazy("(")
    with pytest.raises(re.error):
        broken.match("")
