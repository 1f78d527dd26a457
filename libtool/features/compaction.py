"""A compaction's summary, when it holds what lib asked its prompt for: into the library, with no call of a model of our own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from libtool.domain.condense import SUMMARY
from libtool.domain.review.parse import read
from libtool.errors import NotIndexed
from libtool.features import review, review_session
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

    from libtool.config import Config
    from libtool.storage.events import Mark


def take_in(config: Config, environ: Mapping[str, str], mark: Mark, today: dt.date) -> int:
    """Review the summary of a mark, or else the session's last one, which must have been read; how many blocks it held.

    What names no topic is what a compaction makes of itself, under headings such as `Next steps`: its session's digest has it. Raises what
    `review.take` raises.
    """
    summary = mark.summary or _last(config, mark.agent, mark.session)
    reading = read(summary)
    blocks = [block for block in reading.blocks if block.topic or block.title]
    if blocks:
        source = review_session.source_of(config, environ, f"{mark.agent}:{mark.session}", today)
        review.take(config, environ, reading._replace(blocks=blocks), source, said=summary)
    return len(blocks)


def _last(config: Config, agent: str, session: str) -> str:
    """The last summary in a session as the store has it, redacted; '' for none."""
    try:
        database = SessionDb(config.store_db)
    except NotIndexed:
        return ""
    with database:
        rows = [row for row in database.matching(agent, session) if row["sid"] == session]
        summaries: list[list[str]] = [[]]
        for chunk in database.chunks(database.longest_part(rows[0]["id"])[0]) if rows else ():
            for code, _, text in chunk:
                # A long one is in several pieces.
                if code == SUMMARY:
                    summaries[-1].append(text)
                elif summaries[-1]:
                    summaries.append([])
    return "\n".join(next((pieces for pieces in reversed(summaries) if pieces), []))
