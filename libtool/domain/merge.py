"""The three-way merge of entries: by section, no conflict markers, nothing lost. Pure: the same inputs give the same bytes anywhere.

The rules, and what holds of them, stand in docs/entry-format.md.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


def merge(base: bytes | None, ours: bytes, theirs: bytes, *, topic: str = "") -> bytes:
    """The entry that has what both sides changed since the base. Never raises, whatever the bytes.

    `base` None: both sides created the topic. `topic` names an entry that has no heading. What comes is in canonical form.
    """
    raise NotImplementedError


def resolve(base: bytes | None, ours: bytes | None, theirs: bytes | None, *, topic: str = "") -> bytes | None:
    """The same where the file may be missing (None): an edit survives a deletion; what nobody edited stays deleted."""
    raise NotImplementedError


def resolve_tree(base: Mapping[str, bytes], ours: Mapping[str, bytes], theirs: Mapping[str, bytes]) -> dict[str, bytes]:
    """All entries of a merged tree, path to bytes: `resolve` for each path `entries/<topic>.md`.

    Other paths are left out: INDEX.md is built again from the entries, and what else there is has no sections. A rename is a deletion and
    a creation. Entries that are the same bytes on both sides may be left out of all three mappings by a caller who keeps them.
    """
    raise NotImplementedError


def fold(
    bases: Iterable[bytes],
    read: Callable[[bytes], bytes | None],
    merge_bases: Callable[[bytes, Sequence[bytes]], Iterable[bytes]],
    *,
    topic: str = "",
) -> bytes | None:
    """The one base that stands for several merge bases of a criss-cross history: their merge, recursively with their own merge bases.

    `bases` are commit ids, folded in the order of the ids, so that any machine gets the same; `read(commit)` is the file's bytes in a
    commit, or None; `merge_bases(commit, others)` are the merge bases of a commit and of the (imagined) merge of the others.
    """
    raise NotImplementedError
