"""References: `<agent>:<part of a session id>[#turn]`, `note:<path>#L<line>`, `entry:<topic>`, `digest:<agent>:<id>`."""

from __future__ import annotations

import re

from libtool.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FEWEST = 6
"""The fewest characters of an id that a person must give."""
_TURN = re.compile(r"#(?:L?)(\d{1,9})$")
_HINT = "write <agent>:<at least 6 characters of its id>[#turn], as `lib search` prints it"


class Ref:
    """A parsed reference: kind (`session`, `note`, `entry`, `digest`), agent ('' for any), part of the id, turn or line (0: none)."""

    __slots__ = ("agent", "kind", "name", "turn")

    def __init__(self, kind: str, agent: str, name: str, turn: int) -> None:
        self.kind = kind
        self.agent = agent
        self.name = name
        self.turn = turn


def parse(text: str) -> Ref:
    """Understand a reference; raises UsageError that says how one looks."""
    # As `lib search` prints it, `ref:` included; whatever cannot be text is no part of an id.
    given = text.encode("utf-8", "replace").decode("utf-8").strip()
    text = given.removeprefix("ref:").strip()
    turn = 0
    if (match := _TURN.search(text)) is not None:
        turn = int(match[1])
        text = text[: match.start()]
    kind, colon, rest = text.partition(":")
    if colon and kind in ("entry", "note"):
        found = Ref(kind, kind if kind == "note" else "", rest, turn)
    else:
        of = "digest" if kind == "digest" else "session"
        if of == "digest":
            kind, colon, rest = rest.partition(":")
        found = Ref(of, kind.lower() if colon else "", rest if colon else kind, turn)
    if len(found.name) < (1 if found.kind in ("entry", "note") else FEWEST):
        raise UsageError(f"not a reference: {given[:80] or 'nothing was given'}", hint=_HINT)
    return found


def meant(ids: Iterable[str], part: str) -> list[str]:
    """Of these ids the one that `part` is, else those that end with it, else those that hold it, in any case."""
    known = list(ids)
    ways: tuple[Callable[[str], bool], ...] = (part.__eq__, lambda one: one.endswith(part), lambda one: part.lower() in one.lower())
    return next((found for way in ways if (found := [one for one in known if way(one)])), [])


def turns(text: str) -> tuple[int, int]:
    """`7`, `3-9`, `3-`, `-9` as (first, last); last is a huge number where none is given. Raises UsageError."""
    match = re.fullmatch(r"(\d{0,9})(-?)(\d{0,9})", text.strip())
    if match is None or not (match[1] or match[3]):
        raise UsageError(f"not a range of turns: {text[:40]}", hint="write 7, 3-9, 3- or -9")
    first = int(match[1] or 0)
    last = int(match[3]) if match[3] else (1 << 30 if match[2] else first)
    if last < first:
        raise UsageError(f"a range that ends before it begins: {text[:40]}", hint="write the smaller turn first")
    return first, last
