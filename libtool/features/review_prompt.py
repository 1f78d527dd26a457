"""`lib capture --prompt`: the section that asks a reviewer for blocks, with the topics that its project has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from libtool.domain import cited
from libtool.domain.review.prompt import prompt
from libtool.errors import LibError, NotIndexed
from libtool.features.clones import is_named
from libtool.features.projects import ProjectNames
from libtool.storage import entry_files
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from libtool.config import Config

_POINTER = re.compile(rb"(?:^- |^- absent |^- [0-9-]{10}: )([^\s@]+)@[0-9a-f]{6,64}\b", re.MULTILINE)


def text(config: Config, folder: str) -> str:
    """The section for a session in `folder`: the topics of its project first, the newest first. Without a library no topics."""
    try:
        contents = entry_files.contents(config.library)
    except (LibError, OSError):
        return prompt(())
    project = ProjectNames()("", folder)
    mine = _sessions(config, project.key)
    ranked = []
    for topic, data in contents.items():
        sessions = cited.of_data(data)
        own = project.name and (
            any(is_named(project, found.decode("utf-8", "replace")) for found in _POINTER.findall(data))
            or any(one[:2] in mine for one in sessions)
        )
        ranked.append((bool(own), max((one.date for one in sessions), default=""), topic))
    return prompt(topic for _, _, topic in sorted(ranked, reverse=True))


def _sessions(config: Config, key: str) -> set[tuple[str, str]]:
    """(agent, id) of the sessions of a project that the store knows."""
    try:
        with SessionDb(config.store_db) as database:
            rows = database.rows("SELECT agent, sid FROM session WHERE project_key = ?", (key,))
    except NotIndexed:
        return set()
    return {(str(agent), str(sid)) for agent, sid in rows if key}
