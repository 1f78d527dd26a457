"""Where a library's repository keeps its things, what state it is in, and the one sync at a time. Plain files: no git, no dulwich."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import time
from typing import TYPE_CHECKING, NamedTuple

from libtool.errors import LibraryNotFound, Locked, SyncRefused
from libtool.storage import git_folders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

LOCK = "lib-sync.lock"
NOTE = "lib-sync.json"
POLL_SECONDS = 0.05
STALE_SECONDS = 1.0
"""A lock of git that has not changed for this long, beside the note of a killed sync, is that sync's own."""

UNFINISHED = {
    "MERGE_HEAD": ("merge", "git merge --continue` or `git merge --abort"),
    "rebase-merge": ("rebase", "git rebase --continue` or `git rebase --abort"),
    "rebase-apply": ("rebase", "git rebase --continue` or `git rebase --abort"),
    "CHERRY_PICK_HEAD": ("cherry-pick", "git cherry-pick --continue` or `git cherry-pick --abort"),
    "REVERT_HEAD": ("revert", "git revert --continue` or `git revert --abort"),
}
"""File or folder in the git folder: (what is under way, how to end it)."""


class Place(NamedTuple):
    """The folders of a repository, absolute."""

    top: str
    """The work tree."""
    git_dir: str
    """HEAD and index: of a linked worktree its own folder."""
    common_dir: str
    """Objects, refs and configuration."""


def find(library: str) -> Place:
    """The place of the repository whose work tree `library` is. Raises LibraryNotFound."""
    git_dir = git_folders.own(library)
    if not git_dir or not os.path.isfile(os.path.join(git_dir, "HEAD")):
        raise LibraryNotFound(f"no library at {library}", hint="`lib init` makes one, `lib init --clone URL` fetches yours")
    return Place(*(os.path.abspath(path) for path in (library, git_dir, git_folders.shared(git_dir))))


def holds(folders: Iterable[str], path: object) -> bool:
    """Whether `path`, as an OSError names it (or nothing), is one of the folders or in it."""
    if not isinstance(path, str | bytes):
        return False
    whole = os.path.abspath(os.fsdecode(path))
    return any(os.path.commonpath([whole, os.path.abspath(folder)]) == os.path.abspath(folder) for folder in folders)


def refuse_unfinished(place: Place) -> None:
    """Raise SyncRefused in the middle of a merge, a rebase, a cherry-pick or a revert."""
    for name, (what, end) in UNFINISHED.items():
        if os.path.exists(os.path.join(place.git_dir, name)):
            raise SyncRefused(f"a {what} is under way in {place.top}", hint=f"end it with `{end}`, then run `lib sync` again")


def refuse_unsupported(place: Place, settings: Mapping[str, str]) -> None:
    """Raise SyncRefused for a kind of repository that dulwich would misread. `settings` is git's configuration."""

    def refuse(what: str, do: str) -> None:
        raise SyncRefused(f"lib sync cannot work on {what} ({place.top}); nothing was changed", hint=do)

    if settings.get("extensions.refstorage", "files") != "files":
        refuse("a repository that keeps its refs in reftable", "run `git refs migrate --ref-format=files` in it")
    if settings.get("extensions.objectformat", "sha1") != "sha1":
        refuse("a repository with SHA-256 objects", "use `git pull` and `git push`: they merge by lib's merge driver")
    promised = [name for name, value in settings.items() if name.endswith(".promisor") and _is_on(value)]
    if "extensions.partialclone" in settings or promised:
        refuse("a partial clone", "clone it in full: `git clone` without `--filter`, or `lib init --clone URL`")
    if _is_on(settings.get("core.bare", "false")):
        refuse("a bare repository", "clone it, and set `library` to the clone")


def _is_on(value: str) -> bool:
    return value.lower() in ("true", "yes", "on", "1", "")


