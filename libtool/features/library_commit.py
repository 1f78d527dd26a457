"""A commit of lib's own in the library: some entries and INDEX.md, and nothing that a person has staged or left uncommitted.

Made in memory as `lib sync` makes its merges, noted beside the repository before the work tree moves: killed anywhere, whoever holds the
lock next finishes it.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from libtool.domain import index_md as index_lines
from libtool.domain.schema import INDEX
from libtool.errors import LibraryNotFound, SyncRefused
from libtool.features import index_md, sync_upstream
from libtool.features.sync_index import with_index
from libtool.features.sync_recover import recover
from libtool.storage import entry_files, git, repo_merge, repo_place
from libtool.storage.repo import Repository, regular
from libtool.storage.repo_checkout import PlainWorkTree
from libtool.storage.work_tree import GitWorkTree, HeadMovedError, Version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from libtool.config import Config
    from libtool.storage.repo_place import Note, Place
    from libtool.storage.work_tree import WorkTree

    Change = Callable[["LibraryCommit"], tuple[Mapping[str, bytes], str]]
    # From what is committed now: the entries by topic as they are to be, and the commit's message.

LOCK_SECONDS = 20.0
ATTEMPTS = 5
"""How often is begun anew because somebody committed meanwhile."""


@contextlib.contextmanager
def opened(config: Config, environ: Mapping[str, str], timeout: float = LOCK_SECONDS) -> Iterator[LibraryCommit]:
    """The library for a commit, under the lock that syncs hold too, what a killed one left cleared up.

    Raises LibraryNotFound, Locked, and SyncRefused where no commit can be made: HEAD is detached, a merge is under way.
    """
    entry_files.required(config.library)
    place = repo_place.find(config.library)
    with (
        repo_place.one_sync(place, timeout) as note,
        contextlib.closing(LibraryCommit(config, git.unbound(environ), place, note)) as commit,
    ):
        commit.begin()
        yield commit


class LibraryCommit:
    """What is committed, and how to commit upon it. Made by `opened`."""

    def __init__(self, config: Config, environ: Mapping[str, str], place: Place, note: Note) -> None:
        self._config = config
        self._place = place
        self._note = note
        self._repository = Repository(place.top)
        self._git = git.Git(place.top, environ) if git.find(environ) else None
        self._tree: WorkTree = GitWorkTree(place, environ, note.lock) if self._git else PlainWorkTree(place, self._repository)
        self._head = Version(None, {})

    def close(self) -> None:
        """Let go of the repository."""
        self._repository.close()

    def begin(self) -> None:
        """Refuse what cannot be committed to, clear up after a killed process, and look at HEAD."""
        settings = self._tree.settings()
        repo_place.refuse_unsupported(self._place, settings)
        repo_place.refuse_unfinished(self._place)
        ref = self._tree.branch()
        if ref is None:
            raise SyncRefused(f"HEAD is detached in {self._place.top}", hint="go to a branch, such as `git switch main`")
        recover(self._place, self._note, self._tree, lambda: self._repository, (ref,))
        # From here on: git takes the lock of its index even to look whether something is in the way, and leaves it when it is killed.
        self._note.write()
        self._look()
        if self._head.commit is None and sync_upstream.upstream_of(sync_upstream.short(ref), settings).remote:
            raise LibraryNotFound("nothing was fetched from the library's remote yet", hint="run `lib sync`")

    def _look(self) -> None:
        commit = self._tree.commit_of("HEAD")
        self._head = Version(commit, self._repository.files(commit))

    def topics(self) -> frozenset[str]:
        """The topics that have an entry in HEAD."""
        return frozenset(repo_merge.topic_of(path) for path in self._head.files if repo_merge.is_entry(path))

    def read(self, topic: str) -> bytes | None:
        """The entry in HEAD; None where there is none."""
        blob = regular(self._head.files, path_of(topic))
        return self._repository.read(blob) if blob else None

    def in_the_way(self, topic: str) -> bool:
        """Whether a person has something at the entry's place that is not committed: then the entry cannot be changed now."""
        return not self._may_become({path_of(topic): b"\n"})

    def commit(self, change: Change) -> str | None:
        """Commit what `change` makes of the library; the commit's id, None when that is what HEAD has.

        `change` is asked again when somebody commits meanwhile. Raises SyncRefused, with nothing changed, when something is in the way.
        """
        for _ in range(ATTEMPTS):
            contents, message = change(self)
            try:
                return self._commit(contents, message)
            except HeadMovedError:
                self._look()
        raise SyncRefused(f"others commit in {self._place.top} all the while", hint="try again")

    def _commit(self, contents: Mapping[str, bytes], message: str) -> str | None:
        made = {path_of(topic): (self._mode(topic), self._repository.write(data)) for topic, data in contents.items()}
        files = {**self._head.files, **made}
        if files == dict(self._head.files):
            return None
        files = with_index(self._repository, self._place, files)
        index = INDEX.encode()
        dirty = files.get(index) != self._head.files.get(index) and not self._may_become({index: self._repository.read(files[index][1])})
        if dirty:
            self._set_index_back()
        commit = self._tree.commit(self._repository.write_tree(files), [self._head.commit] if self._head.commit else [], message)
        new = Version(commit, files)
        self._tree.check(self._head, new)
        self._note.write(self._head.commit, commit)
        self._tree.move(self._head, new, "lib capture")
        self._note.write()
        self._head = new
        if dirty:
            # It listed what a person has not committed yet, and does so again.
            index_md.write(self._config)
        return commit

    def _mode(self, topic: str) -> int:
        file = self._head.files.get(path_of(topic))
        return file[0] if file else repo_merge.PLAIN

    def _may_become(self, contents: Mapping[bytes, bytes]) -> bool:
        """Whether these files could be changed now: nobody has work of theirs there."""
        files = {**self._head.files, **{path: (repo_merge.PLAIN, self._repository.write(data)) for path, data in contents.items()}}
        try:
            # A tree does as well as a commit: it is only compared.
            self._tree.check(self._head, Version(self._repository.write_tree(files), files))
        except SyncRefused:
            return False
        return True

    def _set_index_back(self) -> None:
        """Let INDEX.md be as committed where lib made what lies there; raises SyncRefused where a person wrote it."""
        path = os.path.join(self._place.top, INDEX)
        there = index_md.current(path)
        staged = self._git.call("cat-file", "blob", f":{INDEX}") if self._git else None
        versions = [there, staged.out if staged and not staged.code else None]
        if self._git is None or any(one is not None and index_lines.lines_in(one) is None for one in versions):
            raise SyncRefused(f"{path} has changes that are not committed", hint="commit them, or `git checkout -- INDEX.md`")
        if INDEX.encode() in self._head.files:
            self._git.run("checkout", "-q", "HEAD", "--", INDEX)
        else:
            self._git.run("rm", "-q", "--cached", "--ignore-unmatch", "--", INDEX)
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)


def path_of(topic: str) -> bytes:
    """Where the entry of a topic lies."""
    return repo_merge.ENTRIES + f"{topic}.md".encode()
