"""What lib itself prints to be looked up is no login."""

from __future__ import annotations

from libtool.domain.lazy import lazy

AGENTS = "claude-code|codex|gemini-cli|opencode|qwen-code|copilot-cli|cursor|cline|crush|specstory|aider|terminal|chat-export"
"""Names that begin the reference of a session; `pi` besides, which is a user's name too."""
REF = (
    rf"(?:digest:)?(?:(?:{AGENTS}):[\w.-]{{6,120}}|pi:[0-9a-fTZ_.-]{{6,120}})(?:\#\d+(?:-\d+)?)?|entry:[a-z0-9][a-z0-9-]{{0,120}}|"
    r"note:\S{1,200}\#L\d+(?:-L?\d+)?"
)
"""What lib itself prints to be looked up: a session, a turn of it, its digest, an entry, a note (a verbose pattern)."""
POINTER = r"[\w.-]{1,60}(?:/[\w.-]{1,60}){0,4}@[0-9a-f]{7,64}(?=[ ]{1,4}(?:\"|[\w.@-]{0,80}[/.][\w./@-]))"
"""`<project>@<commit> <path>` of an entry's Pointers, or the claim of absence with its keywords: the part before the blank."""
_FURTHEST = 160
_HEAD = lazy(rf":(?:{'|'.join(f'(?<={name}:)' for name in (*AGENTS.split('|'), 'pi', 'entry', 'note'))})|@[0-9a-f]{{7}}")
"""How each begins, from its colon on: that is found far faster than the names, of which every text has the first letters."""
_REFERRED = lazy(rf"(?<![\w:/.@-])(?:{REF})(?![\w-])|(?<![\w:/.@-]){POINTER}")


def may_refer(text: str) -> bool:
    """Whether a text may hold a reference of lib's own."""
    return _HEAD.search(text) is not None


def is_referred(text: str, start: int, end: int) -> bool:
    """Whether a span lies in a reference of lib's own."""
    low = max(0, start - _FURTHEST)
    begin = max(low, text.rfind(" ", low, start))
    return any(one.start() <= start and end <= one.end() for one in _REFERRED.finditer(text, begin, end + _FURTHEST))
