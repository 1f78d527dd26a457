"""Carry a change of one text over to another version of it that somebody is working on, without touching what they changed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def carry(old: bytes, new: bytes, edited: bytes, *, whole: bool = False) -> bytes:
    """`edited` (a version of `old`) with the changes from `old` to `new` on those lines that are still as in `old`.

    With `whole` all of them or, when one meets an edited line, none: for changes that move lines, half of which would lose text.
    """
    if new in (old, edited):
        return edited
    if edited == old:
        return new
    import difflib  # noqa: PLC0415 - 10 ms, and seldom needed

    before, after, work = old.splitlines(keepends=True), new.splitlines(keepends=True), edited.splitlines(keepends=True)
    blocks = difflib.SequenceMatcher(None, before, work, autojunk=False).get_matching_blocks()
    hunks = [op for op in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if op[0] != "equal"]
    placed: list[tuple[int, int, Sequence[bytes]]] = []
    for _, low, high, start, end in hunks:
        block = next((one for one in blocks if one.size and one.a <= low and high <= one.a + one.size), None)
        if block is not None:
            shift = block.b - block.a
            placed.append((low + shift, high + shift, after[start:end]))
        elif whole:
            return edited
    for low, high, lines in reversed(placed):
        work[low:high] = lines
    return b"".join(work)
