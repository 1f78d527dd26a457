"""After a merge or a rebase: HEAD's entries mended and its INDEX.md right, by plumbing, since git allows no commit at that moment.

The commit is replaced by one that differs in nothing but its tree, and only when it is new: one that others may have stays as it is, the
next commit puts its INDEX.md right, and a push of it is refused until then.
"""

from __future__ import annotations

import contextlib
import os

from libtool.domain.named import NamedTuple
from libtool.features.githooks import worktree
from libtool.features.githooks.cleaning import Outcome
from libtool.features.githooks.index_book import NO_TREE, IndexBook, is_entry
from libtool.features.githooks.repository import ENTRIES, INDEX, Row, changed, tree_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.features.githooks.cleaning import Cleaner
    from libtool.features.githooks.repository import Object, Repository

STALE = (
    f"{INDEX} of HEAD is not that of its entries; your next commit puts it right: git commit --allow-empty -m 'Bring {INDEX} up to date'"
)


class Mend(NamedTuple):
    """What is to change in HEAD: path to (row now, or None; new content)."""

    head: Object
    files: dict[str, tuple[Row | None, bytes]]


def after_merge(repository: Repository, cleaner: Cleaner) -> Outcome:
    """Put HEAD right when it is the merge commit that was made just now. Raises GitFailed."""
    head, origin = repository.read(["HEAD^{commit}", "ORIG_HEAD^{commit}"])
    parents = _parents(head)
    is_new = len(parents) > 1 and origin is not None and parents[0] == origin.id
    return _put_right(repository, cleaner, head, is_new=is_new)


def after_rewrite(repository: Repository, cleaner: Cleaner) -> Outcome:
    """Put HEAD right after a rebase or an amended commit. Raises GitFailed."""
    return _put_right(repository, cleaner, repository.read(["HEAD^{commit}"])[0], is_new=True)


def _put_right(repository: Repository, cleaner: Cleaner, head: Object | None, *, is_new: bool) -> Outcome:
    if head is None:
        return Outcome()
    book = IndexBook(repository)
    base = (book.newest or (NO_TREE, ""))[0]
    entries, index, first, *seen = repository.read([f"{head.id}:{ENTRIES}", f"{head.id}:{INDEX}", f"{head.id}^:{ENTRIES}", base])
    entries = tree_of(entries)
    if entries is None and index is None:
        return Outcome()
    files = _mended(repository, cleaner, tree_of(seen[0]) or tree_of(first), entries) if is_new else {}
    right = book.index_of(entries, {os.path.basename(path): data for path, (_, data) in files.items()}, (*seen, index))
    if index is None or index.data != right:
        files[INDEX] = Row("100644", index.id) if index else None, right
    elif not files:
        book.remember(entries, index.id)
        return Outcome()
    if not is_new or _is_published(repository, head):
        return Outcome(notes=(STALE,) if INDEX in files else ())
    return _replace(repository, Mend(head, files))


def _mended(repository: Repository, cleaner: Cleaner, base: Object | None, entries: Object | None) -> dict[str, tuple[Row | None, bytes]]:
    """Entries that are not in their right form, such as a merge without our driver leaves them."""
    new = {name: now for name, (_, now) in changed(base, entries).items() if now and is_entry(name, now)}
    files: dict[str, tuple[Row | None, bytes]] = {}
    texts = {one.id: one.data for one in repository.read([row.id for row in new.values()]) if one}
    for name, row in ((name, row) for name, row in new.items() if row.id in texts):
        whole = cleaner.clean(name[:-3], texts[row.id]).whole
        if whole != texts[row.id]:
            files[f"{ENTRIES}/{name}"] = row, whole
    return files


def _is_published(repository: Repository, head: Object) -> bool:
    """Whether the upstream branch has HEAD already; without an upstream nobody has it."""
    return repository.git.call("merge-base", "--is-ancestor", head.id, "@{upstream}").code == 0


def _replace(repository: Repository, mend: Mend) -> Outcome:
    """A commit with the new files in HEAD's place; index and work tree follow where they are as HEAD was."""
    git, head = repository.git, mend.head
    ids = repository.write([data for _, data in mend.files.values()])
    rows = {path: Row(row.mode if row else "100644", new) for (path, (row, _)), new in zip(mend.files.items(), ids, strict=True)}
    index_file = os.path.join(repository.git_dir, f"lib-index-file-{os.getpid()}")
    try:
        git.run("read-tree", head.id, env={"GIT_INDEX_FILE": index_file})
        repository.stage(rows, index_file)
        tree = git.run("write-tree", env={"GIT_INDEX_FILE": index_file}).decode().strip()
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(index_file)
    new = _commit(repository, head, tree)
    git.run("update-ref", "-m", f"lib: {INDEX} of the merged entries", "HEAD", new, head.id)
    there = repository.staged(rows)
    repository.stage({path: row for path, row in rows.items() if there.get(path) == mend.files[path][0]})
    for path, (row, data) in mend.files.items():
        target = os.path.join(repository.top, path)
        if row is None:
            worktree.replace(target, None, data)
            continue
        was = repository.read([row.id])[0]
        old = was.data if was else b""
        worktree.change(target, lambda text, old=old, data=data: data if text == old else text)  # type: ignore[misc]
    book = IndexBook(repository)
    entries, index = repository.read([f"{tree}:{ENTRIES}", f"{tree}:{INDEX}"])
    assert index is not None, "it was there, or is among the files"  # noqa: S101
    book.remember(entries, index.id)
    return Outcome(notes=(f"{', '.join(sorted(rows))} mended in HEAD",))


def _commit(repository: Repository, head: Object, tree: str) -> str:
    """The id of a commit like `head` with another tree; signed anew where it was signed."""
    fields, blank, message = head.data.partition(b"\n\n")
    lines = [b"tree " + tree.encode()]
    is_signed = is_signature = False
    for line in fields.split(b"\n")[1:]:
        if line.startswith(b"gpgsig"):
            is_signed = is_signature = True
        elif not line.startswith(b" "):
            is_signature = False
        if not is_signature:
            lines.append(line)
    data = b"\n".join(lines) + blank + message
    if is_signed:
        return _signed(repository, lines, message)
    return repository.git.run("hash-object", "-t", "commit", "-w", "--stdin", stdin=data).decode().strip()


def _signed(repository: Repository, lines: list[bytes], message: bytes) -> str:
    """The same by way of `git commit-tree -S`, which knows the key and the kind of signature."""
    given: dict[str, str] = {}
    parents = []
    for line in lines:
        kind, _, rest = line.partition(b" ")
        if kind == b"parent":
            parents += ["-p", rest.decode()]
        elif kind in (b"author", b"committer"):
            who, _, when = os.fsdecode(rest).rpartition("> ")
            name, _, mail = who.partition(" <")
            role = kind.decode().upper()
            given |= {f"GIT_{role}_NAME": name, f"GIT_{role}_EMAIL": mail, f"GIT_{role}_DATE": f"@{when}"}
    tree = lines[0].removeprefix(b"tree ").decode()
    return repository.git.run("commit-tree", "-S", tree, *parents, "-F", "-", stdin=message, env=given).decode().strip()


def _parents(commit: Object | None) -> list[str]:
    fields = commit.data.partition(b"\n\n")[0].split(b"\n") if commit else []
    return [line.removeprefix(b"parent ").decode() for line in fields if line.startswith(b"parent ")]
