"""What must not leave this machine by a sync: a login in any commit that is about to go, an entry that is not right at its end.

The same checks as before a `git push`, on the objects themselves: they hold without git too.
"""

from __future__ import annotations

import stat
from datetime import datetime
from typing import TYPE_CHECKING

from libtool.features import redact
from libtool.features.githooks.cleaning import Cleaner, cannot_be, shown
from libtool.storage import repo_merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from libtool.config import Config
    from libtool.storage.repo import Repository
    from libtool.storage.repo_merge import Tree

FOLDER = "40000"


def refused(config: Config, repository: Repository, outgoing: Sequence[str], theirs: str | None) -> list[str]:
    """A line for each thing that must not leave: `outgoing` are the commits, oldest first, that the remote, at `theirs`, does not have."""
    cleaner = Cleaner(lambda: redact.redactor(config), datetime.now().astimezone().date())
    lines = _logins(cleaner, repository, outgoing, theirs)
    return lines + _entries(cleaner, repository, repository.files(outgoing[-1]), repository.files(theirs))


def _logins(cleaner: Cleaner, repository: Repository, outgoing: Sequence[str], theirs: str | None) -> list[str]:
    """Logins in the messages and the new files of each commit."""
    going = set(outgoing)
    there = {parent for commit in outgoing for parent in repository.parents(commit)} - going
    known = {file for commit in (theirs, *sorted(there)) for file in repository.files(commit).values()}
    lines = []
    for commit in outgoing:
        lines += _said(f"message of commit {commit[:10]}", cleaner.logins(repository.message(commit)))
        for path, file in repository.files(commit).items():
            if file not in known and stat.S_ISREG(file[0]):
                known.add(file)
                lines += _said(shown(_text(path)), cleaner.logins(repository.read(file[1])))
    return [f"{line}; it is in a commit: amend it, or `git rebase -i`" for line in lines]


def _said(where: str, found: Iterable[tuple[int, str, str]]) -> list[str]:
    return [f"{where}:{line}: a login ({kind}, {fingerprint})" for line, kind, fingerprint in found]


def _entries(cleaner: Cleaner, repository: Repository, files: Tree, before: Tree) -> list[str]:
    """What is wrong with the entries that the last commit changes for the remote."""
    lines = []
    topics = {repo_merge.topic_of(path) for path in files if repo_merge.is_entry(path)}
    for path, file in files.items():
        if file == before.get(path) or not path.startswith(repo_merge.ENTRIES):
            continue
        name, is_inside, _ = _text(path[len(repo_merge.ENTRIES) :]).partition("/")
        if why := cannot_be(name, FOLDER if is_inside else f"{file[0]:o}"):
            lines.append(why)
        elif repo_merge.is_entry(path):
            lines += cleaner.problems(repo_merge.topic_of(path), repository.read(file[1]), topics)
    return list(dict.fromkeys(lines))


def _text(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")
