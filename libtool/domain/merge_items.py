"""How the items of one section merge: what either side added is there, what either removed is gone, in the order of the format.

The rules are those of docs/entry-format.md; an item is that of `entry.Entry`.
"""

from __future__ import annotations

from libtool.domain.entry import identity, tidy, unprinted
from libtool.domain.schema import SESSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_PLACEHOLDER = "[REDACTED:"


def merge_items(
    section: str, base: Iterable[str], ours: Iterable[str], theirs: Iterable[str], extra: Iterable[str] = ()
) -> tuple[str, ...]:
    """The items of a section after a three-way merge, in order; Session only grows.

    `extra` are additions of neither side alone: the Answer that lost, for Superseded. An extra that is in base adds nothing.
    """
    was, one, two = _by_identity(base), _by_identity(ours), _by_identity(theirs)
    if section == SESSION:
        one, two = was | one, was | two
    merged = {text: spelling(was.get(text), one[text], two[text]) for text in one.keys() & two.keys()}
    beyond = was.keys() | merged.keys()
    additions = [_without(one, beyond), _without(two, beyond), _without(_by_identity(extra), beyond)]
    return tidy(section, (merged | _joined([added for added in additions if added])).values())


def spelling(base: str | None, ours: str, theirs: str) -> str:
    """Which of two spellings of the same text stays: that of the side that changed the base's, the greater bytes when both did.

    Base None: the text is new.
    """
    if theirs == base:
        return ours
    return theirs if ours == base else max(ours, theirs)


def _by_identity(items: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in items:
        text = identity(item)
        found[text] = max(item, found.get(text, item))
    return found


def _without(items: Mapping[str, str], others: Collection[str]) -> dict[str, str]:
    return {text: item for text, item in items.items() if text not in others}


def _joined(additions: list[dict[str, str]]) -> dict[str, str]:
    """Additions of several origins in one, with one item for as many that differ only in fingerprints.

    Of each origin the items of one shape are lined up, the greatest first, and of those that stand side by side the greatest stays. So
    there are as many as the origin with most of them has, and it does not matter who merges first.
    """
    joined: dict[str, str] = {}
    for added in additions:
        for text, item in added.items():
            joined[text] = max(item, joined.get(text, item))
    for alike in _alike(joined):
        columns = [sorted(alike & added.keys(), reverse=True) for added in additions]
        stay = {max(column[row] for column in columns if row < len(column)) for row in range(max(map(len, columns)))}
        for text in alike - stay:
            del joined[text]
    return joined


def _alike(texts: Iterable[str]) -> list[set[str]]:
    """The groups of two or more identities that differ only in fingerprints: each machine has its own key, so its own for one login."""
    groups: dict[str, set[str]] = {}
    for text in texts:
        if _PLACEHOLDER in text:
            groups.setdefault(unprinted(text), set()).add(text)
    return [group for group in groups.values() if len(group) > 1]
