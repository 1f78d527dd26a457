"""The work tree, index, refs and commits of a library, by C git's plumbing: filters, identity, signing and odd indexes are its business."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple, Protocol

from libtool.errors import SyncRefused
from libtool.storage.git import Ended, Git, GitFailed

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from libtool.storage.repo_merge import File, Tree
    from libtool.storage.repo_place import Place

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
"""The id that git gives to a tree without files."""


class HeadMovedError(Exception):
    """Somebody committed, or switched branches, while we were at work."""


class Version(NamedTuple):
    """A commit and its files, or the nothing before the first commit."""

    commit: str | None
    files: Tree


class WorkTree(Protocol):
    """What a sync needs of the side of the repository that people work in."""

    def settings(self) -> dict[str, str]:
        """The configuration: `section.Subsection.name`, section and name in lower case; the last value counts."""
        ...

    def branch(self) -> str | None:
        """The ref that HEAD points to, or None when HEAD is detached."""
        ...

    def commit_of(self, ref: str) -> str | None:
        """The commit that a ref names, or None."""
        ...

    def merge_bases(self, commit: str, others: Iterable[str]) -> list[str]:
        """The best common ancestors of `commit` and a made-up merge of `others`, sorted."""
        ...

    def content(self, path: bytes) -> bytes | None:
        """What the commit at HEAD has of a file, or None."""
        ...

    def commit(self, tree: str, parents: Iterable[str], message: str) -> str:
        """Make a commit object by the user's identity, signed if they sign; its id."""
        ...

    def check(self, old: Version, new: Version) -> None:
        """Raise SyncRefused, with each file that is in the way, unless `move` could be done."""
        ...

    def move(self, old: Version, new: Version, why: str) -> None:
        """Take index, work tree and branch from one commit to another. Staged and dirty work elsewhere stays.

        Raises SyncRefused with nothing changed, or HeadMovedError.
        """
        ...

    def restore(self, paths: list[bytes]) -> None:
        """Write files that are missing as the index has them: `move` leaves alone what the index holds already."""
        ...

    def put_back(self, path: bytes, file: File) -> None:
        """Make index and work tree hold that regular file, whatever they hold."""
        ...

    def set_ref(self, ref: str, commit: str, why: str) -> None:
        """Let a remote-tracking ref name a commit."""
        ...


def changed_paths(old: Tree, new: Tree) -> list[bytes]:
    """The paths in which two trees differ, sorted."""
    return sorted(path for path in old.keys() | new.keys() if old.get(path) != new.get(path))


class InTheWayError(SyncRefused):
    """Files that are not committed stand in the way."""

    paths: tuple[bytes, ...] = ()


def in_the_way(paths: Iterable[bytes]) -> InTheWayError:
    """The refusal that names each file."""
    paths = tuple(paths)
    names = [os.fsdecode(path) for path in paths]
    listed = ", ".join(names[:20]) + (f" and {len(names) - 20} more" if len(names) > 20 else "")
    refusal = InTheWayError(
        f"changes that are not committed are in the way; nothing was changed: {listed}",
        hint="commit them (`git add` and `git commit`) or move them away, then run `lib sync` again",
    )
    refusal.paths = paths
    return refusal


def is_taken(top: str, path: bytes, known: Tree) -> bool:
    """Whether something that is not `known` stands at the path; a folder counts only for what is in it."""
    folder = os.fsencode(top)
    target = os.path.join(folder, path)
    if os.path.islink(target) or not os.path.isdir(target):
        return os.path.lexists(target)
    inside = (os.path.join(at, name) for at, _, names in os.walk(target) for name in names)
    return any(os.path.relpath(one, folder) not in known for one in inside)


def lacks_folder(top: str, path: bytes, known: Tree) -> bool:
    """Whether a file or a link that is not `known` stands where the path needs a folder: what is written there would land elsewhere."""
    parts = path.split(b"/")
    for count in range(1, len(parts)):
        above = b"/".join(parts[:count])
        target = os.path.join(os.fsencode(top), above)
        if above not in known and (os.path.islink(target) or os.path.isfile(target)):
            return True
    return False


