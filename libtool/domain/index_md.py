"""INDEX.md: one line for each entry, the same bytes on each machine."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def line_of(topic: str, data: bytes) -> str:
    """The line of an entry, without a newline; total: whatever the bytes are."""
    raise NotImplementedError


def build(lines: Mapping[str, str]) -> bytes:
    """INDEX.md of these lines by topic, in whatever order they come."""
    raise NotImplementedError


def lines_in(index: bytes) -> dict[str, str] | None:
    """The lines by topic of an INDEX.md that `build` made; None for one that it did not make byte for byte."""
    raise NotImplementedError
