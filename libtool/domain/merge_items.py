"""How the items of one section merge: what either side added is there, what either removed is gone, in the order of the format.

The rules are those of docs/merging.md; an item is that of `entry.Entry`.
"""

from __future__ import annotations

from itertools import zip_longest

from libtool.domain.entry import identity, tidy, unprinted
from libtool.domain.schema import SESSION, SUPERSEDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_PLACEHOLDER = "[REDACTED:"
Items = tuple[str, ...]


def merge_items(section: str, base: Items, ours: Items, theirs: Items) -> Items:
    """The items of a section after a three-way merge, in order as those of the three are; Session only grows."""
    if section != SESSION and theirs in (ours, base):
        return ours
    if section != SESSION and ours == base:
        return theirs
    was, one, two = _by_identity(base), _by_identity(ours), _by_identity(theirs)
    if section == SESSION:
        one, two = was | one, was | two
    merged = {text: spelling(was.get(text), one[text], two[text]) for text in one.keys() & two.keys()}
    beyond = was.keys() | merged.keys()
    return tidy(section, (merged | _joined(_without(one, beyond), _without(two, beyond))).values())


def record(items: Items, lost: str, base: Items) -> Items:
    """The items of Superseded with one for the Answer that lost, unless base has it.

    Where there is one that differs from it only in fingerprints, the greater of the two stays: whichever versions of an Answer meet first,
    one line tells of them in the end.
    """
    found = _by_identity(items)
    text = identity(lost)
    if text in _by_identity(base):
        return items
    alike = sorted(other for other in found if unprinted(other) == unprinted(text)) if _PLACEHOLDER in text else []
    if text in found or not alike:
        found[text] = max(lost, found.get(text, lost))
    elif text > alike[0]:
        found = _without(found, alike[:1]) | {text: lost}
    return tidy(SUPERSEDED, found.values())


def spelling(base: str | None, ours: str, theirs: str) -> str:
    """Which of two spellings of the same text stays: that of the side that changed the base's, the greater bytes when both did.

    Base None: the text is new.
    """
    if theirs == base:
        return ours
    return theirs if ours == base else max(ours, theirs)


def _by_identity(items: Iterable[str]) -> dict[str, str]:
    return {identity(item): item for item in items}


def _without(items: Mapping[str, str], others: Collection[str]) -> dict[str, str]:
    return {text: item for text, item in items.items() if text not in others}


def _joined(ours: Mapping[str, str], theirs: Mapping[str, str]) -> dict[str, str]:
    """The additions of both sides, one for two that differ only in fingerprints.

    Of each side those of one shape are lined up, the greatest first, and of two that stand side by side the greater stays. So there are as
    many as the side with more of them has, and it does not matter who merges first.
    """
    joined = {**ours, **theirs}
    for alike in _alike(joined):
        sides = [sorted(alike & added.keys(), reverse=True) for added in (ours, theirs)]
        stay = {max(pair) for pair in zip_longest(*sides, fillvalue="")}
        joined = _without(joined, alike - stay)
    return joined


def _alike(texts: Iterable[str]) -> list[set[str]]:
    """The groups of two or more identities that differ only in fingerprints: each machine has its own key, so its own for one login."""
    groups: dict[str, set[str]] = {}
    for text in texts:
        if _PLACEHOLDER in text:
            groups.setdefault(unprinted(text), set()).add(text)
    return [group for group in groups.values() if len(group) > 1]
