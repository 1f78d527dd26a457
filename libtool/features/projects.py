"""Names the projects of sessions by what lies on this machine's disk, each folder looked at once a run."""

from __future__ import annotations

from libtool.domain.project import Project, identify

_LIMIT = 1 << 16


class ProjectNames:
    """Remembers the project of each (repository, folder) pair."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], Project] = {}

    def __call__(self, repository: str, cwd: str) -> Project:
        """The project of a session that states `repository` (or '') and ran in `cwd`."""
        pair = repository, cwd
        project = self._known.get(pair)
        if project is None:
            project = self._known[pair] = identify(cwd, read_small, repository)
        return project


def read_small(path: str) -> str | None:
    """The head of a text file, or None where there is none to read: what domain.project asks of the disk."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LIMIT)
    except (OSError, ValueError):
        return None
