"""Before a push: no login in anything that is about to leave, no stale INDEX.md and no invalid entry at the tip of a branch.

Logins are looked for in every new commit, its message and all its files. An INDEX.md that was stale for some commits, as after a cherry-
pick or in the middle of a rebase, harms nobody once the tip is right.
"""

from __future__ import annotations

from libtool.domain.named import NamedTuple
from libtool.features.githooks.cleaning import Outcome, TopicsOf, cannot_be
from libtool.features.githooks.index_book import IndexBook, is_entry
from libtool.features.githooks.repository import ENTRIES, INDEX, changed, tree_of
from libtool.features.githooks.scanning import blob_logins, said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from libtool.features.githooks.cleaning import Cleaner
    from libtool.features.githooks.repository import Repository

MEND = f"lib check --fix && git add {ENTRIES} && git commit -m 'Mend entries'"
REFRESH = f"git commit --allow-empty -m 'Bring {INDEX} up to date', then push again"
AMEND = "it is in a commit: git commit --amend when that is the last one, git rebase -i for an older one"
SHORT = 10


class Update(NamedTuple):
    """A ref that the push moves: its name here, the commit it gets, and the one that the remote has ('' for none)."""

    ref: str
    new: str
    old: str


def updates(lines: Iterable[str]) -> list[Update]:
    """Of git's lines `local-ref local-id remote-ref remote-id`; deletions leave nothing behind and are left out."""
    parts = [line.split() for line in lines]
    return [Update(one[0], one[1], one[3].strip("0") and one[3]) for one in parts if len(one) == 4 and one[1].strip("0")]


def pre_push(repository: Repository, cleaner: Cleaner, remote: str, moves: Iterable[Update]) -> Outcome:
    """Refuse what must not leave. Raises GitFailed."""
    refused: list[str] = []
    for move in moves:
        refused += _logins(repository, cleaner, remote, move)
        refused += _tip(repository, cleaner, move)
    return Outcome(tuple(dict.fromkeys(refused)))


def _logins(repository: Repository, cleaner: Cleaner, remote: str, move: Update) -> list[str]:
    """Logins in the objects that the remote does not have yet, by what we know of it."""
    known = [f"^{move.old}"] if move.old and repository.git.call("cat-file", "-e", move.old).code == 0 else []
    out = repository.git.run("rev-list", "--objects", move.new, *known, "--not", f"--remotes={remote}")
    blobs: list[tuple[str, str]] = []
    commits: list[str] = []
    for line in out.decode("utf-8", "surrogateescape").splitlines():
        object_id, space, path = line.partition(" ")
        if not space:
            commits.append(object_id)
        else:
            blobs.append((path, object_id))
    lines = []
    # A tag that says something has a message too; the entry of a tree without a path is its root.
    for one in [one for one in repository.read(commits) if one is not None and one.kind != "tree"]:
        lines += said(f"message of {one.kind} {one.id[:SHORT]}", cleaner.logins(one.data.partition(b"\n\n")[2]))
    lines += blob_logins(repository, cleaner, blobs)
    return [f"{line} ({AMEND})" for line in lines]


def _tip(repository: Repository, cleaner: Cleaner, move: Update) -> list[str]:
    """What is wrong with the entries that the tip changes, and with its INDEX.md."""
    names = [f"{move.new}^{{commit}}:{ENTRIES}", f"{move.new}^{{commit}}:{INDEX}"]
    entries, index, old = repository.read([*names, f"{move.old or '0' * 40}:{ENTRIES}"])
    entries = tree_of(entries)
    if entries is None and index is None:
        return []
    lines = []
    topics = TopicsOf(entries.data if entries else b"")
    new = {name: now for name, (_, now) in changed(tree_of(old), entries).items() if now}
    good = {name: row for name, row in new.items() if is_entry(name, row)}
    lines += [why for name, row in new.items() if (why := cannot_be(name, row.mode))]
    found = repository.read([row.id for row in good.values()])
    for name, one in zip(good, found, strict=True):
        lines += cleaner.problems(name[:-3], one.data if one else b"", topics)
    if lines:
        lines.append(f"{move.ref}: entries are not valid; what can be mended is mended by: {MEND}")
    if IndexBook(repository).correction(entries, index) is not None:
        lines.append(f"{move.ref}: its {INDEX} is not that of its entries: {REFRESH}")
    return lines
