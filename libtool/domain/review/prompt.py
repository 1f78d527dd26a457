"""What is added to a prompt that is sent anyway, so that its answer holds what the library should keep."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

LIMIT = 1000
"""Bytes: 250 tokens."""
_ASK = """Also record what later sessions must know. For each topic that was settled or advanced write one block:

# <topic slug>
## Answer
<the conclusion, 1-3 sentences>
## Decided
- <choice; why> (#<turn>)
## Blocker
## Superseded
- <what no longer holds>
## Measured
- <number, unit, how>
## Open
## Pointers
- <path#L1-L9 or URL>

Leave out empty sections, logins, and how you got there. Names, numbers and paths exactly. Nothing worth keeping: write `nothing`.
"""
_TOPICS = "Use a topic that exists if it fits: "


def prompt(topics: Iterable[str]) -> str:
    """The section to add, at most LIMIT bytes; it names as many of the topics, in the order given, as there is room for."""
    text = _ASK + _TOPICS
    named = ""
    for topic in topics:
        longer = f"{named}, {topic}" if named else topic
        if len(text.encode()) + len(longer) + 2 > LIMIT:
            break
        named = longer
    return f"{text}{named}.\n" if named else _ASK
