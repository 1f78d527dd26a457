"""The repository that a git hook was called in: its folders and objects, with as few git processes as can be."""

from __future__ import annotations

import os
import re

from libtool.domain.named import NamedTuple
from libtool.domain.schema import ENTRIES, INDEX
from libtool.errors import LibError
from libtool.storage import git_folders, loose
from libtool.storage.git_process import MOST_GIVEN
from libtool.storage.loose import SHA1_DIGITS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from libtool.storage.git import Git

__all__ = ["ENTRIES", "FILE_MODES", "INDEX", "Object", "Repository", "Row", "changed", "find", "pieces", "rows", "tree_of"]

FILE_MODES = ("100644", "100755")
FEW = 100
"""Objects that are kept at hand when they are read or written at once; more would fill the memory."""
_SHA256 = re.compile(rb"(?i)^\s*objectformat\s*=\s*\"?sha256", re.MULTILINE)


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
        self._at_hand: dict[str, Object] = {}

    @property
    def index_file(self) -> str:
        """The index in use: while `git commit` runs it need not be the work tree's own."""
        return self.git.environ.get("GIT_INDEX_FILE") or os.path.join(self.git_dir, "index")

    def read(self, names: Sequence[str]) -> list[Object | None]:
        """The objects that these names (ids, `HEAD:path`, ...) stand for, None for one that is not there; one process for all."""
        missing = [name for name in names if name not in self._at_hand]
        found = dict(zip(missing, self.objects(self._batch(missing), len(missing)), strict=True)) if missing else {}
        return [self._at_hand.get(name) or found.get(name) for name in names]

    def _batch(self, names: Sequence[str]) -> bytes:
        given = ("\n".join(names) + "\n").encode()
        if len(given) <= MOST_GIVEN:
            return self.git.start("cat-file", "--batch", stdin=given).out()
        return self.git.run("cat-file", "--batch", stdin=given)

    def objects(self, out: bytes, count: int) -> list[Object | None]:
        """The objects in what `git cat-file --batch` wrote of `count` names; kept at hand by their ids."""
        found: list[Object | None] = []
        at = 0
        for _ in range(count):
            end = out.index(b"\n", at)
            words = out[at:end].rsplit(b" ", 2)
            if len(words) < 3 or not words[2].isdigit():
                found.append(None)
                at = end + 1
                continue
            size = int(words[2])
            one = Object(words[0].decode(), words[1].decode(), out[end + 1 : end + 1 + size])
            found.append(one)
            if count <= FEW:
                self._at_hand[one.id] = one
            at = end + 2 + size
        return found

    @property
    def digits(self) -> int:
        """The hexadecimal digits of an object's id."""
        with open(os.path.join(self.common_dir, "config"), "rb") as file:
            return 64 if _SHA256.search(file.read()) else SHA1_DIGITS

    def write(self, contents: Sequence[bytes]) -> list[str]:
        """Store blobs; their ids in order."""
        objects = self.git.environ.get("GIT_OBJECT_DIRECTORY") or os.path.join(self.common_dir, "objects")
        digits = self.digits if contents else 0
        try:
            ids = [loose.write(objects, "blob", content, digits) for content in contents]
        except OSError as error:
            raise LibError(
                f"cannot write to {objects}: {error.strerror}", hint="is the disk full, or the repository somebody else's?"
            ) from error
        if len(ids) <= FEW:
            self._at_hand.update((one, Object(one, "blob", content)) for one, content in zip(ids, contents, strict=True))
        return ids

    def stage(self, rows: Mapping[str, Row], index_file: str = "") -> None:
        """Put rows (by path) into an index: the one in use, or `index_file`."""
        if rows:
            _clear(index_file or self.git.environ.get("GIT_INDEX_FILE", ""))
            lines = "".join(f"{row.mode} {row.id}\t{path}\0" for path, row in rows.items())
            given = os.fsencode(lines)
            words = ("update-index", "-z", "--index-info")
            if not index_file and len(given) <= MOST_GIVEN:
                self.git.start(*words, stdin=given).out()
            else:
                self.git.run(*words, stdin=given, env={"GIT_INDEX_FILE": index_file} if index_file else None)

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


def _clear(index_file: str) -> None:
    """Remove the lock on `index.lock` that a killed hook left: git holds that file for us, so nobody else can be writing it."""
    if os.path.basename(index_file) == "index.lock":
        try:
            os.unlink(index_file + ".lock")
        except OSError:
            # Not there, nearly always; or not to be removed, and git says so.
            return


def find(git: Git, folder: str) -> Repository | None:
    """The repository of a work tree's top `folder`, bound as git's environment says; no process. None where there is none."""
    git_dir = git_folders.own(folder, git.environ.get("GIT_DIR") or ".git")
    if not git_dir or not os.path.exists(os.path.join(git_dir, "HEAD")):
        return None
    return Repository(git, *map(os.path.abspath, (folder, git_dir, git_folders.shared(git_dir))))


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
    return pieces(tree.data, len(tree.id)) if tree is not None else []


def pieces(data: bytes, digits: int) -> list[bytes]:
    """The rows of a tree as git has them: mode, space, name, NUL, id. Comparing these is 10 times as fast as taking all apart."""
    # In one pass of C: a loop over 5,000 rows takes three times as long.
    return re.findall(rb"(?s)[0-7]+ [^\0]+\0.{%d}" % (digits // 2), data)


def _named(piece: bytes) -> tuple[str, Row]:
    head, _, binary = piece.partition(b"\0")
    mode, _, name = head.partition(b" ")
    return os.fsdecode(name), Row(mode.decode(), binary.hex())


def tree_of(found: Object | None) -> Object | None:
    """The object when it is a tree."""
    return found if found is not None and found.kind == "tree" else None
