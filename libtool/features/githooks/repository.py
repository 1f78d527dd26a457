"""The repository that a git hook was called in: its folders and objects, with as few git processes as can be."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, NamedTuple

from libtool.domain.schema import ENTRIES, INDEX

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from libtool.storage.git import Git

__all__ = ["ENTRIES", "FILE_MODES", "INDEX", "Object", "Repository", "Row", "changed", "find", "rows", "tree_id", "tree_of"]

FILE_MODES = ("100644", "100755")


class Object(NamedTuple):
    """A git object: its id in hexadecimal, its kind (`blob`, `tree`, `commit`, `tag`) and its content."""

    id: str
    kind: str
    data: bytes


class Row(NamedTuple):
    """A row of a tree: mode as git writes it in a tree (`100644`, `40000`) and object id in hexadecimal."""

    mode: str
    id: str


class Repository:
    """Where a hook runs: `top` is the work tree, `git_dir` this work tree's git folder, `common_dir` the one that all work trees share."""

    def __init__(self, git: Git, top: str, git_dir: str, common_dir: str) -> None:
        self.git = git
        self.top = top
        self.git_dir = git_dir
        self.common_dir = common_dir

    @property
    def index_file(self) -> str:
        """The index in use: while `git commit` runs it need not be the work tree's own."""
        return self.git.environ.get("GIT_INDEX_FILE") or os.path.join(self.git_dir, "index")

    def read(self, names: Sequence[str]) -> list[Object | None]:
        """The objects that these names (ids, `HEAD:path`, ...) stand for, None for one that is not there; one process for all."""
        if not names:
            return []
        out = self.git.run("cat-file", "--batch", stdin=("\n".join(names) + "\n").encode())
        found: list[Object | None] = []
        at = 0
        for _ in names:
            end = out.index(b"\n", at)
            words = out[at:end].rsplit(b" ", 2)
            if len(words) < 3 or not words[2].isdigit():
                found.append(None)
                at = end + 1
                continue
            size = int(words[2])
            found.append(Object(words[0].decode(), words[1].decode(), out[end + 1 : end + 1 + size]))
            at = end + 2 + size
        return found

    def write(self, contents: Sequence[bytes]) -> list[str]:
        """Store blobs; their ids in order. One process for all."""
        if not contents:
            return []
        paths = [os.path.join(self.git_dir, f"lib-blob-{os.getpid()}-{at}") for at in range(len(contents))]
        try:
            for path, content in zip(paths, contents, strict=True):
                with open(path, "wb") as file:
                    file.write(content)
            # Half a megabyte of INDEX.md at git's usual level takes 15 ms; packing compresses it again anyhow.
            words = ("-c", "core.looseCompression=1", "hash-object", "-w", "--no-filters", "--stdin-paths")
            out = self.git.run(*words, stdin=os.fsencode("\n".join(paths) + "\n"))
        finally:
            for path in paths:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(path)
        return out.decode().split()

    def stage(self, rows: Mapping[str, Row], index_file: str = "") -> None:
        """Put rows (by path) into an index: the one in use, or `index_file`."""
        if rows:
            lines = "".join(f"{row.mode} {row.id}\t{path}\0" for path, row in rows.items())
            env = {"GIT_INDEX_FILE": index_file} if index_file else None
            self.git.run("update-index", "-z", "--index-info", stdin=os.fsencode(lines), env=env)

    def staged(self, paths: Iterable[str], index_file: str = "") -> dict[str, Row]:
        """The rows of these paths in an index: the one in use, or `index_file`. Unmerged paths are left out."""
        env = {"GIT_INDEX_FILE": index_file} if index_file else None
        out = self.git.run("--literal-pathspecs", "ls-files", "-s", "-z", "--", *paths, env=env)
        rows = {}
        for line in filter(None, out.split(b"\0")):
            facts, _, path = line.partition(b"\t")
            mode, object_id, stage = facts.decode().split()
            if stage == "0":
                rows[os.fsdecode(path)] = Row(mode, object_id)
        return rows


def find(git: Git, folder: str) -> Repository | None:
    """The repository of a work tree's top `folder`, bound as git's environment says; no process. None where there is none."""
    git_dir = git.environ.get("GIT_DIR") or ".git"
    git_dir = os.path.join(folder, git_dir)
    if os.path.isfile(git_dir):
        with open(git_dir, "rb") as file:
            git_dir = os.path.join(folder, os.fsdecode(file.read(4096).removeprefix(b"gitdir:").strip()))
    if not os.path.exists(os.path.join(git_dir, "HEAD")):
        return None
    common = git_dir
    link = os.path.join(git_dir, "commondir")
    if os.path.isfile(link):
        with open(link, "rb") as file:
            common = os.path.join(git_dir, os.fsdecode(file.read(4096).strip()))
    return Repository(git, os.path.abspath(folder), os.path.abspath(git_dir), os.path.abspath(common))


def changed(old: Object | None, new: Object | None) -> dict[str, tuple[Row | None, Row | None]]:
    """(row before, row now) by name of what differs between two trees, sorted; None stands for a tree with nothing in it."""
    if old is not None and new is not None and old.id == new.id:
        return {}
    before, now = set(_pieces(old)), set(_pieces(new))
    gone, come = dict(map(_named, before - now)), dict(map(_named, now - before))
    return {name: (gone.get(name), come.get(name)) for name in sorted({*gone, *come})}


def rows(tree: Object | None) -> dict[str, Row]:
    """All rows of a tree by name."""
    return dict(map(_named, _pieces(tree)))


def _pieces(tree: Object | None) -> list[bytes]:
    """The rows of a tree as git has them: mode, space, name, NUL, id. Comparing these is 10 times as fast as taking all apart."""
    if tree is None:
        return []
    # In one pass of C: a loop over 5,000 rows takes three times as long.
    import re  # noqa: PLC0415 - loaded by whoever looks at entries

    return re.findall(rb"(?s)[0-7]+ [^\0]+\0.{%d}" % (len(tree.id) // 2), tree.data)


def _named(piece: bytes) -> tuple[str, Row]:
    head, _, binary = piece.partition(b"\0")
    mode, _, name = head.partition(b" ")
    return os.fsdecode(name), Row(mode.decode(), binary.hex())


def tree_of(found: Object | None) -> Object | None:
    """The object when it is a tree."""
    return found if found is not None and found.kind == "tree" else None


def tree_id(tree: Object | None, given: Mapping[str, tuple[Row, Row]]) -> str:
    """The id of a tree in which some rows (by name: as it is, as it will be) are changed; '' for None."""
    if tree is None or not given:
        return tree.id if tree else ""
    import hashlib  # noqa: PLC0415 - 4 ms that only a mended entry needs

    data = tree.data
    for name, (old, new) in given.items():
        data = data.replace(_piece(name, old), _piece(name, new), 1)
    algorithm = "sha1" if len(tree.id) == 40 else "sha256"
    return hashlib.new(algorithm, b"tree %d\0" % len(data) + data).hexdigest()


def _piece(name: str, row: Row) -> bytes:
    return os.fsencode(f"{row.mode} {name}\0") + bytes.fromhex(row.id)
