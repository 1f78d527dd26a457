"""The set-up without a library: an agent reads the raw transcript that holds the answer, whole.

That is the least that raw reading can cost: the agent is taken to know which transcript it is, and where several hold the answer to take
the shortest. Those that it would have opened in vain are not counted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from libtool.features.evaluate.score import Given
from libtool.features.records import reading
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from libtool.config import Config
    from libtool.features.evaluate.questions import Question
    from libtool.features.records import Records


class _Place(NamedTuple):
    """A session that answers: its size in characters, and where it lies."""

    size: int
    agent: str
    path: str
    session: str


class Raw:
    """Reads whole transcripts."""

    name = "raw transcripts"
    can_deny = False

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self._config = config
        self._environ = environ
        self._best: dict[str, _Place] = {}
        """By question: the shortest session that answers it."""

    def look(self, questions: Sequence[Question], progress: Callable[[int, int], None] | None = None) -> None:
        """Find the session that answers each question: one pass over all transcripts that are still there. Raises NotIndexed."""
        with SessionDb(self._config.store_db) as database:
            found = database.rows("SELECT agent, path FROM file WHERE agent NOT IN ('', 'note') AND NOT missing ORDER BY path")
        with reading(self._config, self._environ) as records:
            for number, (agent, path) in enumerate(found, 1):
                for session, text in _sessions(records, agent, path):
                    self._take(questions, _Place(len(text), agent, path, session), text)
                if progress is not None:
                    progress(number, len(found))

    def _take(self, questions: Sequence[Question], place: _Place, text: str) -> None:
        for question in questions:
            known = self._best.get(question.id)
            if (known is None or place.size < known.size) and question.is_answered(text):
                self._best[question.id] = place

    def steps(self, question: Question) -> int:
        """One, where a transcript answers; no transcript says that there is nothing."""
        return int(question.id in self._best)

    def ask(self, question: Question, step: int) -> Given:  # noqa: ARG002 - there is one
        """The session that answers, read anew: that is what it takes."""
        place = self._best[question.id]
        with reading(self._config, self._environ) as records:
            found = dict(_sessions(records, place.agent, place.path))
        return Given(found.get(place.session, ""), is_prior_work=True)


def _sessions(records: Records, agent: str, path: str) -> Iterator[tuple[str, str]]:
    """(id, all text) of the sessions in a transcript; nothing for one that cannot be read, which `lib status` tells."""
    texts: dict[str, list[str]] = {}
    try:
        for record in records.read(agent, path):
            said = record.text if record.input is None else f"{record.tool} {record.input}"
            texts.setdefault(record.session.id, []).append(said)
    except OSError:
        return
    yield from ((session, "\n".join(said)) for session, said in texts.items())
