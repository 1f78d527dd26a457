"""How the items of one section merge: what either side added is there, what either removed is gone, in the order of the format.

The rules are those of docs/entry-format.md. An item is its markdown without list marker, continuation lines unindented.
"""

from __future__ import annotations

import re
import unicodedata

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

_DATED = re.compile(r"\d{4}-\d\d-\d\d(?=:)")
_FINGERPRINT = re.compile(r"\[REDACTED:([a-z0-9-]{1,12})-[0-9a-f]{12}\]")
_NO_FINGERPRINT = r"[REDACTED:\1]"


def identity(item: str) -> str:
    """What makes two items the same: the text in NFC with all white space, line ends included, folded to single spaces."""
    folded = " ".join(item.split())
    return folded if folded.isascii() else unicodedata.normalize("NFC", folded)


def shape(text: str) -> str:
    """An identity without the fingerprints of its placeholders: two machines, with a key each, give one login different ones."""
    return _FINGERPRINT.sub(_NO_FINGERPRINT, text) if "[REDACTED:" in text else text


def order(text: str) -> tuple[str, str]:
    """The sort key of an identity: its date, undated first, then the text. Code points sort as their UTF-8 bytes do."""
    dated = _DATED.match(text)
    return (dated.group() if dated else "", text)


def canonical(items: Iterable[str]) -> tuple[str, ...]:
    """Each item once (of two spellings the greater bytes), in the order of the format."""
    return _in_order(_by_identity(items))


def merge_items(base: Iterable[str], ours: Iterable[str], theirs: Iterable[str], extra: Iterable[str] = ()) -> tuple[str, ...]:
    """The items of a section after a three-way merge, in order.

    `extra` are additions of neither side alone: the Answer that lost, for Superseded. An extra that is in base adds nothing.
    """
    was, one, two = _by_identity(base), _by_identity(ours), _by_identity(theirs)
    merged = {text: _spelling(was.get(text), one[text], two[text]) for text in one.keys() & two.keys()}
    beyond = was.keys() | merged.keys()
    additions = [_without(one, beyond), _without(two, beyond), _without(_by_identity(extra), beyond)]
    return _in_order(merged | _joined([added for added in additions if added]))


def grow_items(base: Iterable[str], ours: Iterable[str], theirs: Iterable[str]) -> tuple[str, ...]:
    """The same for Session, which only grows: what the base has is restored to both sides first."""
    was = _by_identity(base)
    return merge_items(was.values(), (was | _by_identity(ours)).values(), (was | _by_identity(theirs)).values())


def _by_identity(items: Iterable[str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for item in items:
        text = identity(item)
        found[text] = max(item, found.get(text, item))
    return found


def _in_order(items: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(items[text] for text in sorted(items, key=order))


def _without(items: Mapping[str, str], others: Collection[str]) -> dict[str, str]:
    return {text: item for text, item in items.items() if text not in others}


def _spelling(base: str | None, ours: str, theirs: str) -> str:
    """Which bytes of the same text: those of the side that changed them, the greater when both did."""
    if theirs == base:
        return ours
    return theirs if ours == base else max(ours, theirs)


def _joined(additions: list[dict[str, str]]) -> dict[str, str]:
    """Additions of several origins in one, with one item for as many that differ only in fingerprints.

    Of each origin the items of one shape are lined up, the greatest first, and of those that stand side by side the greatest stays. This
    keeps what every origin has (lined up or not), as many items as the richest origin has, and does not depend on who merges first.
    """
    if len(additions) == 1:
        return additions[0]
    joined: dict[str, str] = {}
    for added in additions:
        for text, item in added.items():
            joined[text] = max(item, joined.get(text, item))
    for alike in _alike(joined):
        columns = [sorted((text for text in added if text in alike), reverse=True) for added in additions]
        deepest = max(map(len, columns))
        stay = {max(column[row] for column in columns if row < len(column)) for row in range(deepest)}
        for text in alike - stay:
            del joined[text]
    return joined


def _alike(texts: Iterable[str]) -> list[set[str]]:
    """The groups of two or more identities that differ only in fingerprints."""
    groups: dict[str, set[str]] = {}
    for text in texts:
        if "[REDACTED:" in text:
            groups.setdefault(shape(text), set()).add(text)
    return [group for group in groups.values() if len(group) > 1]
