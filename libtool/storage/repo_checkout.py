"""The work tree of a library where no git is installed: by dulwich's index and refs, guarded so that no work of a person is overwritten.

No filters, no signing: what needs those needs git. A file is written whole or not at all.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from typing import TYPE_CHECKING

from libtool.errors import SyncRefused
from libtool.storage import files
from libtool.storage.repo import object_id, ref, regular
from libtool.storage.work_tree import HeadMovedError, changed_paths, in_the_way, is_taken, lacks_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dulwich.index import Index

    from libtool.storage.repo import Repository
    from libtool.storage.repo_merge import File
    from libtool.storage.repo_place import Place
    from libtool.storage.work_tree import Version

NONE = "0" * 40
EXECUTABLE = 0o100


class PlainWorkTree:
    """`work_tree.WorkTree` without git."""

    def __init__(self, place: Place, repository: Repository) -> None:
        self._place = place
        self._repository = repository
        self._top = os.fsencode(place.top)

    def settings(self) -> dict[str, str]:
        """See WorkTree."""
        return self._repository.settings()

    def branch(self) -> str | None:
        """See WorkTree."""
        names, _ = self._repository.dulwich.refs.follow(ref("HEAD"))
        return os.fsdecode(names[-1]) if len(names) > 1 else None

    def commit_of(self, name: str) -> str | None:
        """See WorkTree."""
        return self._repository.ref(name)

    def merge_bases(self, commit: str, others: Iterable[str]) -> list[str]:
        """See WorkTree."""
        return self._repository.merge_bases(commit, others)

    def content(self, path: bytes) -> bytes | None:
        """See WorkTree."""
        blob = regular(self._repository.files(self.commit_of("HEAD")), path)
        return self._repository.read(blob) if blob else None

    def commit(self, tree: str, parents: Iterable[str], message: str) -> str:
        """See WorkTree; never signed."""
        from dulwich.objects import Commit
        from dulwich.repo import get_user_identity

        config = self._repository.dulwich.get_config_stack()
        commit = Commit()
        commit.tree = object_id(tree)
        commit.parents = [object_id(parent) for parent in parents]
        commit.author = get_user_identity(config, "AUTHOR")
        commit.committer = get_user_identity(config, "COMMITTER")
        commit.author_time = commit.commit_time = int(time.time())
        commit.author_timezone = commit.commit_timezone = time.localtime().tm_gmtoff
        commit.message = message.encode()
        self._repository.dulwich.object_store.add_object(commit)
        return commit.id.decode()

    def check(self, old: Version, new: Version) -> None:
        """See WorkTree."""
        with self._index() as index:
            if paths := list(self._blocking(index, old, new)):
                raise in_the_way(paths)

    def move(self, old: Version, new: Version, why: str) -> None:
        """See WorkTree."""
        if self.commit_of("HEAD") != old.commit:
            raise HeadMovedError
        with self._index() as index:
            if paths := list(self._blocking(index, old, new)):
                raise in_the_way(paths)
            self._write(index, old, new)
        refs = self._repository.dulwich.refs
        if not refs.set_if_equals(ref("HEAD"), object_id(old.commit or NONE), object_id(str(new.commit)), message=why.encode()):
            raise HeadMovedError

    def restore(self, paths: list[bytes]) -> None:
        """See WorkTree: `move` has written every file that differs."""

    def put_back(self, path: bytes, file: File) -> None:
        """See WorkTree."""
        with self._index() as index:
            self._put(index, path, file)

    def set_ref(self, name: str, commit: str, why: str) -> None:
        """See WorkTree."""
        self._repository.dulwich.refs.set_if_equals(ref(name), None, object_id(commit), message=why.encode())

    @contextlib.contextmanager
    def _index(self) -> Iterator[Index]:
        """The index under git's own lock; written at the end, left as it was by an exception."""
        from dulwich.errors import ChecksumMismatch
        from dulwich.file import FileLocked
        from dulwich.index import UnsupportedIndexFormat, locked_index

        path = os.path.join(self._place.git_dir, "index")
        locked = locked_index(path)
        try:
            index = locked.__enter__()
        except FileLocked:
            raise SyncRefused(
                f"another git process is at work in {self._place.top}; nothing was changed",
                hint=f"when none is, remove {path}.lock; then run `lib sync` again",
            ) from None
        except (ChecksumMismatch, UnsupportedIndexFormat, ValueError, AssertionError):
            # A split index, a sparse one, or one of a later git.
            locked.__exit__(SyncRefused, None, None)
            raise SyncRefused(
                "only git can read this repository's index; nothing was changed", hint="install git and run it again"
            ) from None
        try:
            yield index
        except BaseException as error:
            locked.__exit__(type(error), error, None)
            raise
        locked.__exit__(None, None, None)

    def _blocking(self, index: Index, old: Version, new: Version) -> Iterator[bytes]:
        """The files that would be lost: changed by the move, and changed or made by hand. Also what no tree may hold."""
        from dulwich.index import validate_path

        for path in changed_paths(old.files, new.files):
            was, will = old.files.get(path), new.files.get(path)
            staged = _staged(index, path)
            is_odd = not validate_path(path) or staged not in (was, will) or lacks_folder(self._place.top, path, old.files)
            is_new = was is None and staged is None
            if is_odd or (is_new and is_taken(self._place.top, path, old.files)) or (was and staged != will and not self._is_as(path, was)):
                yield path

    def _is_as(self, path: bytes, file: File) -> bool:
        """Whether the work tree has that file, unchanged, or none (a missing file is no work)."""
        target = os.path.join(self._top, path)
        try:
            mode = os.lstat(target).st_mode
        except (FileNotFoundError, NotADirectoryError):
            return True
        if stat.S_IFMT(mode) != stat.S_IFMT(file[0]):
            return False
        if stat.S_ISREG(mode) and bool(mode & EXECUTABLE) != bool(file[0] & EXECUTABLE):
            return False
        return _content(target, mode) == self._repository.read(file[1])

    def _write(self, index: Index, old: Version, new: Version) -> None:
        """Write the files and their lines in the index: first what goes, then what comes."""
        paths = changed_paths(old.files, new.files)
        for path in paths:
            if path not in new.files:
                self._remove(path)
                if path in index:
                    del index[path]
        for path in paths:
            if path in new.files:
                self._put(index, path, new.files[path])

    def _remove(self, path: bytes) -> None:
        target = os.path.join(self._top, path)
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(target)
        folder = os.path.dirname(target)
        with contextlib.suppress(OSError):
            while folder != self._top:
                os.rmdir(folder)
                folder = os.path.dirname(folder)

    def _put(self, index: Index, path: bytes, file: File) -> None:
        from dulwich.index import index_entry_from_stat

        mode, blob = file
        target = os.path.join(self._top, path)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if os.path.isdir(target) and not os.path.islink(target):
            # Only empty folders are left in it: `_blocking` saw to that.
            for folder, _, _ in os.walk(target, topdown=False):
                os.rmdir(folder)
        content = self._repository.read(blob) if stat.S_ISREG(mode) or stat.S_ISLNK(mode) else b""
        if stat.S_ISLNK(mode):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(target)
            os.symlink(content, target)
        else:
            if os.path.islink(target):
                os.unlink(target)
            files.write(os.fsdecode(target), content, mode=0o755 if mode & EXECUTABLE else 0o644)
        index[path] = index_entry_from_stat(os.lstat(target), object_id(blob), mode)


def _staged(index: Index, path: bytes) -> File | None:
    """What the index holds of a path; of an unmerged one nothing that any tree could hold."""
    from dulwich.index import IndexEntry

    if path not in index:
        return None
    entry = index[path]
    return (entry.mode, entry.sha.decode()) if isinstance(entry, IndexEntry) else (0, "unmerged")


def _content(path: bytes, mode: int) -> bytes:
    """What a file or a symbolic link holds."""
    if stat.S_ISLNK(mode):
        return os.readlink(path)
    with open(path, "rb") as file:
        return file.read()
