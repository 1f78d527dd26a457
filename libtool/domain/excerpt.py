"""What is shown of a chunk: the places where most terms stand, at a length that falls from hit to hit."""

from __future__ import annotations

from libtool.domain.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from libtool.domain.rank import Occurrence

SNIPPETS = (700, 450, 300, 220, 160, 120)
"""Characters of the snippet of the first hit, the second ...; the last for all further ones."""
_FEW = 3


def snippet_lengths(strong: int) -> tuple[int, ...]:
    """Characters of the snippet of each hit, the last for all further ones: a few strong hits share the room of the loose ones."""
    if not 0 < strong < _FEW:
        return SNIPPETS
    return (SNIPPETS[0],) * strong + SNIPPETS[2 * strong :]


def excerpt(text: str, found: Sequence[Occurrence], length: int) -> tuple[str, int]:
    """At most about `length` characters of a text around its terms, on one line, and the character where the best place begins.

    The densest place comes with some context; where the text names the terms again far from it, room is kept for that place too, since
    the answer is as often at the end of a long message as where the question was asked.
    """
    if len(text) <= length or not found:
        return _on_one_line(text, (0, length)), found[0].start if found else 0
    places = _places(found, min(length, _FRAGMENT))
    first = places[0]
    chosen = [first]
    if length >= 2 * _FRAGMENT:
        near = length - _FRAGMENT
        others = [place for place in places[1:] if place[2] >= max(2, first[2] - 1) and not first[0] - near < place[0] < first[0] + near]
        chosen += others[:1]
    room = length - _FRAGMENT * (len(chosen) - 1)
    ranges = [_around(place, size, len(text)) for place, size in zip(chosen, (room, _FRAGMENT), strict=False)]
    return " ".join(_on_one_line(text, stretch, places=chosen) for stretch in _joined(ranges)), first[0]


_FRAGMENT = 240
"""Characters of a second place, and within which the terms of one place must stand."""
_MOST_OCCURRENCES = 400


def _places(found: Sequence[Occurrence], width: int) -> list[tuple[int, int, int]]:
    """(start, end, distinct terms) of stretches of at most `width` characters, best first: most terms, then shortest, then first."""
    found = found[:_MOST_OCCURRENCES]
    places = []
    right = 0
    for left, occurrence in enumerate(found):
        right = max(right, left)
        while right + 1 < len(found) and found[right + 1].end - occurrence.start <= width:
            right += 1
        seen: set[int] = set()
        end = occurrence.end
        for other in found[left : right + 1]:
            if other.term not in seen:
                seen.add(other.term)
                end = max(end, other.end)
        places.append((occurrence.start, end, len(seen)))
    places.sort(key=lambda place: (-place[2], place[1] - place[0], place[0]))
    return places


def _around(place: tuple[int, int, int], size: int, limit: int) -> tuple[int, int]:
    """A stretch of `size` characters around a place, a third of the slack before it."""
    start = max(0, place[0] - max(0, size - (place[1] - place[0])) // 3)
    end = min(limit, start + size)
    return max(0, end - size), end


def _joined(ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges in order, overlapping ones as one."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(ranges):
        if out and start <= out[-1][1]:
            out[-1] = out[-1][0], max(end, out[-1][1])
        else:
            out.append((start, end))
    return out


def _on_one_line(text: str, stretch: tuple[int, int], places: Sequence[tuple[int, int, int]] = ()) -> str:
    """The stretch with white space folded, cut at word ends outside the places, with marks where text was left out."""
    start, end = stretch[0], min(stretch[1], len(text))
    inside = [place for place in places if start <= place[0] < end]
    first = min((place[0] for place in inside), default=end)
    last = max((place[1] for place in inside), default=start)
    if start > 0 and (cut := text.find(" ", start, min(start + _TRIMMED, first))) > 0:
        start = cut + 1
    if end < len(text) and (cut := text.rfind(" ", max(end - _TRIMMED, last), end)) > start:
        end = cut
    shown = _RULE.sub(r"\1\1\1", " ".join(text[start:end].split()))
    return ("…" if start > 0 else "") + shown + ("…" if end < len(text) else "")


_RULE = lazy(r"([^\w\s])\1{7,}")
"""A line drawn across the page: one costs as much as an answer."""


_TRIMMED = 20
"""Characters that a stretch may lose at each side so that it does not begin or end inside a word."""
