"""Before a commit: the staged entries lose their logins and are mended, INDEX.md is made from them, what is left is refused.

All is read from and written to the index that the commit will use. The work tree gets the same changes only where it is still as staged.
"""

from __future__ import annotations

import os

from libtool.domain.named import NamedTuple
from libtool.features.githooks import worktree
from libtool.features.githooks.cleaning import Outcome, TopicsOf, cannot_be
from libtool.features.githooks.hunks import carry
from libtool.features.githooks.index_book import IndexBook, is_entry
from libtool.features.githooks.repository import ENTRIES, FEW, INDEX, Row
from libtool.features.githooks.scanning import blob_logins
from libtool.features.githooks.staging import Reading, changed_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.features.githooks.cleaning import Cleaned, Cleaner
    from libtool.features.githooks.repository import Repository
    from libtool.features.githooks.staging import Staged

NOTED = 5


class Change(NamedTuple):
    """A staged entry: its row, its text in the index, and what becomes of it."""

    row: Row
    data: bytes
    cleaned: Cleaned


def pre_commit(repository: Repository, cleaner: Cleaner, reading: Reading) -> Outcome:
    """Make the staged entries fit to be committed, with their INDEX.md. Raises GitFailed."""
    book = IndexBook(repository)
    trees = reading.end()
    changes, refused = _changes(repository, cleaner, trees)
    notes = _notes(changes)
    if trees.entries is not None:
        topics = TopicsOf(trees.entries.data)
        for name, one in changes.items():
            refused += cleaner.problems(name[:-3], one.cleaned.whole, topics)
    refused += blob_logins(repository, cleaner, trees.others)
    rows = _staged_rows(repository, book, trees, changes)
    if refused:
        # Left behind by a commit that was not made, it would stand in the way of the next pull.
        rows.pop(INDEX, None)
    if rows:
        _stage(repository, rows, {f"{ENTRIES}/{name}": one.row for name, one in changes.items()})
        notes += _work_tree(repository, changes, rows)
    index = repository.read([rows[INDEX].id])[0] if INDEX in rows else trees.index_md
    if index is not None and not refused:
        notes += _write_index(repository, book, trees, index.data)
    stripped = cleaner.redactor.found.values() if any(one.cleaned.logins for one in changes.values()) else ()
    return Outcome(tuple(refused), tuple(notes), tuple(stripped))


def check_only(repository: Repository, cleaner: Cleaner) -> Outcome:
    """Before a merge commit, whose tree git has already fixed: only refuse what no mending after the merge can put right."""
    trees = Reading(repository).end()
    changes, refused = _changes(repository, cleaner, trees)
    topics = TopicsOf(trees.entries.data if trees.entries else b"")
    for name, one in changes.items():
        refused += cleaner.problems(name[:-3], one.cleaned.whole, topics)
    return Outcome(tuple(refused))


def _changes(repository: Repository, cleaner: Cleaner, trees: Staged) -> tuple[dict[str, Change], list[str]]:
    """The staged entries by file name with what becomes of each, and what cannot be an entry at all."""
    refused = []
    new: dict[str, tuple[Row, Row | None]] = {}
    for name, (old, now) in sorted(trees.rows.items()):
        if now is None:
            continue
        if is_entry(name, now):
            new[name] = now, old
        elif why := cannot_be(name, now.mode):
            refused.append(why)
    texts = {one.id: one.data for one in repository.read(list({row.id for pair in new.values() for row in pair if row})) if one}
    cleaner.expect(list({texts[now.id] for now, _ in new.values()}) if len(new) <= FEW else [])
    changes = {}
    for name, (now, old) in new.items():
        before = texts.get(old.id) if old and is_entry(name, old) else None
        changes[name] = Change(now, texts[now.id], cleaner.clean(name[:-3], texts[now.id], before))
    return changes, refused


