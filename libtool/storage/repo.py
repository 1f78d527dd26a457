"""The library's git repository by dulwich: its objects, refs and settings. With `repo_*` the only importer of dulwich.

Ids are hexadecimal texts here, refs and branches texts, paths bytes from the top of the work tree.
"""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from libtool.errors import LibraryNotFound

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dulwich.objects import ObjectID
    from dulwich.refs import Ref

    from libtool.storage.repo_merge import File, Tree

FOLDER = 0o040000
ID_DIGITS = 40


def object_id(text: str) -> ObjectID:
    """An id as dulwich has it."""
    from dulwich.objects import ObjectID

    return ObjectID(text.encode())


def ref(name: str) -> Ref:
    """A ref's name as dulwich has it."""
    from dulwich.refs import Ref

    return Ref(os.fsencode(name))


class Repository:
    """One open repository; `close` it. Reads and writes objects, which is `repo_merge.Blobs`."""

    def __init__(self, folder: str) -> None:
        """Open the repository whose work tree is `folder`; raises LibraryNotFound."""
        from dulwich.errors import NotGitRepository
        from dulwich.repo import Repo

        try:
            self.dulwich = Repo(folder)
        except NotGitRepository:
            raise LibraryNotFound(f"no git repository at {folder}", hint="`lib init` makes one") from None
        self._trees: dict[str, dict[bytes, File]] = {}

    def close(self) -> None:
        """Let go of its files."""
        self.dulwich.close()

    def read(self, blob: str) -> bytes:
        """The content of a blob."""
        from dulwich.objects import Blob

        found = self.dulwich.object_store[object_id(blob)]
        assert isinstance(found, Blob)  # noqa: S101 - a tree says so
        return found.data

    def write(self, content: bytes) -> str:
        """Keep a content as a blob; its id."""
        from dulwich.objects import Blob

        blob = Blob.from_string(content)
        if blob.id not in self.dulwich.object_store:
            self.dulwich.object_store.add_object(blob)
        return blob.id.decode()

    def raw(self, name: str) -> tuple[str, bytes] | None:
        """(kind, content) of any object as git stores it; None for one that is not here, or for no id."""
        if len(name) != ID_DIGITS:
            return None
        try:
            found = self.dulwich.object_store[object_id(name)]
        except KeyError:
            return None
        return found.type_name.decode(), found.as_raw_string()

    def has(self, commit: str) -> bool:
        """Whether the object is here: a path remote's ref may run ahead of what was copied."""
        return object_id(commit) in self.dulwich.object_store

    def leads_to(self, commit: str) -> bool:
        """Whether one of our branches has the commit, and so all that belongs to it.

        A killed `git fetch` leaves commits without their trees: it unpacks in the order of the pack, and only a ref tells what is whole.
        """
        from dulwich.graph import can_fast_forward

        if not self.has(commit):
            return False
        wanted = object_id(commit)
        tips = self.dulwich.refs.as_dict(ref("refs/heads")).values()
        return any(tip == wanted or can_fast_forward(self.dulwich, wanted, tip) for tip in tips)

    def parents(self, commit: str) -> list[str]:
        """The ids of a commit's parents."""
        from dulwich.objects import Commit

        found = self.dulwich.object_store[object_id(commit)]
        assert isinstance(found, Commit)  # noqa: S101 - a branch holds commits
        return [parent.decode() for parent in found.parents]

    def tree_id(self, commit: str) -> str:
        """The id of a commit's tree."""
        from dulwich.objects import Commit

        found = self.dulwich.object_store[object_id(commit)]
        assert isinstance(found, Commit)  # noqa: S101 - a branch holds commits
        tree: bytes = found.tree
        return tree.decode()

    def message(self, commit: str) -> bytes:
        """What a commit says of itself."""
        from dulwich.objects import Commit

        found = self.dulwich.object_store[object_id(commit)]
        assert isinstance(found, Commit)  # noqa: S101 - a branch holds commits
        message: bytes = found.message
        return message

    def files(self, commit: str | None) -> dict[bytes, File]:
        """Every file of a commit; none of None. Not to be changed."""
        if commit is None:
            return {}
        tree = self.tree_id(commit)
        if tree not in self._trees:
            contents = self.dulwich.object_store.iter_tree_contents(object_id(tree))
            self._trees[tree] = {bytes(one.path or b""): (int(one.mode or 0), (one.sha or b"").decode()) for one in contents}
        return self._trees[tree]

    def write_tree(self, files: Tree) -> str:
        """Keep a tree of these files; its id."""
        from dulwich.objects import Tree as GitTree

        folders: dict[bytes, dict[bytes, File]] = {}
        tree = GitTree()
        for path, file in files.items():
            name, slash, rest = path.partition(b"/")
            if slash:
                folders.setdefault(name, {})[rest] = file
            else:
                tree.add(name, file[0], object_id(file[1]))
        for name, inner in folders.items():
            tree.add(name, FOLDER, object_id(self.write_tree(inner)))
        if tree.id not in self.dulwich.object_store:
            self.dulwich.object_store.add_object(tree)
        made: str = tree.id.decode()
        return made

    def merge_bases(self, commit: str, others: Iterable[str]) -> list[str]:
        """The best common ancestors of `commit` and a made-up merge of `others`, sorted."""
        from dulwich.graph import find_merge_base

        found = find_merge_base(self.dulwich, [object_id(commit), *map(object_id, others)])
        if len(found) > 1:
            # Commits of one second, or of clocks that differ, make it name bases that lie behind another one.
            found = [one for one in found if not any(one in self._behind(other) for other in found if other != one)]
        return sorted(one.decode() for one in found)

    def _behind(self, commit: bytes) -> set[bytes]:
        """A commit and all that it follows from."""
        seen: set[bytes] = set()
        ahead = [commit]
        while ahead:
            one = ahead.pop()
            if one not in seen:
                seen.add(one)
                ahead += self.dulwich.get_parents(object_id(one.decode()))
        return seen

    def outgoing(self, new: str, known: Iterable[str]) -> list[str]:
        """The commits that `new` has and none of `known` has, the oldest first."""
        include, exclude = [object_id(new)], [object_id(one) for one in known if self.has(one)]
        walker = self.dulwich.get_walker(include=include, exclude=exclude, order="topo", reverse=True)
        return [step.commit.id.decode() for step in walker]

    def ref(self, name: str) -> str | None:
        """The commit that a ref names, through symbolic refs; None where there is no such ref."""
        found = self.dulwich.refs.follow(ref(name))[1]
        return found.decode() if found else None

    def settings(self) -> dict[str, str]:
        """The configuration as dulwich reads it: `section.Subsection.name`, section and name in lower case; the last value counts."""
        found: dict[str, str] = {}
        stack = self.dulwich.get_config_stack()
        for config in reversed(stack.backends):
            for section in config.sections():
                head, *rest = (os.fsdecode(part) for part in section)
                for name, value in config.items(section):
                    found[".".join((head.lower(), *rest, os.fsdecode(name).lower()))] = os.fsdecode(value)
        return found


def regular(files: Mapping[bytes, File], path: bytes) -> str | None:
    """The blob of a regular file, or None."""
    file = files.get(path)
    return file[1] if file and stat.S_ISREG(file[0]) else None
