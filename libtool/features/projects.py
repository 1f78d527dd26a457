"""Names the projects of sessions by what lies on this machine's disk, each folder looked at once a run."""

from __future__ import annotations

import os
import stat

from libtool.domain.project import Project, identify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.storage.git_read import Checkout

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


def of_checkout(place: Checkout) -> Project:
    """The project of a repository on this machine."""
    return identify(place.git_dir if place.bare else place.top, read_small)


def full_name(project: Project) -> str:
    """`owner/name` of a project's remote, else its name."""
    host, slash, rest = project.key.partition("/")
    return rest if slash and not host.startswith(("local:", "folder:")) else project.name


def pointer_name(project: Project) -> str:
    """What the pointers of entries call a project: its full name; '' when that is no single word."""
    name = full_name(project)
    return "" if set(name) & set('@"') or len(name.split()) != 1 else name


def read_small(path: str) -> str | None:
    """The head of a text file, or None where there is none to read: what domain.project asks of the disk.

    The path comes out of a transcript, so it may name a pipe or a device: those are not waited for.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError):
        return None
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        return os.read(descriptor, _LIMIT).decode("utf-8", "replace") if regular else None
    except OSError:
        return None
    finally:
        os.close(descriptor)
