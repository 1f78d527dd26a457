"""Where on this machine the repository of a project lies that an entry names: given folders first, then those that sessions ran in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from libtool.domain.project import Project, identify
from libtool.errors import NotIndexed, Unproved, UsageError
from libtool.features.projects import of_checkout, read_small
from libtool.storage import git_read
from libtool.storage.session_db import SessionDb

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from libtool.config import Config
    from libtool.storage.git_read import Checkout

_MOST_FOLDERS = 20_000


class Clones:
    """Finds each project once. `given` are folders of repositories that win, `here` one that may be none."""

    def __init__(self, config: Config, environ: Mapping[str, str], given: Sequence[str], here: str) -> None:
        """Raises UsageError for a given folder that is in no repository, Unproved for a damaged one."""
        self._environ = environ
        self._given = [git_read.checkout(folder, environ) for folder in given]
        if (place := self._checkout(here)) is not None:
            self._given.append(place)
        self._folders = _session_folders(config)
        self._found: dict[str, Checkout | None] = {}

    def find(self, project: str) -> Checkout | None:
        """The repository of a project as a pointer names it, or None."""
        if project not in self._found:
            self._found[project] = next(self._all(project), None)
        return self._found[project]

    def _all(self, project: str) -> Iterator[Checkout]:
        yield from (place for place in self._given if is_named(of_checkout(place), project))
        for folder, stored in self._folders:
            # The store says what was so when the session ran; the disk, what is.
            if is_named(stored, project) and os.path.isdir(folder) and is_named(identify(folder, read_small), project):
                place = self._checkout(folder)
                if place is not None:
                    yield place

    def _checkout(self, folder: str) -> Checkout | None:
        try:
            return git_read.checkout(folder, self._environ)
        except (UsageError, Unproved):
            return None


def is_named(project: Project, name: str) -> bool:
    """Whether a pointer's `owner/name`, `host/owner/name` or `name` means this project."""
    wanted, key = name.lower(), project.key.lower()
    return bool(wanted) and (key == wanted or key.endswith(f"/{wanted}") or project.name.lower() == wanted)


def _session_folders(config: Config) -> list[tuple[str, Project]]:
    """The folders that sessions of this machine ran in, the one used last first."""
    try:
        sessions = SessionDb(config.store_db)
    except NotIndexed:
        return []
    with sessions:
        rows = sessions.rows(
            "SELECT cwd, project_key, project FROM session WHERE machine = ? AND cwd <> '' GROUP BY cwd ORDER BY max(ended) DESC LIMIT ?",
            (config.machine, _MOST_FOLDERS),
        )
    return [(str(cwd), Project(str(key), str(name))) for cwd, key, name in rows]
