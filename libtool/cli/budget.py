"""A budget of tokens: how much a text takes, and a text cut to what is left. A token is counted as 4 bytes of UTF-8."""

from __future__ import annotations

from libtool.cli.output import printable

BYTES_A_TOKEN = 4
_UNBOUNDED = 1 << 30
_MARK = "…"


def room_of(budget: int) -> int:
    """The bytes that a budget of tokens has room for, the newline at the end apart; for 0 as many as it takes."""
    return budget * BYTES_A_TOKEN - 1 if budget else _UNBOUNDED


def size(line: str) -> int:
    """Bytes of a line as it is printed, with its newline."""
    return len(printable(line).encode("utf-8", "replace")) + 1


def cut(text: str, room: int) -> str:
    """The text as it is printed in at most `room` bytes, with a mark where something is left out."""
    text = printable(text)
    data = text.encode("utf-8", "replace")
    if len(data) <= room:
        return text
    kept = data[: max(0, room - len(_MARK.encode()))].decode("utf-8", "ignore").rstrip()
    return kept + _MARK if kept else ""


def folded(text: str) -> str:
    """The text on one line."""
    return " ".join(text.split())
