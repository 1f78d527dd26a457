"""Spans and placeholders: what overlaps becomes one, what lies in a placeholder goes, what is left is replaced."""

from __future__ import annotations

from libtool.domain.lazy import lazy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from libtool.domain.redact.finding import Finding

    Found = tuple[int, int, int]
    """Start, end, index of the rule."""

KIND = lazy("[a-z0-9-]{1,12}")
PLACEHOLDER = lazy(r"\[REDACTED:[a-z0-9-]{1,12}-[0-9a-f]{12}\]")
OPENING = "[REDACTED:"
"""What every placeholder begins with."""
_LEAST = 3


def replaced(text: str, findings: Sequence[Finding]) -> str:
    """The text with the placeholder of each finding in its place."""
    out: list[str] = []
    at = 0
    for finding in findings:
        out += (text[at : finding.start], finding.placeholder)
        at = finding.end
    return "".join((*out, text[at:]))


def merged(text: str, spans: list[Found]) -> list[Found]:
    """Spans in order and outside placeholders; those that overlap become one, named by the longest (then by the most specific rule)."""
    out: list[Found] = []
    for start, end, index in sorted(spans):
        if out and start < out[-1][1]:
            low, high, first = out[-1]
            longer = end - start > high - low
            out[-1] = (low, max(high, end), index if longer and index >= 0 else first)
        else:
            out.append((start, end, index))
    return list(_outside(text, out)) if OPENING in text else out


def _outside(text: str, spans: list[Found]) -> Iterator[Found]:
    """Spans without the placeholders in them; what is left of a span is kept when it may be a part of a login."""
    placeholders = [match.span() for match in PLACEHOLDER.finditer(text)]
    place = 0
    for start, end, index in spans:
        while place < len(placeholders) and placeholders[place][1] <= start:
            place += 1
        at, near = start, place
        while near < len(placeholders) and placeholders[near][0] < end:
            low, high = placeholders[near]
            if _is_rest(text[at:low]):
                yield at, low, index
            at, near = high, near + 1
        if at == start or _is_rest(text[at:end]):
            yield at, end, index


def _is_rest(text: str) -> bool:
    """Whether what a placeholder leaves of a span may be a part of a login."""
    return len(text) >= _LEAST and any(map(str.isalnum, text))
