"""The set-ups that look things up through lib: what a search prints, as an agent would read it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from libtool.features.evaluate.questions import Question
    from libtool.features.evaluate.score import Given

    Ask = Callable[[str, int, Sequence[int]], Given]
    # Query, number of the attempt from 1, rows of another ranking: what is printed.


class Lookup:
    """Asks the queries of a question in order."""

    can_deny = True

    def __init__(self, name: str, ask: Ask, nearest: Callable[[str], Sequence[int]] | None = None) -> None:
        """`nearest` is another ranking to be fused: rows of the index for a text, best first."""
        self.name = name
        self._ask = ask
        self._nearest = nearest

    def steps(self, question: Question) -> int:
        """A search a query."""
        return len(question.queries)

    def ask(self, question: Question, step: int) -> Given:
        """What the search prints."""
        query = question.queries[step]
        return self._ask(query, step + 1, self._nearest(query) if self._nearest else ())