def _staged_rows(repository: Repository, book: IndexBook, trees: Staged, changes: dict[str, Change]) -> dict[str, Row]:
    """What must be put into the index; INDEX.md is remembered in the book."""
    mended = {name: one for name, one in changes.items() if one.cleaned.whole != one.data}
    if trees.entries is None and trees.index_md is None and trees.old_entries is None:
        # A branch that holds no library, such as one for a web site.
        return {}
    if not mended and trees.index_md is not None and book.is_known(trees.entries, trees.index_md.id):
        return {}
    index = book.index_of(
        trees.entries, {name: one.cleaned.whole for name, one in changes.items()}, (trees.index_md, trees.old_entries), trees
    )
    contents = [one.cleaned.whole for one in mended.values()]
    is_new = trees.index_md is None or trees.index_md.data != index
    ids = repository.write([*contents, index] if is_new else contents)
    rows = {f"{ENTRIES}/{name}": Row(one.row.mode, new) for (name, one), new in zip(mended.items(), ids, strict=False)}
    blob = ids[-1] if is_new else trees.index_md.id if trees.index_md else ""
    will_be = {name: (one.row, rows[f"{ENTRIES}/{name}"]) for name, one in mended.items()}
    book.remember(changed_tree(trees.entries, will_be, repository.digits) if will_be else trees.entries, blob)
    return {**rows, INDEX: Row("100644", blob)} if is_new else rows


def _stage(repository: Repository, rows: dict[str, Row], were: dict[str, Row]) -> None:
    """Into the index in use; `git commit FILE` uses a second one and puts index.lock in place afterwards, so it goes there too."""
    repository.stage(rows)
    folder, name = os.path.split(repository.index_file)
    if name.startswith("next-index-"):
        real = os.path.join(folder, "index.lock")
        there = repository.staged(rows, real)
        repository.stage({path: row for path, row in rows.items() if path == INDEX or there.get(path) == were.get(path)}, real)


def _work_tree(repository: Repository, changes: dict[str, Change], rows: dict[str, Row]) -> list[str]:
    """The same changes to the entries that the person sees."""
    notes = []
    for name, one in changes.items():
        path = f"{ENTRIES}/{name}"
        if path in rows:
            cleaned = one.cleaned
            done = worktree.change(os.path.join(repository.top, path), lambda text, one=one: _carried(one, text))  # type: ignore[misc]
            if cleaned.logins and not done:
                notes.append(f"{path}: its logins are out of the commit, but not out of your file")
    return notes


def _carried(one: Change, text: bytes) -> bytes:
    """The work tree's version: logins out line by line, the rest as a whole or not at all."""
    without = carry(one.data, one.cleaned.stripped, text)
    return carry(one.cleaned.stripped, one.cleaned.whole, without, whole=True)


def _write_index(repository: Repository, book: IndexBook, trees: Staged, content: bytes) -> list[str]:
    """INDEX.md of the work tree is always what is committed; a version that somebody edited is set aside.

    Also where the one that is staged was right already: a hook that was killed may have staged it and no more.
    """
    path = os.path.join(repository.top, INDEX)
    old = worktree.read(path)
    if old == content:
        return []
    is_staged = trees.index_md is not None and old == trees.index_md.data
    notes = [] if old is None or is_staged else book.set_aside(old)
    worktree.replace(path, old, content)
    return notes


def _notes(changes: dict[str, Change]) -> list[str]:
    notes = []
    # First, and none is left out: what a person did not mean to commit.
    conflicts = [
        f"{ENTRIES}/{name}: it had conflict markers: both sides are kept in the commit, please read it over"
        for name, one in changes.items()
        if one.cleaned.conflict
    ]
    for name, one in changes.items():
        if one.cleaned.logins:
            count = f"{one.cleaned.logins} logins" if one.cleaned.logins > 1 else "a login"
            notes.append(f"{ENTRIES}/{name}: {count} replaced by a placeholder; it was on disk, so give it up (rotate it)")
        elif one.cleaned.whole != one.data and not one.cleaned.conflict:
            notes.append(f"{ENTRIES}/{name}: brought into the form of an entry")
    if len(notes) > NOTED + 1:
        notes = [*notes[:NOTED], f"and {len(notes) - NOTED} more entries mended"]
    return conflicts + notes