@contextlib.contextmanager
def locked(place: Place, timeout: float) -> Iterator[int]:
    """Hold the lock of all that lib does in this repository: its descriptor. Waits `timeout` seconds, then raises Locked.

    A flock, freed by the kernel when the last process that has it open dies.
    """
    descriptor = os.open(os.path.join(place.common_dir, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + timeout
        while not _try(descriptor):
            if time.monotonic() >= deadline:
                raise Locked(
                    f"another `lib sync` or `lib init` is at work in {place.top}",
                    hint="wait until it has ended, then run the command again",
                )
            time.sleep(POLL_SECONDS)
        yield descriptor
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def one_sync(place: Place, timeout: float) -> Iterator[Note]:
    """Hold the lock of syncs in this repository, and their note; raises as `locked`.

    A git process that we start to write has the lock open too (`Note.lock`), so that a killed sync whose git still runs is not taken
    for ended.
    """
    with locked(place, timeout) as descriptor:
        note = Note(place, descriptor)
        try:
            yield note
        finally:
            if not note.unfinished:
                note.clear()


def _try(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class Note:
    """What a sync notes beside the repository before it changes anything, so that the next one can clear up after its death."""

    def __init__(self, place: Place, lock: int) -> None:
        self._path = os.path.join(place.git_dir, NOTE)
        self.lock = lock
        """The descriptor of the lock."""
        self.unfinished = False
        """Whether the note of a killed sync must stay, since its work could not be brought to an end yet."""

    def read(self) -> tuple[str | None, str, float] | None:
        """What a killed sync left: (commit it went from, commit it went to or '' when it was not under way, when); None for nothing."""
        try:
            with open(self._path, encoding="utf-8") as file:
                left = json.load(file)
                return left["old"], str(left["new"]), os.fstat(file.fileno()).st_mtime
        except FileNotFoundError:
            return None
        except (ValueError, KeyError, TypeError):
            # Killed while it wrote the note: before it changed anything.
            return None, "", os.stat(self._path).st_mtime

    def write(self, old: str | None = None, new: str = "") -> None:
        """Note that from now on we change the repository, and the work tree from `old` to `new` when given."""
        with open(self._path, "w", encoding="utf-8") as file:
            json.dump({"old": old, "new": new, "process": os.getpid()}, file)

    def clear(self) -> None:
        """Nothing to clear up."""
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self._path)


def sweep(place: Place, refs: tuple[str, ...], since: float) -> list[str]:
    """Remove the locks that a sync killed at some time after `since` left; the paths removed.

    C git makes no locks among the objects, so those are dulwich's: ours. A lock on index, HEAD or one of `refs` may be another program's:
    it is ours when it is no older than the sync and does not change while we watch.
    """
    removed = []
    objects = os.path.join(place.common_dir, "objects")
    for folder, _, names in os.walk(objects):
        left = (name for name in names if name.endswith(".lock") and not name.startswith(("commit-graph", "multi-pack-index")))
        removed += [os.path.join(folder, name) for name in left]
    shared = (os.path.join(place.common_dir, *name.split("/")) for name in (*refs, "packed-refs"))
    own = (os.path.join(place.git_dir, name) for name in ("index", "HEAD"))
    removed += [path for path in (f"{name}.lock" for name in (*shared, *own)) if _is_left(path, since)]
    for path in removed:
        with contextlib.suppress(OSError):
            os.unlink(path)
    return removed


def _is_left(path: str, since: float) -> bool:
    """Whether the lock file is there, from after `since`, and has not changed for STALE_SECONDS."""
    try:
        before = os.stat(path)
        if before.st_mtime < since - STALE_SECONDS:
            return False
        time.sleep(max(0.0, min(STALE_SECONDS, before.st_mtime + STALE_SECONDS - time.time())))
        after = os.stat(path)
    except FileNotFoundError:
        return False
    return (before.st_ino, before.st_mtime_ns, before.st_size) == (after.st_ino, after.st_mtime_ns, after.st_size)
