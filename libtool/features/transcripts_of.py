"""Where one session lies on disk: asked for when an agent's hook names a session, which it does not always do by its file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.adapters import discover
from libtool.adapters.registry import ADAPTERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from libtool.adapters.discover import Candidate
    from libtool.config import Config

SHORT_ID = 8
"""Characters of an id that some agents put into a file's name."""
RECENT_SECONDS = 900.0
"""Where no file's name tells whose it is, those are looked at that changed within this time."""
NOTE = "note"


class Places:
    """One listing of the agents' own places."""

    def __init__(self, config: Config, environ: Mapping[str, str]) -> None:
        self._home = config.home
        self._environ = environ
        self._listed: dict[str, list[Candidate]] = {}

    def of(self, agent: str) -> list[Candidate]:
        """The files in the places of an agent; none for an agent without an adapter."""
        if agent not in self._listed:
            adapters = [ADAPTERS[agent]] if agent in ADAPTERS else []
            self._listed[agent] = list(discover.find(adapters, self._home, self._environ, ()))
        return self._listed[agent]

    def roots(self, agent: str) -> list[str]:
        """The roots of an agent's places."""
        return [place.root for place in ADAPTERS[agent].places(self._home, self._environ)] if agent in ADAPTERS else []

    def notes(self) -> list[str]:
        """The memory files that agents keep."""
        return [one.path for one in self.of(NOTE)]

    def session(self, agent: str, session: str, path: str, now: float) -> list[str]:
        """The files that may hold a session: the one that is named, those of this id, else those that have just changed."""
        candidates = self.of(agent)
        found = [one.path for one in candidates if session and session in one.path]
        found = found or [one.path for one in candidates if len(session) > SHORT_ID and session[:SHORT_ID] in os.path.basename(one.path)]
        if path and os.path.isfile(path):
            found.append(path)
        if not found:
            found = [one.path for one in candidates if one.mtime_ns / 1e9 > now - RECENT_SECONDS]
        return sorted(set(found))
