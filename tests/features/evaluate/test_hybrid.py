from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from libtool.errors import UsageError
from libtool.features import search
from libtool.features.evaluate import hybrid
from libtool.features.evaluate.hybrid import Vectors
from libtool.storage.search_db import Filter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from libtool.config import Config

WITHHELD = ("security-review",)
PACKAGE = """
import sys

class Rows(list):
    def tolist(self):
        return list(self)

class Model:
    def encode(self, texts, show_progress_bar):
        assert not show_progress_bar
        return Rows([[float(len(text)), 1.0] for text in texts])

def load_model():
    print("Loading: 100%", file=sys.stderr)
    return Model()
"""


def letters(texts: Sequence[str]) -> list[list[float]]:
    """A vector a text: how often each letter stands in it. Crude, but near where words are."""
    return [[float(text.lower().count(chr(code))) for code in range(97, 123)] for text in texts]


def test_rows_are_ranked_by_meaning_and_fused(indexed: Config) -> None:
    vectors = Vectors(letters)
    steps: list[tuple[int, int]] = []
    vectors.fill(indexed, Filter(classes=WITHHELD), lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] > 0
    nearest = vectors.nearest("harbour quota 429", 4)
    assert len(set(nearest)) == 4
    plain = search.search(indexed, "harbour quota 429", Filter(classes=WITHHELD), limit=8)
    fused = search.search(indexed, "harbour quota 429", Filter(classes=WITHHELD), limit=8, also=nearest)
    assert {hit.ref for hit in plain.hits} <= {hit.ref for hit in fused.hits}
    assert fused.has_strong == plain.has_strong


def test_what_only_the_other_ranking_finds_is_shown_and_no_prior_work(indexed: Config) -> None:
    vectors = Vectors(letters)
    vectors.fill(indexed, Filter(classes=WITHHELD))
    found = search.search(indexed, "zzyzx", Filter(classes=WITHHELD), limit=8, also=vectors.nearest("harbour quota"))
    assert found.hits
    assert not found.has_strong


def test_withheld_rows_are_not_embedded(indexed: Config) -> None:
    shown, everything, none = Vectors(letters), Vectors(letters), Vectors(letters)
    shown.fill(indexed, Filter(classes=WITHHELD))
    everything.fill(indexed, Filter())
    none.fill(indexed, Filter(agent="no-such-agent"))
    assert len(shown.nearest("a", 99)) < len(everything.nearest("a", 99))
    assert none.nearest("a") == []
    hidden = set(everything.nearest("a", 99)) - set(shown.nearest("a", 99))
    kept = search.search(indexed, "zzyzx", Filter(classes=WITHHELD), limit=8, also=sorted(hidden)).hits
    assert kept == []


def test_the_model_is_that_of_the_package_and_loads_in_silence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / f"{hybrid.MODEL}.py").write_text(PACKAGE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    # Set, then deleted: undone, the module that is about to be imported goes again.
    monkeypatch.setitem(sys.modules, hybrid.MODEL, None)
    del sys.modules[hybrid.MODEL]
    assert hybrid.load()(["kiln", "ash"]) == [[4.0, 1.0], [3.0, 1.0]]
    assert capsys.readouterr().err == ""
    monkeypatch.setitem(sys.modules, hybrid.MODEL, None)
    with pytest.raises(UsageError) as failed:
        hybrid.load()
    assert "lib-sessions[hybrid]" in failed.value.hint
