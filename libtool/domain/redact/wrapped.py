"""Tokens of providers that a line end cuts in two, as terminal logs and mails wrap them."""

from __future__ import annotations

from functools import lru_cache

from libtool.domain.lazy import lazy
from libtool.domain.redact.guards import CUT
from libtool.domain.redact.rule import example

TYPE_CHECKING = False
if TYPE_CHECKING:
    from libtool.domain.redact.rule import Rule, Span

_BREAK = lazy(r"(?:\\?\r?\n|\r)[ \t]{0,40}")
_PIECE = lazy(r"[A-Za-z0-9_+/=-]{2,400}")


@lru_cache(maxsize=256)
def _length(rule: Rule) -> int:
    """How long a token of this rule is, as its example says."""
    _, ((start, end),) = example(rule.hits[0])
    return end - start


def token(rule: Rule, text: str, start: int) -> Span | None:
    """The span of a token that begins at a trigger and goes on behind a line end; None when it does not.

    What follows must be what is missing, or look like a token itself: the next line's word is none of it.
    """
    first = CUT.match(text, start)
    if first is None or rule.left or text[max(0, start - 1) : start].isalnum():
        return None
    whole = first[0]
    ends = {len(whole): first.end()}
    while (gap := _BREAK.match(text, ends[len(whole)])) and (piece := _PIECE.match(text, gap.end())) and _goes_on(rule, whole, piece[0]):
        whole += piece[0]
        ends[len(whole)] = piece.end()
    match = rule.compiled.match(whole)
    if (
        len(ends) == 1
        or match is None
        or match.end() not in ends
        or match.end() == first.end() - start
        or (rule.check is not None and not rule.check(match[0]))
    ):
        return None
    return start, ends[match.end()]


def _goes_on(rule: Rule, whole: str, piece: str) -> bool:
    """Whether a piece of the next line belongs to a token that is not whole yet."""
    from libtool.domain.redact.values import is_random, strength  # noqa: PLC0415 - as above

    missing = _length(rule) - len(whole)
    if missing <= 0:
        return False
    if len(piece) == missing:
        return strength(piece) >= 2 or not piece.isalpha() or not piece.islower()
    return is_random(piece) or (strength(piece) >= 2 and rule.compiled.match(whole) is None)