class GitWorkTree:
    """WorkTree by C git. `lock` is a descriptor that git processes which write keep open."""

    def __init__(self, place: Place, environ: Mapping[str, str], lock: int) -> None:
        self._place = place
        self._git = Git(place.top, environ)
        self._lock = lock

    def settings(self) -> dict[str, str]:
        """See WorkTree."""
        pairs = os.fsdecode(self._git.run("config", "--list", "-z")).split("\0")
        return dict(pair.partition("\n")[::2] for pair in pairs if pair)

    def branch(self) -> str | None:
        """See WorkTree."""
        return self._git.line("symbolic-ref", "-q", "HEAD") or None

    def commit_of(self, ref: str) -> str | None:
        """See WorkTree."""
        return self._git.line("rev-parse", "-q", "--verify", ref + "^{commit}") or None

    def merge_bases(self, commit: str, others: Iterable[str]) -> list[str]:
        """See WorkTree."""
        return sorted(self._git.line("merge-base", "--all", commit, *others).split())

    def content(self, path: bytes) -> bytes | None:
        """See WorkTree."""
        ended = self._git.call("cat-file", "blob", "HEAD:" + os.fsdecode(path))
        return None if ended.code else ended.out

    def commit(self, tree: str, parents: Iterable[str], message: str) -> str:
        """See WorkTree."""
        words = ["commit-tree", tree, *(word for parent in parents for word in ("-p", parent))]
        if self._git.line("config", "--type=bool", "commit.gpgsign") == "true":
            words.append("-S")
        return self._git.run(*words, stdin=message.encode(), env=self._git.committer()).decode().strip()

    def check(self, old: Version, new: Version) -> None:
        """See WorkTree."""
        self._refresh(old, new)
        ended = self._read_tree("-n", *self._trees(old, new))
        if ended.code:
            raise self._refusal(old, new, ended.err)

    def move(self, old: Version, new: Version, why: str) -> None:
        """See WorkTree."""
        branch = self.branch()
        if self.commit_of("HEAD") != old.commit:
            raise HeadMovedError
        self._refresh(old, new)
        ended = self._read_tree(*self._trees(old, new))
        if ended.code:
            raise self._refusal(old, new, ended.err)
        target = str(new.commit)
        try:
            self._git.run("update-ref", "-m", why, "HEAD", target, old.commit or "0" * 40)
        except GitFailed:
            # Somebody committed in between, from an index that was ours for a moment: what they see now is what they committed.
            if branch is not None and self.commit_of("HEAD") == old.commit:
                raise
            raise HeadMovedError from None

    def restore(self, paths: list[bytes]) -> None:
        """See WorkTree."""
        self._git.call("checkout-index", "-q", "-u", "-z", "--stdin", stdin=b"".join(path + b"\0" for path in paths))

    def put_back(self, path: bytes, file: File) -> None:
        """See WorkTree."""
        name = os.fsdecode(path)
        self._git.run("update-index", "--add", "--cacheinfo", f"{file[0]:o},{file[1]},{name}")
        self._git.run("checkout-index", "-f", "-q", "-u", "--", name)

    def set_ref(self, ref: str, commit: str, why: str) -> None:
        """See WorkTree."""
        self._git.run("update-ref", "-m", why, ref, commit)

    def remote_commit(self, remote: str, branch: str) -> str | None:
        """The commit of a remote's branch, or None when git cannot tell without asking a person."""
        silent = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false"}
        ended = self._git.call("ls-remote", "--exit-code", remote, f"refs/heads/{branch}", env=silent)
        return None if ended.code else ended.out.split(b"\t")[0].decode()

    def follow(self, branch: str, remote: str, name: str) -> None:
        """Let a branch follow a remote's branch."""
        self._git.run("config", f"branch.{branch}.remote", remote)
        self._git.run("config", f"branch.{branch}.merge", f"refs/heads/{name}")

    def tidy(self) -> None:
        """Let git pack what has gathered, when it finds that it is time: dulwich's fetches do not."""
        self._git.call("maintenance", "run", "--auto", "--quiet")

    def _refresh(self, old: Version, new: Version) -> None:
        """Let the index know what is unchanged. Raises SyncRefused for an ignored file or a link in the way: `git read-tree` would not."""
        if lacking := [path for path in changed_paths(old.files, new.files) if lacks_folder(self._place.top, path, old.files)]:
            raise in_the_way(lacking)
        self._git.call("-c", "core.fsmonitor=false", "update-index", "-q", "--refresh")
        if any(is_taken(self._place.top, path, old.files) for path in new.files.keys() - old.files.keys()) and (
            paths := self._blocking(old, new)
        ):
            raise in_the_way(paths)

    def _read_tree(self, *words: str) -> Ended:
        # Without fsmonitor, so that no daemon is started that would keep the lock.
        return self._git.call("-c", "core.fsmonitor=false", "read-tree", "-m", "-u", *words, keep_open=(self._lock,))

    def _trees(self, old: Version, new: Version) -> tuple[str, str]:
        return old.commit or EMPTY_TREE, new.commit or EMPTY_TREE

    def _refusal(self, old: Version, new: Version, said: str) -> Exception:
        """Why git would not: the files in the way, or what it said."""
        if paths := self._blocking(old, new):
            return in_the_way(paths)
        gist = " ".join(said.split()) or "git read-tree failed"
        if "index.lock" in said:
            return SyncRefused(
                f"another git process is at work in {self._place.top}; nothing was changed",
                hint=f"when none is, remove {self._place.git_dir}/index.lock; then run `lib sync` again",
            )
        return SyncRefused(f"git cannot update the work tree; nothing was changed: {gist}", hint="`git status` shows what is in the way")

    def _blocking(self, old: Version, new: Version) -> list[bytes]:
        """The files that would be lost: changed by the move, and changed or made by hand."""
        before, after = self._trees(old, new)
        staged = self._names("diff-index", "--cached", before)
        other = self._names("diff-index", "--cached", after)
        dirty = self._names("diff-files")
        found = []
        for path in changed_paths(old.files, new.files):
            if path not in other:
                continue  # the index holds the new version already
            if path in staged or path in dirty or (path not in old.files and is_taken(self._place.top, path, old.files)):
                found.append(path)
        return found

    def _names(self, *words: str) -> set[bytes]:
        return set(self._git.run(*words, "--name-only", "-z").split(b"\0"))
