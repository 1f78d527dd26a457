"""The stored body of a chunk: its segments as one text. On the path of every search, so it imports nothing.

A segment is (code, turn, text): the code of condense.CODES, the turn from 1 (0 before the first prompt; in notes the line), the text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MARK = "\x1e"
USER_CODES = "HQK"
ASSISTANT_CODES = "APSTXN"
TOOL_CODES = "CRF"


def encode(segments: Iterable[tuple[str, int, str]]) -> str:
    """Segments as one text. Their texts hold no control characters (text.clean), so the mark is unambiguous."""
    return "".join(f"{MARK}{code}{turn} {text}" for code, turn, text in segments)


def decode(body: str) -> list[tuple[str, int, str]]:
    """The segments of a stored body; the inverse of `encode`."""
    segments = []
    for part in body.split(MARK)[1:]:
        turn, _, text = part[1:].partition(" ")
        segments.append((part[0], int(turn), text))
    return segments
